// What a user asks of a link beside values: its timing, its PHYs and its parameters, on a link that is there, on one
// that has ended, and of a controller that refuses.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: what is asked of a link")
struct LEHostLinkRequestsTests {
    private typealias PHYResult = Result<LinkPHYs, LEHostError>
    private typealias TimingResult = Result<LinkTiming, LEHostError>

    private let handle = ConnectionHandle(rawValue: 0x40)
    private let preference = PHYPreference(transmitter: .leCoded, receiver: .le2M)

    private func connected(_ prepare: (ScriptedController) -> Void = { _ in }) throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started(prepare)
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        return (testbed, link)
    }

    // MARK: PHYs

    @Test("The PHYs of a link are what the controller says, each for its direction")
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

    @Test("A controller without the command to read PHYs has LE 1M alone, and is not asked")
    func readPHYsOfOneWithout() throws {
        let (testbed, link) = try self.connected {
            let known = HCICommandTable.entries.map(\.command).filter { $0 != LEReadPHY.self }
            $0.supportedCommands = SupportedCommands(known)
        }
        var results: [PHYResult] = []
        testbed.host.readPHYs(of: link) { results.append($0) }
        #expect(results.isEmpty, "nothing is called re-entrantly")
        testbed.run()
        #expect(results == [.success(LinkPHYs(transmitter: .le1M, receiver: .le1M))])
        #expect(testbed.controller.takeCommands() == [])
    }

    @Test("Who reads or sets PHYs of no link hears that, in a later turn, and the controller is not asked")
    func physOfNoLink() throws {
        let (testbed, link) = try self.connected()
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        testbed.forget()
        for id in [link, LinkID(rawValue: 99)] {
            var results: [PHYResult] = []
            testbed.host.readPHYs(of: id) { results.append($0) }
            testbed.host.setPHYs(of: id, to: self.preference) { results.append($0) }
            #expect(results.isEmpty, "nothing is called re-entrantly")
            testbed.run()
            #expect(results == [.failure(.notConnected), .failure(.notConnected)])
            #expect(testbed.controller.takeCommands() == [] && testbed.host.timing(of: id) == nil)
        }
    }

    @Test("A controller that refuses to read or to set PHYs, or does not answer, is the end of the request")
    func refusedPHYs() throws {
        for opcode in [LEReadPHY.opcode, LESetPHY.opcode] {
            for isSilent in [false, true] {
                let (testbed, link) = try self.connected {
                    if isSilent { $0.silent = [opcode] } else { $0.refused[opcode] = .unsupportedFeature }
                }
                var results: [PHYResult] = []
                if opcode == LEReadPHY.opcode {
                    testbed.host.readPHYs(of: link) { results.append($0) }
                } else {
                    testbed.host.setPHYs(of: link, to: self.preference) { results.append($0) }
                }
                testbed.run(.seconds(3))
                #expect(results == [.failure(isSilent ? .unanswered : .refused(.unsupportedFeature))])
                testbed.controller.deliver(
                    LEPHYUpdateComplete(handle: self.handle, transmitter: .le2M, receiver: .le2M).packet()
                )
                testbed.run()
                #expect(results.count == 1, "the event is that of another request")
            }
        }
    }

    @Test("The coding of LE Coded is that which was asked for, and none is preferred otherwise")
    func options() throws {
        let (testbed, link) = try self.connected()
        testbed.host.setPHYs(of: link, to: self.preference) { _ in }
        testbed.run()
        #expect(
            try testbed.controller.last(LESetPHY.self)
                == LESetPHY(handle: self.handle, preference: self.preference, options: PHYOptions(rawValue: 0))
        )
        testbed.host.setPHYs(of: link, to: self.preference, options: .prefersS8) { _ in }
        testbed.run()
        #expect(try testbed.controller.last(LESetPHY.self).options.rawValue == 2)
    }

    @Test("The events of another link answer nothing")
    func otherLink() throws {
        let (testbed, link) = try self.connected()
        _ = testbed.acceptLink(0x41)
        var phys: [PHYResult] = []
        var timings: [TimingResult] = []
        testbed.host.setPHYs(of: link, to: self.preference) { phys.append($0) }
        testbed.host.updateConnection(link, to: .initial) { timings.append($0) }
        testbed.run()
        for raw in [0x41, 0x42] as [UInt16] {
            let other = ConnectionHandle(rawValue: raw)
            testbed.controller.deliver(
                LEPHYUpdateComplete(handle: other, transmitter: .le2M, receiver: .le2M).packet()
            )
            testbed.controller.deliver(self.update(of: other, .success))
        }
        testbed.run()
        #expect(phys.isEmpty && timings.isEmpty)
    }

    // MARK: Timing

    private func update(of handle: ConnectionHandle, _ status: HCIErrorCode) -> HCIPacket {
        LEConnectionUpdateComplete(
            status: status,
            handle: handle,
            interval: ConnectionInterval(rawValue: 80),
            latency: 2,
            supervisionTimeout: SupervisionTimeout(rawValue: 400)
        ).packet()
    }

    private let asked = ConnectionParameters(
        minimumInterval: ConnectionInterval(rawValue: 70),
        maximumInterval: ConnectionInterval(rawValue: 90),
        latency: 2,
        supervisionTimeout: SupervisionTimeout(rawValue: 400)
    )

    @Test("A timing that the peer refuses is a refusal, told once, and the link keeps the one that it has")
    func refusedTiming() throws {
        let (testbed, link) = try self.connected()
        let before = try #require(testbed.host.timing(of: link))
        #expect(before.interval.rawValue == 24 && before.latency == 0 && before.supervisionTimeout.rawValue == 72)
        var results: [TimingResult] = []
        testbed.host.updateConnection(link, to: self.asked) { results.append($0) }
        testbed.run()
        let command = try testbed.controller.last(LEConnectionUpdate.self)
        #expect(command.handle == self.handle && command.parameters == self.asked)
        testbed.controller.deliver(self.update(of: self.handle, .unsupportedRemoteFeature))
        testbed.controller.deliver(self.update(of: self.handle, .success))
        testbed.run()
        #expect(results == [.failure(.refused(.unsupportedRemoteFeature))])
        #expect(testbed.host.timing(of: link)?.interval.rawValue == 80)
    }

    @Test("Several requests for a timing, or for PHYs, that wait for one event are answered together, in their order")
    func severalRequests() throws {
        let (testbed, link) = try self.connected()
        var ends: [String] = []
        for number in 0..<3 {
            testbed.host.updateConnection(link, to: self.asked) { _ in ends.append("timing \(number)") }
            testbed.host.setPHYs(of: link, to: self.preference) { _ in ends.append("PHYs \(number)") }
        }
        testbed.run()
        #expect(ends.isEmpty)
        testbed.controller.deliver(self.update(of: self.handle, .success))
        testbed.run()
        #expect(ends == ["timing 0", "timing 1", "timing 2"])
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(ends.dropFirst(3) == ["PHYs 0", "PHYs 1", "PHYs 2"])
    }

    @Test("A controller that does not answer the request for a timing ends it, and the time limit is the command's")
    func unansweredTiming() throws {
        let (testbed, link) = try self.connected { $0.silent = [LEConnectionUpdate.opcode] }
        var results: [TimingResult] = []
        testbed.host.updateConnection(link, to: self.asked) { results.append($0) }
        testbed.run(.seconds(3))
        #expect(results == [.failure(.unanswered)])
    }

    // MARK: Parameters that a peripheral asks for

    @Test("A peripheral's request has the values that were asked for (Vol 3, Part A, 4.20)")
    func peripheralRequest() throws {
        let (testbed, link) = try self.connected()
        _ = testbed.controller.takeData()
        testbed.host.requestConnectionParameters(self.asked, of: link)
        testbed.run()
        let sent = testbed.controller.takeData().map { hex($0.bytes) }
        #expect(sent == ["02 40 00 10 00 0C 00 05 00 12 01 08 00 46 00 5A 00 02 00 90 01"])
        #expect(testbed.controller.takeCommands() == [])
    }

    @Test("A central sets what a peripheral asks for where it is allowed, and answers (Vol 3, Part A, 4.21)")
    func centralGrants() throws {
        for (timeout, isGranted) in [("90 01", true), ("10 00", false)] {
            let testbed = HostTestbed.started()
            testbed.connect(0x40, DeviceAddress(0xC000_0000_0001, kind: .random))
            _ = testbed.controller.takeData()
            testbed.receive(5, "12 07 08 00 46 00 5A 00 02 00 \(timeout)")
            let sent = testbed.controller.takeData().map { hex($0.bytes) }
            #expect(sent.last == "02 40 00 0A 00 06 00 05 00 13 07 02 00 \(isGranted ? "00" : "01") 00")
            #expect(testbed.controller.takeCommands() == (isGranted ? [LEConnectionUpdate.opcode] : []))
            guard isGranted else { continue }
            let command = try testbed.controller.last(LEConnectionUpdate.self)
            #expect(command.handle == self.handle && command.parameters == self.asked)
        }
    }

    @Test("A central that is asked by its user sets the parameters at once")
    func centralSets() throws {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, DeviceAddress(0xC000_0000_0001, kind: .random))
        let link = try #require(testbed.host.links.first?.id)
        testbed.host.requestConnectionParameters(self.asked, of: link)
        testbed.run()
        #expect(try testbed.controller.last(LEConnectionUpdate.self).parameters == self.asked)
        #expect(testbed.controller.takeCommands() == [LEConnectionUpdate.opcode])
    }
}
