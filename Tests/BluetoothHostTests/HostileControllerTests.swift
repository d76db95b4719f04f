// What the host makes of controllers that are poor or broken, in virtual time. Each case says what comes of it: the
// controller is used for what it has, or closed with one line, and nothing waits for ever.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Hostile and poor controllers")
struct HostileControllerTests {
    private static func device(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(0xC000_0000_0000 + number, kind: .random)
    }

    private let first = Self.device(1)
    private let second = Self.device(2)
    private let third = Self.device(3)

    // MARK: Silence

    @Test("A controller that stops answering is closed after the command's time limit and one more command")
    func stopsAnswering() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.isDead = true
        testbed.host.startScanning(ScanParameters())
        testbed.run(.milliseconds(1_990))
        #expect(testbed.host.state == .ready)
        testbed.run(.milliseconds(20))
        #expect(testbed.host.state == .ready)
        testbed.run(.milliseconds(2_000))
        guard case .failed(let reason) = testbed.host.state else {
            Issue.record("the host is \(testbed.host.state)")
            return
        }
        #expect(reason.hasPrefix("the controller has stopped answering"))
        #expect(testbed.controller.isClosed)
        let lines = testbed.delegate.takeLines()
        #expect(lines.contains("disconnected \(self.first) 8"))
        #expect(lines.last == "state failed(\"\(reason)\")" || lines.contains("state failed(\"\(reason)\")"))
    }

    @Test("A controller that answers Reset and nothing else is not used, and found out in two commands' time")
    func answersResetAlone() {
        let testbed = HostTestbed.started { $0.answersOnly = [Reset.opcode] }
        #expect(testbed.host.state == .starting)
        testbed.run(.seconds(4) + .milliseconds(10))
        guard case .failed(let reason) = testbed.host.state else {
            Issue.record("the host is \(testbed.host.state)")
            return
        }
        #expect(reason.hasPrefix("the controller has stopped answering"))
    }

    @Test("A command that is never answered costs its own time alone; the controller is asked once and goes on")
    func oneSilentCommand() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.silent = [ReadRSSI.opcode]
        guard let link = testbed.host.links.first?.id else {
            Issue.record("there is no link")
            return
        }
        var result: Result<RSSI?, LEHostError>?
        testbed.host.readRSSI(of: link) { result = $0 }
        testbed.run(.milliseconds(2_010))
        #expect(result == .failure(.unanswered))
        #expect(testbed.controller.takeCommands() == [ReadRSSI.opcode, ReadBDADDR.opcode])
        testbed.run(.seconds(10))
        #expect(testbed.host.state == .ready)
        #expect(testbed.controller.takeCommands().isEmpty)
    }

    @Test("A controller that allows no command any more is sent one nevertheless after a while")
    func allowsNothing() {
        let testbed = HostTestbed.started()
        // Zero commands allowed, with an answer to nothing.
        testbed.controller.deliver(CommandComplete(numberOfCommandPackets: 0, opcode: .none).packet())
        testbed.run()
        testbed.host.startScanning(ScanParameters())
        testbed.run(.milliseconds(1_900))
        #expect(testbed.controller.takeCommands().isEmpty)
        testbed.run(.milliseconds(200))
        #expect(testbed.controller.takeCommands() == [LESetScanParameters.opcode, LESetScanEnable.opcode])
        #expect(testbed.host.state == .ready)
    }

    @Test("A connection whose cancellation is never reported does not keep the next one waiting")
    func cancelWithoutEvent() {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.first)
        testbed.run()
        testbed.host.cancelConnection(to: self.first)
        testbed.host.connect(to: self.second)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode, LECreateConnectionCancel.opcode])
        testbed.run(.milliseconds(1_900))
        #expect(testbed.controller.takeCommands().isEmpty)
        testbed.run(.milliseconds(200))
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
        testbed.controller.connect(0x40, peer: self.second, role: .central)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["connected \(self.second) central"])
    }

    @Test("What was awaited of a controller is awaited no longer when it is gone")
    func cancelOfAnEarlierController() {
        let testbed = HostTestbed.started { $0.acceptListSize = 1 }
        testbed.host.connect(to: self.first)
        testbed.run()
        testbed.host.cancelConnection(to: self.first)
        testbed.host.connect(to: self.second)
        testbed.host.connect(to: self.first)
        testbed.run()
        #expect(testbed.host.cancelDeadline != nil)
        #expect(testbed.host.rotationDeadline != nil)
        testbed.controller.fail("unplugged")
        testbed.run()
        #expect(testbed.host.cancelDeadline == nil)
        #expect(testbed.host.rotationDeadline == nil)
    }

    @Test("A link whose end is never reported ends by itself after the longest supervision timeout")
    func disconnectWithoutEvent() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.dataIsAnswered = true
        guard let link = testbed.host.links.first?.id else {
            Issue.record("there is no link")
            return
        }
        testbed.host.disconnect(link)
        testbed.run(.seconds(34))
        let before = testbed.delegate.takeLines()
        testbed.run(.seconds(2))
        let ends = (before + testbed.delegate.takeLines()).filter { $0.hasPrefix("disconnected") }
        #expect(ends.count == 1)
        #expect(testbed.host.links.isEmpty)
        #expect(testbed.host.state == .ready)
    }

    // MARK: Resets and floods

    @Test("A controller that resets by itself is closed, and its links end")
    func resetsItself() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.deliver(CommandComplete.packet(Reset.self, .init(status: .success)))
        testbed.run()
        #expect(testbed.host.state == .failed("the controller has reset itself"))
        #expect(testbed.delegate.takeLines().contains("disconnected \(self.first) 8"))
    }

    @Test("Events for unknown handles cause no command and no call")
    func unknownHandles() {
        let testbed = HostTestbed.started()
        let handle = ConnectionHandle(rawValue: 0x0777)
        for _ in 0..<1_000 {
            testbed.controller.deliver(
                LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet()
            )
            testbed.controller.disconnect(0x0777, reason: .connectionTimeout)
            testbed.controller.complete(0x0777, count: 0xFFFF)
            testbed.controller.receive(0x0777, channel: 4, [0x0A, 0x01, 0x00])
        }
        testbed.run()
        #expect(testbed.controller.takeCommands().isEmpty)
        #expect(testbed.controller.takeData().isEmpty)
        #expect(testbed.delegate.takeLines().isEmpty)
        #expect(testbed.host.state == .ready)
    }

    @Test("A controller that asks for keys without end does not fill the memory with answers")
    func flood() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.silent = [LELongTermKeyRequestNegativeReply.opcode]
        let handle = ConnectionHandle(rawValue: 0x40)
        for _ in 0..<10_000 {
            testbed.controller.deliver(
                LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet()
            )
        }
        testbed.run()
        #expect(testbed.host.commands.waitingCount <= 64)
    }

    @Test("A handle that is given ten thousand times is one link at a time")
    func manyConnections() {
        let testbed = HostTestbed.started()
        for number in 0..<10_000 {
            testbed.controller.connect(0x40, peer: Self.device(UInt64(number)), role: .peripheral)
        }
        testbed.run()
        #expect(testbed.host.links.count == 1)
    }

    // MARK: Poor controllers

    @Test("A controller with one link keeps it: another connection fails alone")
    func oneLink() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.refused[LECreateConnection.opcode] = .connectionLimitExceeded
        testbed.host.connect(to: self.second)
        testbed.run()
        #expect(
            testbed.delegate.takeLines() == ["failed \(self.second) \(HCIErrorCode.connectionLimitExceeded.rawValue)"]
        )
        #expect(testbed.host.links.map(\.peer) == [self.first])
    }

    @Test("A controller that cannot scan and initiate at once connects first and scans afterwards")
    func scanOrInitiate() {
        let testbed = HostTestbed.started()
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        _ = testbed.controller.takeCommands()
        testbed.controller.refused[LECreateConnection.opcode] = .commandDisallowed
        testbed.host.connect(to: self.first)
        // The refusal is over as soon as scanning is.
        testbed.controller.whenCommanded = { controller, opcode in
            if opcode == LESetScanEnable.opcode { controller.refused[LECreateConnection.opcode] = nil }
        }
        testbed.run()
        #expect(
            testbed.controller.takeCommands() == [
                LECreateConnection.opcode, LESetScanEnable.opcode, LECreateConnection.opcode,
            ]
        )
        #expect(testbed.delegate.takeLines().isEmpty)
        testbed.controller.connect(0x40, peer: self.first, role: .central)
        testbed.run()
        #expect(testbed.delegate.takeLines().first == "connected \(self.first) central")
        let after = testbed.controller.takeCommands()
        #expect(after.contains(LESetScanParameters.opcode))
        #expect(after.contains(LESetScanEnable.opcode))
    }

    @Test("A scan that a controller refuses beside a connection is tried again when that has ended")
    func scanAfterLink() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.refused[LESetScanParameters.opcode] = .commandDisallowed
        testbed.host.startScanning(ScanParameters())
        testbed.run(.seconds(5))
        #expect(testbed.controller.takeCommands().filter { $0 == LESetScanParameters.opcode }.count == 1)
        testbed.controller.refused = [:]
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(testbed.controller.takeCommands().contains(LESetScanEnable.opcode))
    }

    @Test("With an accept list of one entry, devices that are away do not keep others waiting for ever")
    func rotation() {
        let testbed = HostTestbed.started { $0.acceptListSize = 1 }
        for device in [self.first, self.second, self.third] { testbed.host.connect(to: device) }
        testbed.controller.whenCommanded = { controller, opcode in
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
        testbed.run(.seconds(16))
        // Each of the three had its turn, and none has failed.
        let peers = testbed.controller.createdPeers
        #expect(Array(peers.prefix(4)) == [self.first, self.second, self.third, self.first])
        #expect(testbed.delegate.takeLines().isEmpty)
    }

    @Test("A device that was connected with the parameters of another one gets its own, the usual ones too")
    func parametersOfAnother() throws {
        let testbed = HostTestbed.started()
        let slow = ConnectionParameters(
            minimumInterval: ConnectionInterval(.milliseconds(100)),
            maximumInterval: ConnectionInterval(.milliseconds(100)),
            supervisionTimeout: SupervisionTimeout(.seconds(2))
        )
        testbed.host.connect(to: self.first, parameters: slow)
        testbed.host.connect(to: self.second)
        testbed.run()
        var octets = try #require(testbed.controller.parameters[LECreateConnection.opcode])
        #expect(try LECreateConnection(parsing: &octets).parameters == slow)
        testbed.controller.connect(0x40, peer: self.second, role: .central, interval: slow.minimumInterval)
        testbed.run()
        octets = try #require(testbed.controller.parameters[LEConnectionUpdate.opcode])
        #expect(
            try LEConnectionUpdate(parsing: &octets)
                == LEConnectionUpdate(handle: ConnectionHandle(rawValue: 0x40), parameters: .initial)
        )
    }

    @Test("Commands that a controller says it does not know are not sent to it")
    func supportedCommands() {
        var known = SupportedCommands([
            Reset.self, ReadBDADDR.self, LEReadLocalSupportedFeatures.self, LEReadBufferSize.self,
            LECreateConnection.self, LESetDataLength.self,
        ])
        let testbed = HostTestbed.started { controller in
            controller.supportedCommands = known
            controller.features = [.dataPacketLengthExtension, .phy2M]
        }
        #expect(testbed.host.state == .ready)
        testbed.host.connect(to: self.first)
        testbed.run()
        testbed.controller.connect(0x40, peer: self.first, role: .central)
        testbed.run()
        var commands = testbed.controller.takeCommands()
        #expect(commands.contains(LESetDataLength.opcode))
        #expect(!commands.contains(LESetPHY.opcode))

        // A list without Reset is no list: all is tried.
        known.remove(Reset.self)
        let other = HostTestbed.started { controller in
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

    @Test("64 answers wait for a controller that takes none, and no more")
    func waitingAnswers() {
        for (count, waiting) in [(1, 0), (2, 1), (64, 63), (65, 64), (66, 64), (200, 64)] {
            let testbed = HostTestbed.started()
            testbed.connect(0x40, self.first)
            testbed.controller.silent = [LELongTermKeyRequestNegativeReply.opcode]
            for _ in 0..<count {
                testbed.controller.deliver(
                    LELongTermKeyRequest(handle: ConnectionHandle(rawValue: 0x40), random: 0, encryptedDiversifier: 0)
                        .packet()
                )
            }
            testbed.run()
            #expect(testbed.host.commands.waitingCount == waiting, "\(count)")
        }
    }
}
