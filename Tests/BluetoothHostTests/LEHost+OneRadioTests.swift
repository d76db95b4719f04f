// A controller that cannot scan and initiate at once, while the host waits for the end of the scan: what the user asks
// for meanwhile counts when the radio is free.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: waiting for the radio")
struct LEHostOneRadioTests {
    private let first = DeviceAddress(0xC000_0000_0001, kind: .random)
    private let second = DeviceAddress(0xC000_0000_0002, kind: .random)

    /// A host that scans, has been refused to initiate, and has not been answered when it ended the scan for that.
    private func waiting() -> HostTestbed {
        let testbed = HostTestbed.started()
        testbed.controller.scansOrInitiates()
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        testbed.forget()
        testbed.controller.silent = [LESetScanEnable.opcode]
        testbed.host.connect(to: self.first)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode, LESetScanEnable.opcode])
        return testbed
    }

    /// The controller says that it does not scan any more.
    private func endScan(_ testbed: HostTestbed) {
        testbed.controller.silent = []
        let success = ByteBuffer(integer: UInt8(0))
        testbed.controller.deliver(
            CommandComplete(opcode: LESetScanEnable.opcode, returnParameters: success).packet()
        )
        testbed.run()
    }

    @Test("The device is initiated to when the scan has ended, and not before")
    func initiates() {
        let testbed = self.waiting()
        testbed.run(.seconds(1))
        #expect(testbed.controller.takeCommands() == [])
        self.endScan(testbed)
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
        #expect(testbed.controller.createdPeers == [self.first, self.first])
    }

    @Test("A device that is not wanted any more when the scan has ended is not initiated to, and the scan goes on")
    func stopped() throws {
        let testbed = self.waiting()
        testbed.host.stopConnecting(to: self.first)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
        self.endScan(testbed)
        // A link of a central gives the host another turn.
        _ = testbed.acceptLink(0x40)
        let commands = testbed.controller.takeCommands()
        #expect(!commands.contains(LECreateConnection.opcode))
        #expect(commands.contains(LESetScanEnable.opcode))
        #expect(try testbed.controller.last(LESetScanEnable.self).isEnabled)
    }

    @Test("A device that comes in addition is initiated to together with the first one, by the accept list")
    func another() throws {
        let testbed = self.waiting()
        testbed.host.connect(to: self.second)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
        self.endScan(testbed)
        #expect(
            testbed.controller.takeCommands() == [
                LEClearFilterAcceptList.opcode, LEAddDeviceToFilterAcceptList.opcode,
                LEAddDeviceToFilterAcceptList.opcode, LECreateConnection.opcode,
            ]
        )
        #expect(try testbed.controller.last(LECreateConnection.self).filterPolicy.rawValue == 1)
    }

    @Test("A scan that the user stops meanwhile does not begin again behind the connection")
    func scanStopped() {
        let testbed = self.waiting()
        testbed.host.stopScanning()
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
        self.endScan(testbed)
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
        testbed.controller.connect(0x40, peer: self.first, role: .central)
        testbed.run()
        #expect(!testbed.controller.takeCommands().contains(LESetScanEnable.opcode))
        #expect(testbed.host.links.map(\.peer) == [self.first])
    }
}
