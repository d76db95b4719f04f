// A graceful shutdown: it ends everything after queued data was sent, within a limit.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("LEHost: graceful shutdown")
struct LEHostShutdownTests {
    @Test("ends advertising, scanning, pending connections and links, then detaches")
    func everythingEnds() throws {
        let testbed = HostTestbed.started()
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        testbed.host.startScanning(ScanParameters())
        testbed.host.connect(to: DeviceAddress(0x99, kind: .public))
        testbed.run()
        #expect(testbed.acceptLink(0x40) != nil)
        // The link ended the advertising, which was enabled again.
        testbed.run()
        _ = testbed.controller.takeCommands()

        testbed.shutDown()
        let commands = testbed.controller.takeCommands()
        #expect(
            Set(commands) == [
                Disconnect.opcode, LESetAdvertisingEnable.opcode, LESetScanEnable.opcode,
                LECreateConnectionCancel.opcode,
            ]
        )
        for opcode in [LESetAdvertisingEnable.opcode, LESetScanEnable.opcode] {
            #expect(testbed.controller.parameters[opcode]?.readableBytesView.first == 0)
        }
        #expect(try testbed.disconnected().handle.rawValue == 0x40)
        #expect(try testbed.disconnected().reason == .remoteUserTerminated)
        #expect(!testbed.controller.isClosed, "the link has not ended yet")
        testbed.endLink(.localHostTerminated)
        #expect(!testbed.controller.isClosed, "the pending connection has not ended yet")
        testbed.controller.failConnection(.unknownConnectionIdentifier)
        testbed.run()
        #expect(testbed.controller.isClosed)
        #expect(testbed.host.state == .detached)
        #expect(testbed.shutdownCount == 1)
        testbed.run(.seconds(5))
        #expect(testbed.shutdownCount == 1)
    }

    @Test("ends a link that comes during the shutdown")
    func lateLink() throws {
        let testbed = HostTestbed.started()
        #expect(testbed.acceptLink(0x40) != nil)
        testbed.shutDown()
        #expect(testbed.acceptLink(0x41) != nil)
        #expect(try testbed.disconnected().handle.rawValue == 0x41)
        testbed.endLink(.localHostTerminated)
        #expect(!testbed.controller.isClosed)
        testbed.endLink(.localHostTerminated, 0x41)
        #expect(testbed.controller.isClosed)
        #expect(testbed.shutdownCount == 1)
    }

    @Test("sends the queue of a link before it ends the link")
    func dataIsSentFirst() throws {
        // Like btvirt; the peer would never get the second value.
        let testbed = HostTestbed.started { $0.packetCount = 1 }
        let link = try #require(testbed.acceptLink(0x40))
        for octet in UInt8(1)...2 {
            testbed.host.writeWithoutResponse(ByteBuffer(bytes: [octet]), to: 3, on: link)
        }
        testbed.shutDown()
        #expect(testbed.controller.takeData().count == 1)
        testbed.complete(1)
        #expect(testbed.controller.takeData().count == 1)
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil, "the controller has not sent it yet")
        testbed.complete(1)
        #expect(try testbed.disconnected().handle.rawValue == 0x40)
    }

    @Test(
        "detaches when the controller has answered the end of advertising or scanning",
        arguments: [LESetAdvertisingEnable.opcode, LESetScanEnable.opcode]
    )
    func answers(opcode: HCIOpcode) {
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
        #expect(!testbed.controller.isClosed && testbed.shutdownCount == 0)
        testbed.answer(opcode)
        #expect(testbed.controller.isClosed && testbed.shutdownCount == 1 && testbed.controller.takeCommands() == [])
    }

    @Test("restarts none of several pending connections")
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

    @Test("waits for nothing without a controller, or with one that was just reset")
    func nothingToEnd() {
        let testbed = HostTestbed()
        testbed.shutDown()
        #expect(testbed.shutdownCount == 1)
        testbed.controller.silent = [Reset.opcode]
        testbed.start()
        #expect(testbed.host.state == .starting)
        testbed.shutDown()
        #expect(testbed.controller.isClosed)
        #expect(testbed.shutdownCount == 2)
    }

    @Test("ends when the controller is lost")
    func lostController() {
        let testbed = HostTestbed.started()
        #expect(testbed.acceptLink(0x40) != nil)
        testbed.shutDown()
        testbed.controller.fail("pulled out")
        testbed.run()
        #expect(testbed.shutdownCount == 1)
        testbed.run(.seconds(5))
        #expect(testbed.shutdownCount == 1)
    }

    @Test("waits half of the limit for data and all of it for the ends of links, even after an earlier shutdown")
    func secondShutdown() throws {
        let testbed = HostTestbed.started()
        testbed.shutDown()
        #expect(testbed.controller.isClosed && testbed.shutdownCount == 1, "there was nothing to end")
        testbed.run(.milliseconds(300))
        var link: LinkID?
        testbed.delegate.onConnect = { link = $0.id }
        let next = testbed.attachAnother()
        next.connect(0x40, peer: DeviceAddress(0x40, kind: .public), role: .peripheral)
        testbed.run(.milliseconds(100))
        testbed.host.writeWithoutResponse(ByteBuffer(bytes: [1]), to: 3, on: try #require(link))
        testbed.shutDown()
        testbed.run(.milliseconds(499))
        #expect(next.parameters[Disconnect.opcode] == nil)
        testbed.run(.milliseconds(1))
        #expect(next.parameters[Disconnect.opcode] != nil)
        testbed.run(.milliseconds(499))
        #expect(!next.isClosed)
        testbed.run(.milliseconds(1))
        #expect(next.isClosed && testbed.shutdownCount == 2)
    }

    @Test("ends immediately if it is requested again, and completes both")
    func askedTwice() {
        let testbed = HostTestbed.started()
        #expect(testbed.acceptLink(0x40) != nil)
        testbed.shutDown()
        #expect(!testbed.controller.isClosed && testbed.shutdownCount == 0)
        testbed.shutDown()
        #expect(testbed.controller.isClosed && testbed.shutdownCount == 2)
        #expect(testbed.host.state == .detached && testbed.host.links.isEmpty)
        testbed.run(.seconds(5))
        #expect(testbed.shutdownCount == 2)
    }
}
