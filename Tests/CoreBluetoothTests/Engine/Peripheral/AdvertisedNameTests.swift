import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("4.7 Shortened names")
struct AdvertisedNameTests {
    @Test(
        "recognises the shortened forms of 8 and 10 octets of a name",
        arguments: [
            ("Crystal", "Crystal 🔮", true), ("Thermomete", "Thermometer", true), ("Thermome", "Thermometer", true),
            ("Thermo", "Thermometer", false), ("Crystal", "Crystals", false), ("", "Crystal", false),
            ("Thermomete", "Thermomete", false), ("Crystals", "Crystals", false),
            ("Alice B", "Alice Bo", false), ("Alice Bo", "Alice Bob", true), ("Alice", "Alice Bob", false),
            ("Alice Bo", "Alice Ba", false), ("Alice", "Alice  Bob", false), ("Alice", "Alice   Bob", true),
            ("Alice B", "Alice Bö", true), ("Carol w", "Carol with", false), ("arol wit", "Carol with", false),
            // An empty name is not the beginning of a name, however long its first character is.
            ("", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}", false),
        ]
    )
    func forms(name: String, whole: String, isShortened: Bool) {
        #expect(AdvertisedName.isShortened(name, of: whole) == isShortened)
    }

    private static func scanResponse(_ name: String) -> ByteBuffer {
        var data = AdvertisingData()
        data.appendLocalName(name, limit: AdvertisedName.limit)
        return data.bytes
    }

    @Test("logs a shortened name only in a process that asked for it")
    func reports() {
        let lines = CapturedLog()
        func log(_ name: String) {
            lines.capture { AdvertisedName.logIfShortened(name, Self.scanResponse(name)) }
        }
        log("Crystal Ball of One")
        #expect(lines.all.isEmpty)
        AdvertisedName.reportShortening()
        defer { AdvertisedName.reportsShortening.withLockedValue { $0 = false } }
        log("Ten octets")
        #expect(lines.all.isEmpty)
        log("Crystal Ball of Two")
        #expect(
            lines.all == [
                "[CoreBluetooth] the name \"Crystal Ball of Two\" is advertised as \"Crystal Ba\": "
                    + "there is no space for more of it"
            ]
        )
    }
}
