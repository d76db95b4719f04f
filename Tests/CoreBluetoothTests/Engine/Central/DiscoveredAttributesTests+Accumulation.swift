import BluetoothHost
import BluetoothTypes
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("7.1 Attributes of an app that accumulate")
struct DiscoveredAttributesAccumulationTests {
    private func service(_ uuid: BluetoothUUID, _ handles: AttributeHandleRange) -> GATTRemoteService {
        GATTRemoteService(uuid: uuid, handles: handles, isPrimary: true)
    }

    private func characteristic(_ value: AttributeHandle) -> GATTRemoteCharacteristic {
        GATTRemoteCharacteristic(
            uuid: 0x2A37,
            properties: [.read, .notify],
            declarationHandle: value - 1,
            valueHandle: value,
            endHandle: value + 1
        )
    }

    @Test("7.1 discoveries accumulate in the order of the handles, until they are invalid")
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
}
