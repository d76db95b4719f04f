// Which changes of a peripheral's services make no sense of a procedure that an app waits for: those of the attributes
// that it is about.

import BluetoothHost
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("7.12 The attributes that a procedure is about")
struct ProcedureRangesTests {
    /// A characteristic of a service at the handles 10 to 19.
    private static let characteristic = GATTRemoteCharacteristic(
        uuid: 0x2A37,
        properties: [.read, .notify],
        declarationHandle: 11,
        valueHandle: 12,
        endHandle: 14
    )

    /// The ranges of handles that change.
    private static let ranges: [AttributeHandleRange] = [
        1...9, 1...10, 11...11, 12...12, 13...13, 12...14, 19...30, 20...30, 1...0xFFFF,
    ]

    private func answers(_ procedure: any PeripheralProcedure) -> [Bool] {
        Self.ranges.map { procedure.concerns($0) }
    }

    @Test("7.12 services are looked for whatever has changed")
    func services() {
        let none = [Bool](repeating: false, count: 9)
        #expect(self.answers(ServiceDiscovery(uuids: nil)) == none)
        #expect(self.answers(ServiceDiscovery(uuids: [0x180D])) == none)
    }

    @Test("7.12 what a service has is looked for as long as none of its handles has changed")
    func contents() {
        let expected = [false, true, true, true, true, true, true, false, true]
        #expect(self.answers(IncludedServiceDiscovery(service: 10...19, uuids: nil)) == expected)
        #expect(self.answers(CharacteristicDiscovery(service: 10...19, uuids: [0x2A37])) == expected)
    }

    @Test("7.12 descriptors, subscriptions and values are about the handle of the value")
    func values() {
        let expected = [false, false, false, true, false, true, false, false, true]
        #expect(self.answers(DescriptorDiscovery(characteristic: Self.characteristic)) == expected)
        for isSubscribed in [true, false] {
            let change = SubscriptionChange(isSubscribed: isSubscribed, characteristic: Self.characteristic)
            #expect(self.answers(change) == expected)
        }
        #expect(self.answers(ValueRead(attribute: .characteristic(12))) == expected)
        #expect(self.answers(ValueWrite(attribute: .characteristic(12), value: ByteBuffer())) == expected)
        let descriptor = [false, false, false, false, true, true, false, false, true]
        #expect(self.answers(ValueRead(attribute: .descriptor(13))) == descriptor)
        #expect(self.answers(ValueWrite(attribute: .descriptor(13), value: ByteBuffer())) == descriptor)
    }
}
