import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("13.1 Attributes that an app has discovered")
struct DiscoveredAttributesTests {
    private let outer = GATTRemoteService(uuid: 0xA000, handles: 0x0001...0x0005, isPrimary: true)

    private let inner = GATTRemoteService(uuid: 0xB000, handles: 0x0006...0x0009, isPrimary: false)

    private let last = GATTRemoteService(uuid: 0xC000, handles: 0x000A...0x000C, isPrimary: false)

    @Test("keeps an attribute that is discovered again once")
    func again() throws {
        var attributes = DiscoveredAttributes()
        for _ in 1...2 {
            attributes.add([self.outer], listed: true)
            attributes.add([self.inner], includedBy: self.outer.handles)
        }
        attributes.add([self.inner, self.last], includedBy: self.outer.handles)
        #expect(attributes.services.map(\.record) == [self.outer, self.inner, self.last])
        #expect(attributes.services.map(\.isListed) == [true, false, false])
        #expect(attributes.services.map(\.included) == [[0x0006, 0x000A], nil, nil])
        // A changed characteristic replaces the one with its handle.
        func characteristic(_ uuid: BluetoothUUID) -> GATTRemoteCharacteristic {
            GATTRemoteCharacteristic(
                uuid: uuid,
                properties: .read,
                declarationHandle: 0x0002,
                valueHandle: 0x0003,
                endHandle: 0x0005
            )
        }
        for uuid in [0x2A00, 0x2A00, 0x2A01] as [BluetoothUUID] {
            attributes.add([characteristic(uuid)], of: self.outer.handles)
            #expect(attributes.services[0].characteristics?.map(\.record) == [characteristic(uuid)])
        }
        attributes.add([self.inner], listed: true)
        #expect(attributes.services.map(\.isListed) == [true, true, false])
        #expect(attributes.services.map(\.included) == [[0x0006, 0x000A], nil, nil])
    }
}
