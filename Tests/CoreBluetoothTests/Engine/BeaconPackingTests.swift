// Manufacturer data beside services for the overflow area, which is manufacturer data, too: where each of them goes.

import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("11.2 Manufacturer data beside an overflow area")
struct BeaconPackingTests {
    @Test("11.2 the packet has the app's manufacturer data, and the scan response has the overflow area")
    func both() throws {
        let own: [UInt8] = [0x34, 0x12, 7]
        let content = AdvertisedContent(manufacturerData: own, overflowServices: [0x180D])
        let packed = content.packed()
        let data = AdvertisingData(parsing: packed.data)
        let scanResponse = AdvertisingData(parsing: packed.scanResponse)
        #expect(data.elements.map(\.type) == [.flags, .manufacturerSpecificData])
        #expect(data.manufacturerSpecificData == ByteBuffer(bytes: own))
        #expect(scanResponse.elements.map(\.type) == [.manufacturerSpecificData])
        let manufacturerData = try #require(scanResponse.manufacturerSpecificData)
        let area = try #require(OverflowArea(manufacturerData: manufacturerData))
        #expect(area.mayContain(0x180D))
    }
}
