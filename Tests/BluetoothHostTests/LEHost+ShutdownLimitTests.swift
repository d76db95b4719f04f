// What a graceful shutdown waits for, each thing alone, and its limit where it has ended in another way at just that
// time: it means nothing to what the host does since.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Host: what a graceful shutdown waits for")
struct LEHostShutdownLimitTests {
    @Test("A host that has another controller at the time of the limit keeps it")
    func anotherController() {
        let testbed = HostTestbed.started()
        #expect(testbed.acceptLink(0x40) != nil)
        let next = ScriptedController(eventLoop: testbed.loop)
        let loop: any EventLoop = testbed.loop
        // What is due at one time is done in the order in which it was asked for.
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            testbed.host.detach()
            testbed.host.attach(to: next)
        }
        testbed.shutDown()
        testbed.run(.milliseconds(999))
        #expect(!testbed.controller.isClosed && testbed.shutdownCount == 0)
        testbed.run(.milliseconds(1))
        testbed.run()
        #expect(testbed.controller.isClosed && testbed.shutdownCount == 1)
        #expect(!next.isClosed && testbed.host.state == .ready)
        testbed.run(.seconds(5))
        #expect(!next.isClosed && testbed.host.state == .ready)
    }

    @Test("The host detaches when the controller has answered that it does not advertise, or scan, any more")
    func answers() {
        for opcode in [LESetAdvertisingEnable.opcode, LESetScanEnable.opcode] {
            let testbed = HostTestbed.started()
            if opcode == LESetScanEnable.opcode {
                testbed.host.startScanning(ScanParameters())
            } else {
                testbed.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) { _ in }
            }
            testbed.run()
            testbed.forget()
            testbed.controller.silent = [opcode]
            testbed.shutDown()
            #expect(testbed.controller.takeCommands() == [opcode])
            #expect(!testbed.controller.isClosed && testbed.shutdownCount == 0, "\(opcode)")
            let success = ByteBuffer(integer: UInt8(0))
            testbed.controller.deliver(CommandComplete(opcode: opcode, returnParameters: success).packet())
            testbed.run()
            #expect(testbed.controller.isClosed && testbed.shutdownCount == 1, "\(opcode)")
            #expect(testbed.controller.takeCommands() == [])
        }
    }

    @Test("Of several pending connections none begins again when the attempt has ended")
    func severalPending() {
        let testbed = HostTestbed.started()
        for value in [1, 2, 3] as [UInt64] { testbed.host.connect(to: DeviceAddress(value, kind: .public)) }
        testbed.run()
        testbed.forget()
        testbed.shutDown()
        #expect(testbed.controller.takeCommands() == [LECreateConnectionCancel.opcode])
        #expect(!testbed.controller.isClosed)
        testbed.controller.failConnection(.unknownConnectionIdentifier)
        testbed.run()
        #expect(testbed.controller.isClosed && testbed.shutdownCount == 1)
        #expect(testbed.controller.takeCommands() == [])
    }
}
