// Timing, PHYs and connection parameters of a link.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: connection and PHY updates")
struct LEHostConnectionUpdateTests {
    private typealias PHYResult = Result<LinkPHYs, LEHostError>
    private typealias TimingResult = Result<LinkTiming, LEHostError>

    private let handle = ConnectionHandle(rawValue: 0x40)
    private let preference = PHYPreference(transmitter: .leCoded, receiver: .le2M)
    private let asked = ConnectionParameters(
        minimumInterval: ConnectionInterval(rawValue: 70),
        maximumInterval: ConnectionInterval(rawValue: 90),
        latency: 2,
        supervisionTimeout: SupervisionTimeout(rawValue: 400)
    )
    private let slow = LinkTiming(
        interval: ConnectionInterval(rawValue: 80),
        latency: 2,
        supervisionTimeout: SupervisionTimeout(rawValue: 400)
    )

    private func connected(_ prepare: (ScriptedController) -> Void = { _ in }) throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started(LEHostConfiguration(), prepare)
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        return (testbed, link)
    }

    private func update(_ status: HCIErrorCode = .success, of handle: UInt16 = 0x40) -> HCIPacket {
        LEConnectionUpdateComplete(
            status: status,
            handle: ConnectionHandle(rawValue: handle),
            interval: self.slow.interval,
            latency: self.slow.latency,
            supervisionTimeout: self.slow.supervisionTimeout
        ).packet()
    }

    private func phyUpdate(_ status: HCIErrorCode = .success, of handle: UInt16 = 0x40) -> HCIPacket {
        let handle = ConnectionHandle(rawValue: handle)
        return LEPHYUpdateComplete(status: status, handle: handle, transmitter: .leCoded, receiver: .le1M).packet()
    }

    // MARK: Timing

    @Test("keeps the timing of the connection event until the controller reports another one")
    func timing() throws {
        let (testbed, link) = try self.connected()
        let first = try #require(testbed.host.timing(of: link))
        #expect(first.interval.rawValue == 24 && first.latency == 0 && first.supervisionTimeout.rawValue == 72)
        testbed.deliver(self.update(.unacceptableConnectionParameters))
        #expect(testbed.host.timing(of: link) == first)
        testbed.deliver(self.update())
        #expect(testbed.host.timing(of: link) == self.slow)
    }

    @Test("completes a request for a timing once with the event, the refusal, or the end of the link")
    func updateConnection() throws {
        let (testbed, link) = try self.connected()
        var results: [TimingResult] = []
        func ask() {
            testbed.host.updateConnection(link, to: self.asked) { results.append($0) }
            testbed.run(.seconds(1))
        }
        ask()
        #expect(results.isEmpty, "Command Status is no answer")
        let command = try testbed.controller.last(LEConnectionUpdate.self)
        #expect(command.handle == self.handle && command.parameters == self.asked)
        testbed.deliver(self.update(.unsupportedRemoteFeature))
        testbed.deliver(self.update())
        #expect(results == [.failure(.refused(.unsupportedRemoteFeature))])
        ask()
        testbed.deliver(self.update())
        #expect(results.dropFirst() == [.success(self.slow)])
        testbed.controller.refused[LEConnectionUpdate.opcode] = .commandDisallowed
        ask()
        testbed.controller.refused = [:]
        #expect(results.dropFirst(2) == [.failure(.refused(.commandDisallowed))])
        testbed.controller.silent = [LEConnectionUpdate.opcode]
        ask()
        testbed.run(.seconds(1))
        testbed.controller.silent = []
        #expect(results.dropFirst(3) == [.failure(.unanswered)])
        ask()
        testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        ask()
        #expect(results.dropFirst(4) == [.failure(.notConnected), .failure(.notConnected)])
    }

    // MARK: PHYs

    @Test("completes a request for PHYs with those of the event, each for its direction")
    func setPHYs() throws {
        let (testbed, link) = try self.connected()
        var results: [PHYResult] = []
        testbed.host.setPHYs(of: link, to: self.preference) { results.append($0) }
        testbed.run()
        #expect(
            try testbed.controller.last(LESetPHY.self)
                == LESetPHY(handle: self.handle, preference: self.preference, options: PHYOptions(rawValue: 0))
        )
        #expect(results.isEmpty)
        testbed.deliver(self.phyUpdate())
        testbed.deliver(self.phyUpdate())
        #expect(results == [.success(LinkPHYs(transmitter: .leCoded, receiver: .le1M))])
        testbed.host.setPHYs(of: link, to: self.preference, options: .prefersS8) { results.append($0) }
        testbed.run()
        #expect(try testbed.controller.last(LESetPHY.self).options.rawValue == 2)
        testbed.deliver(self.phyUpdate(.unsupportedRemoteFeature))
        #expect(results.dropFirst() == [.failure(.refused(.unsupportedRemoteFeature))])
        testbed.controller.refused[LESetPHY.opcode] = .unsupportedFeature
        testbed.host.setPHYs(of: link, to: self.preference) { results.append($0) }
        testbed.run()
        testbed.deliver(self.phyUpdate())
        #expect(results.dropFirst(2) == [.failure(.refused(.unsupportedFeature))])
    }

    @Test("reads the PHYs of a link from the controller")
    func readPHYs() throws {
        let (testbed, link) = try self.connected { $0.silent = [LEReadPHY.opcode] }
        var results: [PHYResult] = []
        testbed.host.readPHYs(of: link) { results.append($0) }
        testbed.run()
        #expect(results.isEmpty && testbed.controller.takeCommands() == [LEReadPHY.opcode])
        #expect(try testbed.controller.last(LEReadPHY.self).handle == self.handle)
        testbed.controller.deliver(
            CommandComplete.packet(
                LEReadPHY.self,
                .init(handle: self.handle, transmitter: .le2M, receiver: .leCoded)
            )
        )
        testbed.run()
        #expect(results == [.success(LinkPHYs(transmitter: .le2M, receiver: .leCoded))])
    }

    @Test("assumes LE 1M for a controller without the command to read PHYs")
    func readPHYsWithoutCommand() throws {
        let (testbed, link) = try self.connected { $0.listsCommands(without: [LEReadPHY.self]) }
        var results: [PHYResult] = []
        testbed.host.readPHYs(of: link) { results.append($0) }
        #expect(results.isEmpty, "nothing is called re-entrantly")
        testbed.run()
        #expect(results == [.success(LinkPHYs(transmitter: .le1M, receiver: .le1M))])
        #expect(testbed.controller.takeCommands() == [])
    }

    // MARK: Several requests

    @Test("completes all requests that wait for an event of the link together, in order")
    func severalRequests() throws {
        let (testbed, link) = try self.connected()
        _ = testbed.acceptLink(0x41)
        var ends: [String] = []
        for number in 0..<3 {
            testbed.host.updateConnection(link, to: self.asked) { _ in ends.append("timing \(number)") }
            testbed.host.setPHYs(of: link, to: self.preference) { _ in ends.append("PHYs \(number)") }
        }
        for handle in [0x41, 0x42] as [UInt16] {
            testbed.deliver(self.update(of: handle))
            testbed.deliver(self.phyUpdate(of: handle))
        }
        #expect(ends.isEmpty, "the events are those of other links")
        testbed.deliver(self.update())
        #expect(ends == ["timing 0", "timing 1", "timing 2"])
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(ends.dropFirst(3) == ["PHYs 0", "PHYs 1", "PHYs 2"])
    }

    @Test("fails requests whose link ends before the status of the command")
    func endsBeforeStatus() throws {
        let (testbed, link) = try connected()
        testbed.controller.silent = [LEConnectionUpdate.opcode, LESetPHY.opcode]
        var timings: [Result<LinkTiming, LEHostError>] = []
        var phys: [Result<LinkPHYs, LEHostError>] = []
        testbed.host.updateConnection(link, to: .initial) { timings.append($0) }
        testbed.host.setPHYs(of: link, to: PHYPreference(transmitter: .le2M, receiver: .le2M)) { phys.append($0) }
        testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        testbed.run()
        for opcode in [LEConnectionUpdate.opcode, LESetPHY.opcode] {
            testbed.controller.deliver(CommandStatus(status: .success, opcode: opcode).packet())
            testbed.run()
        }
        #expect(timings == [.failure(.notConnected)])
        #expect(phys == [.failure(.notConnected)])
    }

    // MARK: Parameters that a peripheral asks for

    @Test("requests parameters as a peripheral by L2CAP (Vol 3, Part A, 4.20)")
    func peripheralRequest() throws {
        let (testbed, link) = try self.connected()
        _ = testbed.controller.takeData()
        testbed.host.requestConnectionParameters(self.asked, of: link)
        testbed.run()
        let sent = testbed.controller.takeData().map { hex($0.bytes) }
        #expect(sent == ["02 40 00 10 00 0C 00 05 00 12 01 08 00 46 00 5A 00 02 00 90 01"])
        #expect(testbed.controller.takeCommands() == [])
    }

    @Test(
        "sets valid parameters that a peripheral requests as a central, and answers (Vol 3, Part A, 4.21)",
        arguments: [("90 01", true), ("10 00", false)]
    )
    func centralGrants(timeout: String, isGranted: Bool) throws {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, HostTestbed.peers[0])
        _ = testbed.controller.takeData()
        testbed.receive(5, "12 07 08 00 46 00 5A 00 02 00 \(timeout)")
        let sent = testbed.controller.takeData().map { hex($0.bytes) }
        #expect(sent.last == "02 40 00 0A 00 06 00 05 00 13 07 02 00 \(isGranted ? "00" : "01") 00")
        #expect(testbed.controller.takeCommands() == (isGranted ? [LEConnectionUpdate.opcode] : []))
        guard isGranted else { return }
        let command = try testbed.controller.last(LEConnectionUpdate.self)
        #expect(command.handle == self.handle && command.parameters == self.asked)
    }

    @Test("sets parameters immediately as a central")
    func centralSets() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.connect(0x40, HostTestbed.peers[0]))
        testbed.host.requestConnectionParameters(self.asked, of: link)
        testbed.run()
        #expect(try testbed.controller.last(LEConnectionUpdate.self).parameters == self.asked)
        #expect(testbed.controller.takeCommands() == [LEConnectionUpdate.opcode])
    }

    @Test("accepts the controller's request for parameters with its values, for open links (Vol 4, Part E, 7.8.31)")
    func parameterQuestion() throws {
        let (testbed, _) = try self.connected()
        for (handle, commands) in [(0x41, []), (0x40, [LERemoteConnectionParameterRequestReply.opcode])] {
            testbed.deliver(
                LERemoteConnectionParameterRequest(
                    handle: ConnectionHandle(rawValue: UInt16(handle)),
                    minimumInterval: self.asked.minimumInterval,
                    maximumInterval: self.asked.maximumInterval,
                    latency: self.asked.latency,
                    supervisionTimeout: self.asked.supervisionTimeout
                ).packet()
            )
            #expect(testbed.controller.takeCommands() == commands)
        }
        let reply = try testbed.controller.last(LERemoteConnectionParameterRequestReply.self)
        #expect(reply.handle == self.handle && reply.parameters == self.asked)
    }
}
