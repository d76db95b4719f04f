// What the host makes of controllers that are poor or broken, in virtual time. Each case says what comes of it: the
// controller is used for what it has, or given up with one line, and nothing waits for ever.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Hostile and poor controllers")
struct HostileControllerTests {
    private final class Scene {
        let loop = EmbeddedEventLoop()
        let controller: ScriptedController
        let host: LEHost
        let delegate = RecordingDelegate()

        init(_ prepare: (ScriptedController) -> Void = { _ in }) {
            self.controller = ScriptedController(eventLoop: self.loop)
            self.host = LEHost(eventLoop: self.loop)
            self.host.delegate = self.delegate
            prepare(self.controller)
            self.host.attach(to: self.controller)
            self.loop.advanceTime(by: .milliseconds(1))
            _ = self.controller.takeCommands()
            _ = self.delegate.takeLines()
        }

        func run(_ time: TimeAmount = .milliseconds(1)) { self.loop.advanceTime(by: time) }

        /// Connects as a central.
        func connect(_ handle: UInt16, _ peer: DeviceAddress) {
            self.host.connect(to: peer)
            self.run()
            self.controller.connect(handle, peer: peer, role: .central)
            self.run()
            _ = self.controller.takeCommands()
            _ = self.delegate.takeLines()
        }
    }

    private static func device(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(0xC000_0000_0000 + number, kind: .random)
    }

    private let first = Self.device(1)
    private let second = Self.device(2)
    private let third = Self.device(3)

    // MARK: Silence

    @Test("A controller that stops answering is given up after the command's time and one question")
    func stopsAnswering() {
        let scene = Scene()
        scene.connect(0x40, self.first)
        scene.controller.isDead = true
        scene.host.startScanning(ScanRequest())
        scene.run(.milliseconds(1_990))
        #expect(scene.host.state == .ready)
        scene.run(.milliseconds(20))
        #expect(scene.host.state == .ready)
        scene.run(.milliseconds(2_000))
        guard case .failed(let reason) = scene.host.state else {
            Issue.record("the host is \(scene.host.state)")
            return
        }
        #expect(reason.hasPrefix("the controller has stopped answering"))
        #expect(scene.controller.isClosed)
        let lines = scene.delegate.takeLines()
        #expect(lines.contains("disconnected \(self.first) 8"))
        #expect(lines.last == "state failed(\"\(reason)\")" || lines.contains("state failed(\"\(reason)\")"))
    }

    @Test("A controller that answers Reset and nothing else is not used, and found out in two commands' time")
    func answersResetAlone() {
        let scene = Scene { controller in controller.answersOnly = [Reset.opcode] }
        #expect(scene.host.state == .starting)
        scene.run(.seconds(4) + .milliseconds(10))
        guard case .failed(let reason) = scene.host.state else {
            Issue.record("the host is \(scene.host.state)")
            return
        }
        #expect(reason.hasPrefix("the controller has stopped answering"))
    }

    @Test("A command that is never answered costs its own time alone; the controller is asked once and goes on")
    func oneSilentCommand() {
        let scene = Scene()
        scene.connect(0x40, self.first)
        scene.controller.silent = [ReadRSSI.opcode]
        guard let link = scene.host.links.first?.id else {
            Issue.record("there is no link")
            return
        }
        var result: Result<Int8, GATTError>?
        scene.host.readRSSI(of: link) { result = $0 }
        scene.run(.milliseconds(2_010))
        #expect(result != nil)
        if case .success? = result { Issue.record("an answer that nobody gave") }
        #expect(scene.controller.takeCommands() == [ReadRSSI.opcode, ReadBDADDR.opcode])
        scene.run(.seconds(10))
        #expect(scene.host.state == .ready)
        #expect(scene.controller.takeCommands().isEmpty)
    }

    @Test("A controller that allows no command any more is sent one nevertheless after a while")
    func allowsNothing() {
        let scene = Scene()
        // Zero commands allowed, with an answer to nothing.
        scene.controller.deliver(CommandComplete(numberOfCommandPackets: 0, opcode: .none).packet())
        scene.run()
        scene.host.startScanning(ScanRequest())
        scene.run(.milliseconds(1_900))
        #expect(scene.controller.takeCommands().isEmpty)
        scene.run(.milliseconds(200))
        #expect(scene.controller.takeCommands() == [LESetScanParameters.opcode, LESetScanEnable.opcode])
        #expect(scene.host.state == .ready)
    }

    @Test("A connection whose cancellation is never told of does not keep the next one waiting")
    func cancelWithoutEvent() {
        let scene = Scene()
        scene.host.connect(to: self.first)
        scene.run()
        scene.host.cancelConnection(to: self.first)
        scene.host.connect(to: self.second)
        scene.run()
        #expect(scene.controller.takeCommands() == [LECreateConnection.opcode, LECreateConnectionCancel.opcode])
        scene.run(.milliseconds(1_900))
        #expect(scene.controller.takeCommands().isEmpty)
        scene.run(.milliseconds(200))
        #expect(scene.controller.takeCommands() == [LECreateConnection.opcode])
        scene.controller.connect(0x40, peer: self.second, role: .central)
        scene.run()
        #expect(scene.delegate.takeLines() == ["connected \(self.second) central"])
    }

    @Test("A link whose end is never told of ends by itself after the longest supervision timeout")
    func disconnectWithoutEvent() {
        let scene = Scene()
        scene.connect(0x40, self.first)
        scene.controller.dataIsAnswered = true
        guard let link = scene.host.links.first?.id else {
            Issue.record("there is no link")
            return
        }
        scene.host.disconnect(link)
        scene.run(.seconds(34))
        let before = scene.delegate.takeLines()
        scene.run(.seconds(2))
        let ends = (before + scene.delegate.takeLines()).filter { $0.hasPrefix("disconnected") }
        #expect(ends.count == 1)
        #expect(scene.host.links.isEmpty)
        #expect(scene.host.state == .ready)
    }

    // MARK: Resets and floods

    @Test("A controller that resets by itself is given up, and its links with it")
    func resetsItself() {
        let scene = Scene()
        scene.connect(0x40, self.first)
        scene.controller.deliver(CommandComplete.packet(Reset.self, .init(status: .success)))
        scene.run()
        #expect(scene.host.state == .failed("the controller has reset itself"))
        #expect(scene.delegate.takeLines().contains("disconnected \(self.first) 8"))
    }

    @Test("Events for handles that nobody knows cause no command and no call")
    func unknownHandles() {
        let scene = Scene()
        let handle = ConnectionHandle(rawValue: 0x0777)
        for _ in 0..<1_000 {
            scene.controller.deliver(
                LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet()
            )
            scene.controller.disconnect(0x0777, reason: .connectionTimeout)
            scene.controller.complete(0x0777, count: 0xFFFF)
            scene.controller.receive(0x0777, channel: 4, [0x0A, 0x01, 0x00])
        }
        scene.run()
        #expect(scene.controller.takeCommands().isEmpty)
        #expect(scene.controller.takeData().isEmpty)
        #expect(scene.delegate.takeLines().isEmpty)
        #expect(scene.host.state == .ready)
    }

    @Test("A controller that asks for keys without end does not fill the memory with answers")
    func flood() {
        let scene = Scene()
        scene.connect(0x40, self.first)
        scene.controller.silent = [LELongTermKeyRequestNegativeReply.opcode]
        let handle = ConnectionHandle(rawValue: 0x40)
        for _ in 0..<10_000 {
            scene.controller.deliver(
                LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet()
            )
        }
        scene.run()
        #expect(scene.host.commands.waitingCount <= 64)
    }

    @Test("A handle that is given ten thousand times is one link at a time")
    func manyConnections() {
        let scene = Scene()
        for number in 0..<10_000 {
            scene.controller.connect(0x40, peer: Self.device(UInt64(number)), role: .peripheral)
        }
        scene.run()
        #expect(scene.host.links.count == 1)
    }

    // MARK: Poor controllers

    @Test("A controller with one link keeps it: another connection fails alone")
    func oneLink() {
        let scene = Scene()
        scene.connect(0x40, self.first)
        scene.controller.refused[LECreateConnection.opcode] = .connectionLimitExceeded
        scene.host.connect(to: self.second)
        scene.run()
        #expect(
            scene.delegate.takeLines() == ["failed \(self.second) \(HCIErrorCode.connectionLimitExceeded.rawValue)"]
        )
        #expect(scene.host.links.map(\.peer) == [self.first])
    }

    @Test("A controller that cannot scan and initiate at once connects first and scans afterwards")
    func scanOrInitiate() {
        let scene = Scene()
        scene.host.startScanning(ScanRequest())
        scene.run()
        _ = scene.controller.takeCommands()
        scene.controller.refused[LECreateConnection.opcode] = .commandDisallowed
        scene.host.connect(to: self.first)
        // The refusal is over as soon as scanning is.
        scene.controller.whenCommanded = { controller, opcode in
            if opcode == LESetScanEnable.opcode { controller.refused[LECreateConnection.opcode] = nil }
        }
        scene.run()
        #expect(
            scene.controller.takeCommands() == [
                LECreateConnection.opcode, LESetScanEnable.opcode, LECreateConnection.opcode,
            ]
        )
        #expect(scene.delegate.takeLines().isEmpty)
        scene.controller.connect(0x40, peer: self.first, role: .central)
        scene.run()
        #expect(scene.delegate.takeLines().first == "connected \(self.first) central")
        let after = scene.controller.takeCommands()
        #expect(after.contains(LESetScanParameters.opcode))
        #expect(after.contains(LESetScanEnable.opcode))
    }

    @Test("A scan that a controller refuses beside a connection is tried again when that has ended")
    func scanAfterLink() {
        let scene = Scene()
        scene.connect(0x40, self.first)
        scene.controller.refused[LESetScanParameters.opcode] = .commandDisallowed
        scene.host.startScanning(ScanRequest())
        scene.run(.seconds(5))
        #expect(scene.controller.takeCommands().filter { $0 == LESetScanParameters.opcode }.count == 1)
        scene.controller.refused = [:]
        scene.controller.disconnect(0x40, reason: .remoteUserTerminated)
        scene.run()
        #expect(scene.controller.takeCommands().contains(LESetScanEnable.opcode))
    }

    @Test("With an accept list of one entry, devices that are away do not keep others waiting for ever")
    func rotation() {
        let scene = Scene { controller in controller.acceptListSize = 1 }
        for device in [self.first, self.second, self.third] { scene.host.connect(to: device) }
        scene.controller.whenCommanded = { controller, opcode in
            guard opcode == LECreateConnectionCancel.opcode else { return }
            controller.deliver(
                LEConnectionComplete(
                    status: .unknownConnectionIdentifier,
                    handle: ConnectionHandle(rawValue: 0),
                    role: .central,
                    peer: .none,
                    interval: ConnectionInterval(rawValue: 0),
                    latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: 0),
                    centralClockAccuracy: ClockAccuracy(rawValue: 0)
                ).packet()
            )
        }
        scene.run(.seconds(16))
        // Each of the three had its turn, and none has failed.
        let peers = scene.controller.createdPeers
        #expect(Array(peers.prefix(4)) == [self.first, self.second, self.third, self.first])
        #expect(scene.delegate.takeLines().isEmpty)
    }

    @Test("Commands that a controller says it does not know are not sent to it")
    func supportedCommands() {
        var known = SupportedCommands([
            Reset.self, ReadBDADDR.self, LEReadLocalSupportedFeatures.self, LEReadBufferSize.self,
            LECreateConnection.self, LESetDataLength.self,
        ])
        let scene = Scene { controller in
            controller.supportedCommands = known
            controller.features = [.dataPacketLengthExtension, .phy2M]
        }
        #expect(scene.host.state == .ready)
        scene.host.connect(to: self.first)
        scene.run()
        scene.controller.connect(0x40, peer: self.first, role: .central)
        scene.run()
        var commands = scene.controller.takeCommands()
        #expect(commands.contains(LESetDataLength.opcode))
        #expect(!commands.contains(LESetPHY.opcode))

        // A list without Reset is no list: all is tried.
        known.remove(Reset.self)
        let other = Scene { controller in
            controller.supportedCommands = known
            controller.features = [.phy2M]
        }
        other.host.connect(to: self.first)
        other.run()
        other.controller.connect(0x40, peer: self.first, role: .central)
        other.run()
        commands = other.controller.takeCommands()
        #expect(commands.contains(LESetPHY.opcode))
    }
}
