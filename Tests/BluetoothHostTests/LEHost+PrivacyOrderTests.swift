// When a private address is replaced: not before the controller has said that the radio is silent, also where it takes
// several commands at a time (Vol 4, Part E, 7.8.4).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: a private address waits for the radio")
struct LEHostPrivacyOrderTests {
    /// A host that uses the radio, with the time of its private address over in the next nanosecond, and a controller
    /// that takes four commands at a time.
    private func nearlyDue(_ use: (PrivateHost) -> Void) -> PrivateHost {
        let device = PrivateHost(hasList: false)
        use(device)
        device.testbed.run()
        device.testbed.run(.seconds(900) - .nanoseconds(1))
        device.testbed.controller.deliver(CommandComplete(numberOfCommandPackets: 4, opcode: .none).packet())
        device.testbed.run()
        device.testbed.forget()
        return device
    }

    /// The controller answers a command with success.
    private func answer(_ opcode: HCIOpcode, _ device: PrivateHost) {
        device.testbed.controller.silent = []
        let success = ByteBuffer(integer: UInt8(0))
        device.testbed.controller.deliver(CommandComplete(opcode: opcode, returnParameters: success).packet())
        device.testbed.run()
    }

    @Test("The address is set when the controller has answered that it does not scan any more")
    func scanning() {
        let device = self.nearlyDue { $0.host.startScanning(ScanParameters()) }
        device.testbed.controller.silent = [LESetScanEnable.opcode]
        device.testbed.run(.nanoseconds(1))
        #expect(device.testbed.controller.takeCommands() == [LESetScanEnable.opcode])
        self.answer(LESetScanEnable.opcode, device)
        #expect(
            device.testbed.controller.takeCommands()
                == [LESetRandomAddress.opcode, LESetScanParameters.opcode, LESetScanEnable.opcode]
        )
        #expect(Set(device.randomAddresses).count == 2)
    }

    @Test("The address is set when the controller has answered that it does not advertise any more")
    func advertising() {
        let device = self.nearlyDue { $0.advertise() }
        device.testbed.controller.silent = [LESetAdvertisingEnable.opcode]
        device.testbed.run(.nanoseconds(1))
        #expect(device.testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
        self.answer(LESetAdvertisingEnable.opcode, device)
        let commands = device.testbed.controller.takeCommands()
        #expect(commands.first == LESetRandomAddress.opcode && commands.last == LESetAdvertisingEnable.opcode)
        #expect(Set(device.randomAddresses).count == 2)
    }

    @Test("The address is set when the controller has reported the end of the attempt to connect")
    func initiating() {
        let device = self.nearlyDue { $0.host.connect(to: DeviceAddress(0x11, kind: .public)) }
        // The end of the attempt is reported below.
        device.testbed.controller.whenCommanded = nil
        device.testbed.run(.nanoseconds(1))
        #expect(device.testbed.controller.takeCommands() == [LECreateConnectionCancel.opcode])
        device.testbed.controller.failConnection(.unknownConnectionIdentifier)
        device.testbed.run()
        #expect(
            device.testbed.controller.takeCommands() == [LESetRandomAddress.opcode, LECreateConnection.opcode]
        )
    }
}
