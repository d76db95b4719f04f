// A host that shuts down on a scripted controller: what is stopped and ended, what is sent first, and how long that may
// take at most.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Leaving a controller")
struct LeavingTests {
    private final class Testbed {
        let loop = EmbeddedEventLoop()
        let controller: ScriptedController
        let host: LEHost
        let delegate = RecordingDelegate()
        /// How often the end of the shutdown was reported.
        private(set) var ends = 0

        init() {
            self.controller = ScriptedController(eventLoop: self.loop)
            self.host = LEHost(eventLoop: self.loop)
            self.host.delegate = self.delegate
        }

        func start() {
            self.host.attach(to: self.controller)
            self.loop.run()
            _ = self.controller.takeCommands()
        }

        /// A link in the peripheral role, in which the host sends nothing of its own accord.
        func connect(_ handle: UInt16) -> LinkID? {
            var link: LinkID?
            self.delegate.onConnect = { link = $0.id }
            self.controller.connect(handle, peer: DeviceAddress(UInt64(handle), kind: .public), role: .peripheral)
            self.loop.run()
            return link
        }

        /// Leaves within a second.
        func shutDown() {
            let before = self.ends
            self.host.detachGracefully(within: .seconds(1)) { self.ends += 1 }
            #expect(self.ends == before, "nothing is called re-entrantly")
            self.loop.run()
        }

        /// The handle and the reason of the last link that was ended.
        func disconnected() throws -> Disconnect {
            var parameters = try #require(self.controller.parameters[Disconnect.opcode])
            return try Disconnect(parsing: &parameters)
        }
    }

    @Test("advertising, scanning, what is pending and links end; then the controller is let go")
    func everythingEnds() throws {
        let testbed = Testbed()
        testbed.start()
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        testbed.host.startScanning(ScanParameters())
        testbed.host.connect(to: DeviceAddress(0x99, kind: .public))
        testbed.loop.run()
        #expect(testbed.connect(0x40) != nil)
        // The link took the place of the advertising, which began again.
        testbed.loop.run()
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
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.loop.run()
        #expect(!testbed.controller.isClosed, "the pending connection has not ended yet")
        testbed.controller.failConnection(.unknownConnectionIdentifier)
        testbed.loop.run()
        #expect(testbed.controller.isClosed)
        #expect(testbed.host.state == .detached)
        #expect(testbed.ends == 1)
        testbed.loop.advanceTime(by: .seconds(5))
        #expect(testbed.ends == 1)
    }

    @Test("a link that comes during a graceful shutdown is ended, too")
    func lateLink() throws {
        let testbed = Testbed()
        testbed.start()
        #expect(testbed.connect(0x40) != nil)
        testbed.shutDown()
        #expect(testbed.connect(0x41) != nil)
        #expect(try testbed.disconnected().handle.rawValue == 0x41)
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.loop.run()
        #expect(!testbed.controller.isClosed)
        testbed.controller.disconnect(0x41, reason: .localHostTerminated)
        testbed.loop.run()
        #expect(testbed.controller.isClosed)
        #expect(testbed.ends == 1)
    }

    @Test("what waits on a link is sent before it is ended")
    func dataIsSentFirst() throws {
        let testbed = Testbed()
        // As btvirt has it; the peer would never get the second value.
        testbed.controller.packetCount = 1
        testbed.start()
        let link = try #require(testbed.connect(0x40))
        for octet in UInt8(1)...2 {
            testbed.host.writeWithoutResponse(ByteBuffer(bytes: [octet]), to: 3, on: link)
        }
        testbed.shutDown()
        #expect(testbed.controller.takeData().count == 1)
        testbed.controller.complete(0x40, count: 1)
        testbed.loop.run()
        #expect(testbed.controller.takeData().count == 1)
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil, "the controller has not sent it yet")
        testbed.controller.complete(0x40, count: 1)
        testbed.loop.run()
        #expect(try testbed.disconnected().handle.rawValue == 0x40)
    }

    @Test("a peer that takes nothing is waited for half of the time, a link that does not end for all of it")
    func limit() throws {
        let testbed = Testbed()
        testbed.start()
        let link = try #require(testbed.connect(0x40))
        testbed.host.writeWithoutResponse(ByteBuffer(bytes: [1]), to: 3, on: link)
        testbed.shutDown()
        testbed.loop.advanceTime(by: .milliseconds(499))
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil)
        testbed.loop.advanceTime(by: .milliseconds(1))
        #expect(try testbed.disconnected().handle.rawValue == 0x40)
        testbed.loop.advanceTime(by: .milliseconds(499))
        #expect(!testbed.controller.isClosed)
        testbed.loop.advanceTime(by: .milliseconds(1))
        #expect(testbed.controller.isClosed)
        #expect(testbed.ends == 1)
    }

    @Test("nothing is waited for without a controller, or with one that has just been reset")
    func nothingToEnd() {
        let testbed = Testbed()
        testbed.shutDown()
        #expect(testbed.ends == 1)
        testbed.controller.silent = [Reset.opcode]
        testbed.start()
        #expect(testbed.host.state == .starting)
        testbed.shutDown()
        #expect(testbed.controller.isClosed)
        #expect(testbed.ends == 2)
    }

    @Test("a controller that goes meanwhile ends the shutdown")
    func lostController() {
        let testbed = Testbed()
        testbed.start()
        #expect(testbed.connect(0x40) != nil)
        testbed.shutDown()
        testbed.controller.fail("pulled out")
        testbed.loop.run()
        #expect(testbed.ends == 1)
        testbed.loop.advanceTime(by: .seconds(5))
        #expect(testbed.ends == 1)
    }
}
