// Commands and their answers: what is made of a refusal, of silence and of octets that are no answer, which steps of
// the start a controller's abilities call for, and events that mean nothing.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: commands and their answers")
struct LEHostControllerTests {
    private typealias Strength = Result<RSSI?, LEHostError>

    /// A host with a link, whose controller does not answer Read RSSI.
    private func measuring() throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        testbed.controller.silent = [ReadRSSI.opcode]
        testbed.forget()
        return (testbed, link)
    }

    @Test("An answer is what Command Complete carries, or the status of either event, or malformed")
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
            #expect(results == [expected], "an answer that nobody awaits means nothing")
            #expect(testbed.host.state == .ready)
        }
    }

    @Test("A command that waits when the controller goes is told that, one that is sent as one that is not")
    func lost() throws {
        let (testbed, link) = try self.measuring()
        var results: [Strength] = []
        for _ in 0..<3 { testbed.host.readRSSI(of: link) { results.append($0) } }
        testbed.run()
        testbed.host.detach()
        testbed.run()
        #expect(results == Array(repeating: .failure(.controllerLost), count: 3))
    }

    @Test("A command is unanswered after the time of the configuration, not before")
    func timeout() throws {
        let testbed = HostTestbed(LEHostConfiguration(commandTimeout: .milliseconds(700)))
        testbed.start()
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

    @Test("A controller is asked whether it is there for each command that it leaves unanswered, one after the other")
    func probedAgain() throws {
        let (testbed, link) = try self.measuring()
        for _ in 0..<3 {
            testbed.host.readRSSI(of: link) { _ in }
            testbed.run(.seconds(2))
            #expect(testbed.controller.takeCommands() == [ReadRSSI.opcode, ReadBDADDR.opcode])
            testbed.run(.seconds(5))
            #expect(testbed.controller.takeCommands() == [] && testbed.host.state == .ready)
        }
    }

    @Test("A controller that refuses the question whether it is there, or answers nonsense, is there")
    func refusedProbe() throws {
        for status in [HCIErrorCode.unknownCommand, .hardwareFailure] {
            let (testbed, link) = try self.measuring()
            testbed.controller.refused[ReadBDADDR.opcode] = status
            testbed.host.readRSSI(of: link) { _ in }
            testbed.run(.seconds(10))
            #expect(testbed.host.state == .ready && !testbed.host.isProbing)
        }
        let (testbed, link) = try self.measuring()
        testbed.controller.silent.insert(ReadBDADDR.opcode)
        testbed.host.readRSSI(of: link) { _ in }
        testbed.run(.seconds(2))
        #expect(testbed.host.isProbing)
        testbed.controller.deliver(
            CommandComplete(opcode: ReadBDADDR.opcode, returnParameters: ByteBuffer(bytes: [0, 1])).packet()
        )
        testbed.run(.seconds(10))
        #expect(testbed.host.state == .ready && !testbed.host.isProbing)
    }

    // MARK: Start

    @Test("An answer to Reset that comes twice while the controller is started is no reset by itself")
    func resetAnsweredTwice() {
        let testbed = HostTestbed()
        testbed.controller.whenCommanded = { controller, opcode in
            guard opcode == Reset.opcode else { return }
            controller.deliver(CommandComplete.packet(Reset.self, .init(status: .success)))
        }
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        #expect(testbed.host.state == .ready && testbed.delegate.lines == ["state starting", "state ready"])
    }

    @Test("An answer that nobody awaits is nothing to a controller that is ready, but for one to Reset")
    func strayAnswers() {
        for opcode in [ReadBDADDR.opcode, SetEventMask.opcode, LESetScanEnable.opcode] {
            let testbed = HostTestbed.started()
            testbed.controller.deliver(CommandComplete(opcode: opcode, returnParameters: ByteBuffer()).packet())
            testbed.controller.deliver(CommandStatus(status: .success, opcode: opcode).packet())
            testbed.run()
            #expect(testbed.host.state == .ready && testbed.delegate.takeLines() == [])
        }
    }

    @Test(
        "A controller that refuses Reset is not used, whatever it says",
        arguments: [HCIErrorCode.hardwareFailure, .unknownCommand, .commandDisallowed]
    )
    func refusedReset(status: HCIErrorCode) {
        let testbed = HostTestbed()
        testbed.controller.refused[Reset.opcode] = status
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        #expect(
            testbed.host.state == .failed("the controller does not answer HCI Reset; check that it is connected")
        )
        #expect(testbed.controller.takeCommands() == [Reset.opcode] && testbed.controller.isClosed)
    }

    @Test("The size of a resolving list is asked of a controller with privacy that knows the commands for a list")
    func resolvingListSize() {
        func isAsked(features: LEFeatures, without missing: [any HCICommand.Type] = []) -> Bool {
            let known = HCICommandTable.entries.map(\.command).filter { command in !missing.contains { $0 == command } }
            let testbed = HostTestbed()
            testbed.controller.features = features
            testbed.controller.supportedCommands = SupportedCommands(known)
            testbed.controller.resolvingListSize = 5
            testbed.host.attach(to: testbed.controller)
            testbed.run()
            let isAsked = testbed.controller.takeCommands().contains(LEReadResolvingListSize.opcode)
            #expect(testbed.host.resolvingList.capacity == (isAsked ? 5 : 0))
            return isAsked
        }
        #expect(isAsked(features: .privacy))
        #expect(!isAsked(features: []))
        let needed: [any HCICommand.Type] = [
            LEReadResolvingListSize.self, LEAddDeviceToResolvingList.self, LESetAddressResolutionEnable.self,
        ]
        for missing in needed { #expect(!isAsked(features: .privacy, without: [missing]), "\(missing)") }
        #expect(isAsked(features: .privacy, without: [LEClearResolvingList.self]))
    }

    @Test("The size of the accept list is what the controller says, also where that is nothing")
    func acceptListSize() {
        for size in [0, 1, 200] as [UInt8] {
            let testbed = HostTestbed.started { $0.acceptListSize = size }
            #expect(testbed.host.initiator.acceptListSize == Int(size))
        }
        let refusing = HostTestbed.started { $0.refused[LEReadFilterAcceptListSize.opcode] = .unknownCommand }
        #expect(refusing.host.initiator.acceptListSize == 0)
    }

    // MARK: Events

    @Test("A disconnection that failed leaves the link, and other packets of a controller are passed over")
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

    @Test("Packets that could not be read are counted, and forgotten with the controller")
    func unreadable() {
        let testbed = HostTestbed.started()
        for _ in 0..<7 { testbed.controller.deliver(HCIPacket(h4: hex("04 13 05 01 40"))) }
        testbed.controller.deliver(HCIPacket(h4: hex("02 40")))
        testbed.run()
        #expect(testbed.host.unreadablePacketCount == 8)
        testbed.host.detach()
        #expect(testbed.host.unreadablePacketCount == 0)
    }

    @Test("Completions of several links in one event count for each, also behind one of no link")
    func completionsOfSeveral() throws {
        let testbed = HostTestbed.started { $0.packetCount = 2 }
        for handle in [0x40, 0x41] as [UInt16] { _ = try #require(testbed.acceptLink(handle)) }
        for handle in [0x40, 0x41] as [UInt16] { testbed.controller.receive(handle, channel: 4, [0x0A, 0x03, 0x00]) }
        testbed.run()
        #expect(testbed.controller.takeData().count == 2 && testbed.host.transmitter.credits == 0)
        let completed = ([0x77, 0x41, 0x78, 0x40] as [UInt16]).map {
            CompletedPackets.Element(handle: ConnectionHandle(rawValue: $0), count: 1)
        }
        testbed.controller.deliver(NumberOfCompletedPackets.packet(completed))
        testbed.run()
        #expect(testbed.host.transmitter.credits == 2)
    }

    @Test("The controller's question for parameters is answered with the values of the question")
    func parameterReply() throws {
        let testbed = HostTestbed.started()
        _ = testbed.acceptLink(0x40)
        testbed.controller.deliver(
            LERemoteConnectionParameterRequest(
                handle: ConnectionHandle(rawValue: 0x40),
                minimumInterval: ConnectionInterval(rawValue: 24),
                maximumInterval: ConnectionInterval(rawValue: 40),
                latency: 3,
                supervisionTimeout: SupervisionTimeout(rawValue: 300)
            ).packet()
        )
        testbed.run()
        let reply = try testbed.controller.last(LERemoteConnectionParameterRequestReply.self)
        #expect(reply.handle.rawValue == 0x40)
        #expect(reply.parameters.minimumInterval.rawValue == 24 && reply.parameters.maximumInterval.rawValue == 40)
        #expect(reply.parameters.latency == 3 && reply.parameters.supervisionTimeout.rawValue == 300)
    }
}
