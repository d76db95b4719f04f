// A host that takes leave of a scripted controller: what is stopped and ended, what is sent first, and how long that may
// take at most.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Leaving a controller")
struct LeavingTests {
    private final class Scene {
        let loop = EmbeddedEventLoop()
        let controller: ScriptedController
        let host: LEHost
        let delegate = RecordingDelegate()
        /// How often the end of leaving was told.
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
        func leave() {
            let before = self.ends
            self.host.detachGracefully(within: .seconds(1)) { self.ends += 1 }
            #expect(self.ends == before, "nobody is called from inside his own call")
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
        let scene = Scene()
        scene.start()
        scene.host.startAdvertising(AdvertisingRequest(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        scene.host.startScanning(ScanRequest())
        scene.host.connect(to: DeviceAddress(0x99, kind: .public))
        scene.loop.run()
        #expect(scene.connect(0x40) != nil)
        // The link took the place of the advertising, which began again.
        scene.loop.run()
        _ = scene.controller.takeCommands()

        scene.leave()
        let commands = scene.controller.takeCommands()
        #expect(
            Set(commands) == [
                Disconnect.opcode, LESetAdvertisingEnable.opcode, LESetScanEnable.opcode,
                LECreateConnectionCancel.opcode,
            ]
        )
        for opcode in [LESetAdvertisingEnable.opcode, LESetScanEnable.opcode] {
            #expect(scene.controller.parameters[opcode]?.readableBytesView.first == 0)
        }
        #expect(try scene.disconnected().handle.rawValue == 0x40)
        #expect(try scene.disconnected().reason == .remoteUserTerminated)
        #expect(!scene.controller.isClosed, "the link has not ended yet")
        scene.controller.disconnect(0x40, reason: .localHostTerminated)
        scene.loop.run()
        #expect(!scene.controller.isClosed, "the pending connection has not ended yet")
        scene.controller.failConnection(.unknownConnectionIdentifier)
        scene.loop.run()
        #expect(scene.controller.isClosed)
        #expect(scene.host.state == .detached)
        #expect(scene.ends == 1)
        scene.loop.advanceTime(by: .seconds(5))
        #expect(scene.ends == 1)
    }

    @Test("a link that comes while the host leaves is ended, too")
    func lateLink() throws {
        let scene = Scene()
        scene.start()
        #expect(scene.connect(0x40) != nil)
        scene.leave()
        #expect(scene.connect(0x41) != nil)
        #expect(try scene.disconnected().handle.rawValue == 0x41)
        scene.controller.disconnect(0x40, reason: .localHostTerminated)
        scene.loop.run()
        #expect(!scene.controller.isClosed)
        scene.controller.disconnect(0x41, reason: .localHostTerminated)
        scene.loop.run()
        #expect(scene.controller.isClosed)
        #expect(scene.ends == 1)
    }

    @Test("what waits on a link is sent before it is ended")
    func dataIsSentFirst() throws {
        let scene = Scene()
        // As btvirt has it; the peer would never get the second value.
        scene.controller.packetCount = 1
        scene.start()
        let link = try #require(scene.connect(0x40))
        for octet in UInt8(1)...2 {
            scene.host.writeWithoutResponse(ByteBuffer(bytes: [octet]), to: 3, on: link)
        }
        scene.leave()
        #expect(scene.controller.takeData().count == 1)
        scene.controller.complete(0x40, count: 1)
        scene.loop.run()
        #expect(scene.controller.takeData().count == 1)
        #expect(scene.controller.parameters[Disconnect.opcode] == nil, "the controller has not sent it yet")
        scene.controller.complete(0x40, count: 1)
        scene.loop.run()
        #expect(try scene.disconnected().handle.rawValue == 0x40)
    }

    @Test("a peer that takes nothing is waited for half of the time, a link that does not end for all of it")
    func limit() throws {
        let scene = Scene()
        scene.start()
        let link = try #require(scene.connect(0x40))
        scene.host.writeWithoutResponse(ByteBuffer(bytes: [1]), to: 3, on: link)
        scene.leave()
        scene.loop.advanceTime(by: .milliseconds(499))
        #expect(scene.controller.parameters[Disconnect.opcode] == nil)
        scene.loop.advanceTime(by: .milliseconds(1))
        #expect(try scene.disconnected().handle.rawValue == 0x40)
        scene.loop.advanceTime(by: .milliseconds(499))
        #expect(!scene.controller.isClosed)
        scene.loop.advanceTime(by: .milliseconds(1))
        #expect(scene.controller.isClosed)
        #expect(scene.ends == 1)
    }

    @Test("nothing is waited for without a controller, or with one that has just been reset")
    func nothingToEnd() {
        let scene = Scene()
        scene.leave()
        #expect(scene.ends == 1)
        scene.controller.silent = [Reset.opcode]
        scene.start()
        #expect(scene.host.state == .starting)
        scene.leave()
        #expect(scene.controller.isClosed)
        #expect(scene.ends == 2)
    }

    @Test("a controller that goes meanwhile ends the leaving")
    func lostController() {
        let scene = Scene()
        scene.start()
        #expect(scene.connect(0x40) != nil)
        scene.leave()
        scene.controller.fail("pulled out")
        scene.loop.run()
        #expect(scene.ends == 1)
        scene.loop.advanceTime(by: .seconds(5))
        #expect(scene.ends == 1)
    }
}
