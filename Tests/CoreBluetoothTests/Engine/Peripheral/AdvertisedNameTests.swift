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
