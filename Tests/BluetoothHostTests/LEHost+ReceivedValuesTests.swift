// Flow control from the controller to the host for the packets of a stream: values that go straight to the user are
// reported as finished like all other packets, each once (Vol 4, Part E, 4.2).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Controller to host flow control: values")
struct LEHostReceivedValuesTests {
    /// An ATT PDU with a value of one octet.
    enum Value: CaseIterable, Sendable {
        case notification
        case notificationOfNoAttribute
        case command
        case commandToNoAttribute

        /// Whether the user is called.
        var isForTheUser: Bool { self == .notification || self == .command }

        func pdu(_ characteristic: AttributeHandle) -> [UInt8] {
            let handle: AttributeHandle
            switch self {
            case .notification: handle = 0x0003
            case .notificationOfNoAttribute: handle = 0x0000
            case .command: handle = characteristic
            case .commandToNoAttribute: handle = 0x7777
            }
            let isNotification = self == .notification || self == .notificationOfNoAttribute
            let (low, high) = (UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8))
            return [isNotification ? 0x1B : 0x52, low, high, 0xAA]
        }
    }

    @Test("The 32nd packet with a value leads to a report of 32 packets", arguments: Value.allCases)
    func counted(value: Value) throws {
        let testbed = HostTestbed(LEHostConfiguration(limitsReceivedData: true))
        testbed.start()
        let handles = try testbed.host.addService(
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: 0xA001,
                        properties: .writeWithoutResponse,
                        permissions: .writeable
                    )
                ]
            )
        )
        _ = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        let pdu = value.pdu(handles.characteristics[0].value)
        for _ in 0..<31 { testbed.controller.receive(0x40, channel: 4, pdu) }
        testbed.run()
        #expect(!testbed.controller.takeCommands().contains(HostNumberOfCompletedPackets.opcode))
        #expect(testbed.delegate.takeLines().count == (value.isForTheUser ? 31 : 0))
        testbed.controller.receive(0x40, channel: 4, pdu)
        testbed.run()
        #expect(testbed.controller.takeCommands().contains(HostNumberOfCompletedPackets.opcode))
        let completed = try testbed.controller.last(HostNumberOfCompletedPackets.self).completed
        #expect(completed.map(\.handle.rawValue) == [0x40] && completed.map(\.count) == [32])
    }
}
