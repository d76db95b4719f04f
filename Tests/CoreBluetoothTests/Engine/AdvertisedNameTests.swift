// Names that an advertisement has no space for.

import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("4.7 Shortened names")
struct AdvertisedNameTests {
    private static func scanResponse(_ name: String) -> ByteBuffer {
        var data = AdvertisingData()
        data.appendLocalName(name, limit: AdvertisedName.limit)
        return data.bytes
    }

    @Test("A name that was shortened is reported in a process that asked for it, and in no other")
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
