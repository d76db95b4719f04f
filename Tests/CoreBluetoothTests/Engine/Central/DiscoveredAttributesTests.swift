import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("7.1 13.1 Attributes that an app has discovered")
struct DiscoveredAttributesTests {
    private func service(
        _ uuid: BluetoothUUID,
        _ handles: AttributeHandleRange,
        isPrimary: Bool = true
    ) -> GATTRemoteService {
        GATTRemoteService(uuid: uuid, handles: handles, isPrimary: isPrimary)
    }

    private func characteristic(_ value: AttributeHandle, _ uuid: BluetoothUUID = 0x2A37) -> GATTRemoteCharacteristic {
        GATTRemoteCharacteristic(
            uuid: uuid,
            properties: [.read, .notify],
            declarationHandle: value - 1,
            valueHandle: value,
            endHandle: value + 1
        )
    }

    @Test("7.1 accumulates discoveries in the order of the handles, until they are invalid")
    func accumulate() throws {
        var tree = DiscoveredAttributes()
        #expect(tree.isEmpty)
        tree.add([self.service(0x180F, 30...39)], listed: true)
        tree.add([self.service(0x180D, 10...19), self.service(0x180F, 30...39)], listed: true)
        #expect(tree.services.map(\.handle) == [10, 30])
        tree.add([self.characteristic(15)], of: 10...19)
        tree.add([self.characteristic(12), self.characteristic(15)], of: 10...19)
        #expect(tree.services[0].characteristics?.map(\.record.valueHandle) == [12, 15])
        tree.add([], of: 30...39)
        #expect(tree.services[1].characteristics?.isEmpty == true)
        tree.add([GATTRemoteDescriptor(uuid: 0x2902, handle: 13)], of: 12)
        #expect(tree.services[0].characteristics?[0].descriptors?.map(\.handle) == [13])
        let changes = [tree.setNotifying(true, 12), tree.setNotifying(true, 12), tree.setNotifying(true, 14)]
        #expect(changes == [true, false, false] && tree.notifying.map(\.valueHandle) == [12])
        let copy = try JSONDecoder().decode(DiscoveredAttributes.self, from: JSONEncoder().encode(tree))
        #expect(copy == tree)
        tree.setNotifying(false, 12)
        #expect(tree.notifying.isEmpty)
        tree.invalidate(11...12)
        #expect(tree.services.map(\.handle) == [30])
        // Another service at the same place is another one.
        tree.add([self.service(0x180A, 30...35)], listed: true)
        #expect(tree.services[0].record.uuid == 0x180A && tree.services[0].characteristics == nil)
    }

    @Test("keeps an attribute that is discovered again once, as it was discovered last")
    func again() {
        let outer = self.service(0xA000, 0x0001...0x0005)
        let inner = self.service(0xB000, 0x0006...0x0009, isPrimary: false)
        let last = self.service(0xC000, 0x000A...0x000C, isPrimary: false)
        var attributes = DiscoveredAttributes()
        for _ in 1...2 {
            attributes.add([outer], listed: true)
            attributes.add([inner], includedBy: outer.handles)
        }
        attributes.add([inner, last], includedBy: outer.handles)
        #expect(attributes.services.map(\.record) == [outer, inner, last])
        #expect(attributes.services.map(\.isListed) == [true, false, false])
        attributes.add([inner], listed: true)
        #expect(attributes.services.map(\.isListed) == [true, true, false])
        #expect(attributes.services.map(\.included) == [[0x0006, 0x000A], nil, nil])
        for uuid in [0x2A00, 0x2A00, 0x2A01] as [BluetoothUUID] {
            attributes.add([self.characteristic(3, uuid)], of: outer.handles)
            #expect(attributes.services[0].characteristics?.map(\.record) == [self.characteristic(3, uuid)])
        }
    }
}
