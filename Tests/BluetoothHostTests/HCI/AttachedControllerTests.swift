// Commands and their answers, meaningless packets, and the loss of a controller.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("LEHost: controller")
struct LEHostControllerTests {
    private typealias Strength = Result<RSSI?, LEHostError>

    private static let peers = HostTestbed.peers

    /// A host with a link, whose controller does not answer Read RSSI.
    private func measuring() throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        testbed.controller.silent = [ReadRSSI.opcode]
        testbed.forget()
        return (testbed, link)
    }

    // MARK: Answers

    @Test("takes the answer from Command Complete or the status of either event, once")
    func answers() throws {
        let handle = ConnectionHandle(rawValue: 0x40)
        let cases: [(HCIPacket, Strength)] = [
            (CommandComplete.packet(ReadRSSI.self, .init(handle: handle, rssi: -61)), .success(-61)),
            // 127: the controller does not know it.
            (CommandComplete.packet(ReadRSSI.self, .init(handle: handle, rssi: nil)), .success(nil)),
            (
                CommandComplete.packet(ReadRSSI.self, .init(status: .hardwareFailure, handle: handle)),
                .failure(.refused(.hardwareFailure))
            ),
            (
                CommandComplete(opcode: ReadRSSI.opcode, returnParameters: ByteBuffer(bytes: [0x0C])).packet(),
                .failure(.refused(.commandDisallowed))
            ),
            (
                CommandComplete(opcode: ReadRSSI.opcode, returnParameters: ByteBuffer(bytes: [0x00])).packet(),
                .failure(.malformedAnswer)
            ),
            (
                CommandStatus(status: .unknownConnectionIdentifier, opcode: ReadRSSI.opcode).packet(),
                .failure(.refused(.unknownConnectionIdentifier))
            ),
            (CommandStatus(status: .success, opcode: ReadRSSI.opcode).packet(), .failure(.malformedAnswer)),
        ]
        for (packet, expected) in cases {
            let (testbed, link) = try self.measuring()
            var results: [Strength] = []
            testbed.host.readRSSI(of: link) { results.append($0) }
            testbed.run()
            #expect(results.isEmpty)
            testbed.controller.deliver(packet)
            testbed.controller.deliver(packet)
            testbed.run()
            #expect(results == [expected], "an unexpected answer is ignored")
            #expect(testbed.host.state == .ready)
        }
    }

    @Test("reports a command as unanswered after the configured time, then probes the controller")
    func timeout() throws {
        let testbed = HostTestbed.started(LEHostConfiguration(commandTimeout: .milliseconds(700)))
        let link = try #require(testbed.acceptLink(0x40))
        testbed.controller.silent = [ReadRSSI.opcode]
        testbed.run(.seconds(3))
        testbed.forget()
        var results: [Strength] = []
        testbed.host.readRSSI(of: link) { results.append($0) }
        testbed.run(.milliseconds(700) - .nanoseconds(1))
        #expect(results.isEmpty && testbed.controller.takeCommands() == [ReadRSSI.opcode])
        testbed.run(.nanoseconds(1))
        #expect(results == [.failure(.unanswered)] && testbed.controller.takeCommands() == [ReadBDADDR.opcode])
    }

    @Test("probes a dead controller once, however many commands are overdue")
    func probedOnce() throws {
        let (testbed, link) = try self.measuring()
        testbed.controller.silent.insert(ReadBDADDR.opcode)
        testbed.host.readRSSI(of: link) { _ in }
        testbed.run(.milliseconds(500))
        testbed.host.readRSSI(of: link) { _ in }
        testbed.run(.milliseconds(3_400))
        #expect(testbed.controller.takeCommands().filter { $0 == ReadBDADDR.opcode }.count == 1)
    }

    @Test("keeps a controller that refuses the probe or answers it with malformed octets")
    func refusedProbe() throws {
        for status in [HCIErrorCode.unknownCommand, .hardwareFailure] {
            let (testbed, link) = try self.measuring()
            testbed.controller.refused[ReadBDADDR.opcode] = status
            testbed.host.readRSSI(of: link) { _ in }
            testbed.run(.seconds(10))
            #expect(testbed.host.state == .ready)
        }
        let (testbed, link) = try self.measuring()
        testbed.controller.silent.insert(ReadBDADDR.opcode)
        testbed.host.readRSSI(of: link) { _ in }
        testbed.run(.seconds(2))
        #expect(testbed.controller.takeCommands().last == ReadBDADDR.opcode)
        testbed.controller.deliver(
            CommandComplete(opcode: ReadBDADDR.opcode, returnParameters: ByteBuffer(bytes: [0, 1])).packet()
        )
        testbed.run(.seconds(10))
        #expect(testbed.host.state == .ready)
    }

    @Test("keeps the link after a failed disconnection, and ignores packets that no controller sends")
    func failedDisconnection() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        testbed.controller.deliver(
            DisconnectionComplete(
                status: .commandDisallowed,
                handle: ConnectionHandle(rawValue: 0x40),
                reason: .remoteUserTerminated
            ).packet()
        )
        // Synchronous data, and a command, which no controller sends.
        for octets in ["03 40 00 02 AA BB", "01 03 0C 00", "04", "04 13 05 01 40"] {
            testbed.controller.deliver(HCIPacket(h4: hex(octets)))
        }
        testbed.run()
        #expect(testbed.host.links.map(\.id) == [link] && testbed.delegate.takeLines() == [])
        #expect(testbed.host.state == .ready && testbed.controller.takeCommands() == [])
    }

    // MARK: The loss of a controller

    /// How a controller is lost.
    enum Loss: String, CaseIterable {
        case detached
        case closed
        case failed

        var state: LEHostState {
            switch self {
            case .detached: .detached
            case .closed: .failed("unplugged")
            case .failed: .failed("the controller reported hardware error 1")
            }
        }
    }

    private func lose(_ testbed: HostTestbed, _ loss: Loss) {
        switch loss {
        case .detached: testbed.host.detach()
        case .closed: testbed.controller.fail("unplugged")
        case .failed: testbed.controller.deliver(HardwareError(hardwareCode: 1).packet())
        }
        testbed.run()
    }

    /// Advertises, scans, and connects to more devices than the accept list holds.
    private func useRadio(_ testbed: HostTestbed) {
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        testbed.host.startScanning(ScanParameters())
        for peer in Self.peers { testbed.host.connect(to: peer) }
        testbed.run()
    }

    @Test("sends the second controller the same commands as the first one", arguments: Loss.allCases)
    func secondController(loss: Loss) {
        var configuration = LEHostConfiguration(limitsReceivedData: true, privacy: PrivacyConfiguration())
        configuration.pairingSeed = 1
        let testbed = HostTestbed(configuration)
        func prepare(_ controller: ScriptedController) {
            controller.acceptListSize = 2
            controller.address = DeviceAddress(0xAABB, kind: .public)
            controller.features = [.privacy]
        }
        prepare(testbed.controller)
        testbed.host.bondedPeers = [BondedPeer(PrivateHost.peer)]
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        let start = testbed.controller.takeCommands()
        self.useRadio(testbed)
        let use = testbed.controller.takeCommands()
        #expect(use.contains(LECreateConnection.opcode) && use.contains(LESetAdvertisingEnable.opcode))
        #expect(start.contains(LEAddDeviceToResolvingList.opcode) && use.contains(LESetRandomAddress.opcode))
        #expect(testbed.host.radio.initiating.deadline != nil)
        #expect(Self.peers.allSatisfy { testbed.host.radio.initiating.isConnecting(to: $0) })
        // A link with a packet in the controller, and one that waits.
        testbed.controller.connect(0x40, peer: Self.peers[0], role: .central)
        testbed.run()
        self.lose(testbed, loss)
        #expect(testbed.host.radio.initiating.pending == [] && !testbed.host.radio.scanning.isWanted)
        #expect(!testbed.host.radio.advertising.isWanted && testbed.host.radio.advertising.isOff)
        #expect(testbed.host.traffic.credits == 0 && testbed.host.traffic.dataLength == 27)
        #expect(!testbed.host.limitsReceivedData && testbed.host.address == nil)
        #expect(testbed.host.radio.initiating.deadline == nil)
        #expect(!Self.peers.contains { testbed.host.radio.initiating.isConnecting(to: $0) })
        #expect(!testbed.delegate.takeLines().contains { $0.hasPrefix("failed") }, "a pending connection just ends")

        let next = ScriptedController(eventLoop: testbed.loop)
        prepare(next)
        testbed.host.attach(to: next)
        testbed.run(.seconds(120))
        #expect(next.takeCommands() == start)
        #expect(testbed.host.state == .ready && testbed.host.limitsReceivedData)
        self.useRadio(testbed)
        #expect(next.takeCommands() == use)
        next.connect(0x40, peer: Self.peers[0], role: .central)
        testbed.run()
        #expect(testbed.host.links.count == 1)
    }

    @Test(
        "reports ends of links after the loss of the controller and the removal of the link",
        arguments: Loss.allCases
    )
    func stateAtTheEndOfLinks(loss: Loss) {
        final class User: LEHostDelegate {
            var states: [LEHostState] = []
            var linkCounts: [Int] = []
            func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
                self.states.append(host.state)
                self.linkCounts.append(host.links.count)
            }
        }
        let testbed = HostTestbed.started()
        let user = User()
        testbed.use(user)
        for handle in [0x40, 0x41] as [UInt16] { _ = testbed.acceptLink(handle) }
        #expect(testbed.host.links.count == 2)
        self.lose(testbed, loss)
        #expect(user.states == [loss.state, loss.state] && user.linkCounts == [1, 0])
    }

    @Test("fails the commands and a start of advertising of a lost controller, each once", arguments: Loss.allCases)
    func openCalls(loss: Loss) throws {
        let (testbed, link) = try self.measuring()
        testbed.controller.silent.insert(LESetAdvertisingParameters.opcode)
        var (strengths, starts): ([Strength], [LEHostError?]) = ([], [])
        for _ in 0..<3 { testbed.host.readRSSI(of: link) { strengths.append($0) } }
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { result in
            if case .failure(let error) = result { starts.append(error) } else { starts.append(nil) }
        }
        testbed.run()
        #expect(strengths.isEmpty && starts.isEmpty)
        self.lose(testbed, loss)
        testbed.host.stopAdvertising()
        testbed.host.attach(to: ScriptedController(eventLoop: testbed.loop))
        testbed.run()
        #expect(strengths == Array(repeating: .failure(.controllerLost), count: 3) && starts == [.controllerLost])
    }

    @Test("detaches from a failed controller once: sends it nothing more and reports its end once")
    func failedController() {
        let testbed = HostTestbed.started()
        testbed.controller.deliver(HardwareError(hardwareCode: 3).packet())
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["state failed(\"the controller reported hardware error 3\")"])
        testbed.host.startScanning(ScanParameters())
        testbed.host.detach()
        testbed.run()
        #expect(testbed.controller.takeCommands() == [] && testbed.delegate.takeLines() == [])
        testbed.host.attach(to: ScriptedController(eventLoop: testbed.loop))
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["state starting", "state ready"])
    }

    @Test("ignores packets and the end of a former controller")
    func formerController() {
        let testbed = HostTestbed.started()
        let former = testbed.controller
        let next = ScriptedController(eventLoop: testbed.loop)
        testbed.host.attach(to: next)
        testbed.run()
        testbed.forget()
        testbed.host.receive(HardwareError(hardwareCode: 1).packet(), from: former)
        testbed.host.finishBatch(of: former)
        testbed.host.controller.closed(former, reason: "gone")
        testbed.run()
        #expect(testbed.host.state == .ready && testbed.delegate.takeLines() == [])
    }

    @Test("ignores controllers and timers after the host was deallocated")
    func hostIsGone() {
        let loop = EmbeddedEventLoop()
        let controller = ScriptedController(eventLoop: loop)
        var host: LEHost? = LEHost(eventLoop: loop)
        host?.attach(to: controller)
        loop.advanceTime(by: .seconds(1))
        #expect(host?.state == .ready)
        let isGone = { [weak host] in host == nil }
        host?.startScanning(ScanParameters())
        host = nil
        #expect(isGone())
        controller.deliver(HardwareError(hardwareCode: 1).packet())
        controller.fail("unplugged")
        loop.advanceTime(by: .seconds(100))
        #expect(!controller.commands.contains(LESetScanEnable.opcode))
    }
}
