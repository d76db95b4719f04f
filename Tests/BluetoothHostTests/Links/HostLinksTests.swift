// Links: how they begin and end, and the frames on them.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: links")
struct LEHostLinksTests {
    private let peer = HostTestbed.peers[0]
    private let other = HostTestbed.peers[1]

    private func connected() throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started { $0.dataIsAnswered = true }
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        _ = testbed.controller.takeData()
        return (testbed, link)
    }

    // MARK: Begin

    /// The commands that follow a new link.
    private func commands(
        features: LEFeatures,
        without missing: [any HCICommand.Type] = [],
        role: ConnectionRole = .central
    ) -> [HCIOpcode] {
        let testbed = HostTestbed.started {
            $0.features = features
            $0.listsCommands(without: missing)
        }
        if role == .central { testbed.host.connect(to: self.peer) }
        testbed.run()
        testbed.forget()
        testbed.controller.connect(0x40, peer: self.peer, role: role)
        testbed.run()
        return testbed.controller.takeCommands()
    }

    @Test("requests longer packets and 2M as a central if its controller supports them, and nothing as a peripheral")
    func preparation() {
        #expect(self.commands(features: []) == [])
        #expect(self.commands(features: .dataPacketLengthExtension) == [LESetDataLength.opcode])
        #expect(self.commands(features: .dataPacketLengthExtension, without: [LESetDataLength.self]) == [])
        #expect(self.commands(features: .phy2M) == [LESetPHY.opcode])
        #expect(self.commands(features: .phy2M, without: [LESetPHY.self]) == [])
        let both: LEFeatures = [.dataPacketLengthExtension, .phy2M]
        #expect(self.commands(features: both) == [LESetDataLength.opcode, LESetPHY.opcode])
        #expect(self.commands(features: both, role: .peripheral) == [])
    }

    @Test("prefers 2M and allows 1M, so that a peer can ask for 1M later")
    func preferredPHYs() throws {
        let testbed = HostTestbed.started { $0.features = [.phy2M] }
        testbed.connect(0x40, self.peer)
        let preference = PHYPreference(transmitter: [.le1M, .le2M], receiver: [.le1M, .le2M])
        #expect(try testbed.controller.last(LESetPHY.self).preference == preference)
    }

    @Test(
        "updates a link to the parameters of its device if its interval is outside of their range",
        arguments: [(23, true), (24, false), (30, false), (40, false), (41, true)]
    )
    func interval(interval: UInt16, isUpdated: Bool) throws {
        let wanted = ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: 24),
            maximumInterval: ConnectionInterval(rawValue: 40),
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        let testbed = HostTestbed.started()
        // The attempt has the parameters of the first device.
        testbed.host.connect(to: self.other)
        testbed.host.connect(to: self.peer, parameters: wanted)
        testbed.run()
        testbed.forget()
        let interval = ConnectionInterval(rawValue: interval)
        testbed.controller.connect(0x40, peer: self.peer, role: .central, interval: interval)
        testbed.run()
        #expect(testbed.controller.takeCommands().contains(LEConnectionUpdate.opcode) == isUpdated)
        guard isUpdated else { return }
        let handle = ConnectionHandle(rawValue: 0x40)
        #expect(
            try testbed.controller.last(LEConnectionUpdate.self)
                == LEConnectionUpdate(handle: handle, parameters: wanted)
        )
    }

    @Test("numbers links from 1 on and reuses no number")
    func linkNumbers() {
        let testbed = HostTestbed.started()
        #expect(testbed.acceptLink(0x40)?.rawValue == 1)
        #expect(testbed.acceptLink(0x41)?.rawValue == 2)
        testbed.controller.disconnect(0x41, reason: .remoteUserTerminated)
        testbed.run()
        #expect(testbed.acceptLink(0x41)?.rawValue == 3)
        #expect(testbed.host.links.map(\.id.rawValue) == [1, 3])
    }

    @Test("takes both forms of the event for one link, and a repeated form for a new one")
    func bothForms() {
        let testbed = HostTestbed.started()
        let enhanced = LEEnhancedConnectionComplete(
            status: .success,
            handle: ConnectionHandle(rawValue: 0x40),
            role: .peripheral,
            peer: self.peer,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72),
            centralClockAccuracy: ClockAccuracy(rawValue: 0)
        ).packet()
        for number in 1...2 as ClosedRange<UInt32> {
            testbed.deliver(enhanced)
            #expect(testbed.host.links.map(\.id.rawValue) == [number])
            testbed.controller.connect(0x40, peer: self.peer, role: .peripheral)
            testbed.run()
            #expect(testbed.host.links.map(\.id.rawValue) == [number])
        }
    }

    // MARK: End

    @Test("ends a link with Remote User Terminated Connection, once, and reports the controller's reason")
    func endedByUser() throws {
        let (testbed, link) = try self.connected()
        testbed.host.disconnect(link)
        #expect(testbed.controller.takeCommands() == [], "nothing leaves re-entrantly")
        testbed.host.disconnect(link)
        testbed.run()
        let command = try testbed.disconnected()
        #expect(command.handle.rawValue == 0x40 && command.reason.rawValue == 0x13)
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode])
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 22"])
    }

    @Test(
        "ends a link if the controller refuses or does not answer the command to end it",
        arguments: [(.unknownConnectionIdentifier, 19), (.hardwareFailure, 3), (nil, 31)] as [(HCIErrorCode?, Int)]
    )
    func refusedDisconnect(status: HCIErrorCode?, reason: Int) throws {
        let (testbed, link) = try self.connected()
        if let status { testbed.controller.refused[Disconnect.opcode] = status }
        if status == nil { testbed.controller.silent = [Disconnect.opcode] }
        testbed.host.disconnect(link)
        if status == nil {
            testbed.run(.seconds(2) - .nanoseconds(1))
            #expect(testbed.host.links.count == 1)
        }
        testbed.run(.nanoseconds(1))
        #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 \(reason)"])
        testbed.host.disconnect(link)
        testbed.run()
        #expect(testbed.delegate.takeLines().isEmpty && testbed.host.state == .ready)
    }

    @Test("ignores an answer to the command that comes after the end of the link")
    func lateAnswer() throws {
        for status in [HCIErrorCode.success, .unknownConnectionIdentifier] {
            let (testbed, link) = try self.connected()
            testbed.controller.silent = [Disconnect.opcode]
            testbed.host.disconnect(link)
            testbed.run()
            testbed.controller.disconnect(0x40, reason: .connectionTimeout)
            testbed.controller.deliver(CommandStatus(status: status, opcode: Disconnect.opcode).packet())
            testbed.run(.seconds(40))
            #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 8"])
        }
    }

    @Test("ends a link 35 s after the controller accepted the command if its end is not reported, and not before")
    func endNotReported() throws {
        let (testbed, link) = try self.connected()
        let other = try #require(testbed.acceptLink(0x41))
        testbed.run(.seconds(3))
        testbed.host.disconnect(link)
        testbed.run(.seconds(10))
        testbed.host.disconnect(other)
        testbed.run(.seconds(25) - .nanoseconds(1))
        #expect(testbed.host.links.map(\.id) == [link, other])
        testbed.forget()
        testbed.run(.nanoseconds(1))
        #expect(testbed.host.links.map(\.id) == [other])
        #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 22"])
        testbed.run(.seconds(10))
        #expect(testbed.host.links.isEmpty)
        testbed.forget()
        // A late end belongs to no link.
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        #expect(testbed.delegate.takeLines().isEmpty && testbed.host.state == .ready)
    }

    @Test(
        "reports the end of each overdue link once, even if the user detaches at the first",
        arguments: [false, true]
    )
    func overdueTogether(detaches: Bool) throws {
        final class User: LEHostDelegate {
            let detaches: Bool
            var ended: [LinkID] = []
            init(_ detaches: Bool) { self.detaches = detaches }
            func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
                self.ended.append(link.id)
                if self.detaches, self.ended.count == 1 { host.detach() }
            }
        }
        let testbed = HostTestbed.started()
        let links = try [0x40, 0x41].map { try #require(testbed.acceptLink($0)) }
        let user = User(detaches)
        testbed.use(user)
        for link in links { testbed.host.disconnect(link) }
        testbed.run(.seconds(35) - .nanoseconds(1))
        #expect(user.ended == [])
        testbed.run(.nanoseconds(1))
        #expect(user.ended == links && testbed.host.links.isEmpty)
        #expect(testbed.host.state == (detaches ? .detached : .ready))
    }

    @Test("completes open procedures before it reports the end of the link, each once")
    func proceduresEndWithTheLink() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.connect(0x40, self.peer))
        var ended: [String] = []
        for handle in AttributeHandle(1)...3 {
            testbed.host.perform(ReadValue(handle), on: link) { _ in
                ended.append("\(handle) \(testbed.delegate.lines)")
            }
        }
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(ended == ["1 []", "2 []", "3 []"])
        #expect(testbed.delegate.lines == ["disconnected \(self.peer) 19"])
    }

    @Test("fails calls on a link that has ended in a later turn, without a command")
    func endedLink() throws {
        let (testbed, ended) = try self.connected()
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        testbed.forget()
        let preference = PHYPreference(transmitter: .le2M, receiver: .le2M)
        for link in [ended, LinkID(rawValue: 99)] {
            var errors: [LEHostError?] = []
            func end<Success>(_ result: Result<Success, LEHostError>) {
                if case .failure(let error) = result { errors.append(error) } else { errors.append(nil) }
            }
            testbed.host.readRSSI(of: link, completion: end)
            testbed.host.updateConnection(link, to: .initial, completion: end)
            testbed.host.readPHYs(of: link, completion: end)
            testbed.host.setPHYs(of: link, to: preference, completion: end)
            testbed.host.disconnect(link)
            testbed.host.requestConnectionParameters(.initial, of: link)
            #expect(errors.isEmpty, "nothing is called re-entrantly")
            testbed.run()
            #expect(errors == Array(repeating: .notConnected, count: 4) && testbed.host.timing(of: link) == nil)
            #expect(testbed.controller.takeCommands() == [] && testbed.delegate.takeLines() == [])
        }
    }

    @Test("ends the link of a client that sends a request before the last one was answered (Vol 3, Part F, 3.3.2)")
    func failedBearer() throws {
        let (testbed, _) = try self.connected()
        let request = "0A " + (try testbed.addCharacteristic(.read, .readable)).value.inHex
        #expect(testbed.answers(request) == [] && testbed.controller.takeCommands() == [])
        #expect(testbed.answers(request) == [])
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode])
        #expect(try testbed.disconnected().reason.rawValue == 0x13)
    }

    // MARK: Frames

    @Test("ignores overlong frames on fixed channels, frames on unknown channels, and empty frames")
    func strayFrames() throws {
        let (testbed, link) = try self.connected()
        for channel in [0x0004, 0x0005, 0x0006, 0x003F, 0x0080] as [UInt16] {
            var fragment = ByteBuffer()
            fragment.writeMultipleIntegers(UInt16(0x0801), channel, UInt32(0), endianness: .little)
            testbed.controller.deliver(
                .aclData(handle: ConnectionHandle(rawValue: 0x40), boundary: .firstFlushable, fragment: fragment)
            )
        }
        for channel in [0x0000, 0x0001, 0x0007, 0x003F, 0x0040, 0x0080] as [UInt16] {
            testbed.controller.receive(0x40, channel: channel, [0x01, 0x00, 0xAA])
        }
        // Frames without a payload, on each fixed channel.
        for channel in [4, 5, 6] as [UInt16] { testbed.controller.receive(0x40, channel: channel, []) }
        testbed.run()
        #expect(testbed.controller.takeData().isEmpty && testbed.controller.takeCommands() == [])
        #expect(testbed.host.links.map(\.id) == [link] && testbed.delegate.takeLines() == [])
    }

    @Test("receives a value between the fragments of a frame, which ends that frame")
    func valueBetweenFragments() {
        let testbed = HostTestbed.started()
        _ = testbed.acceptLink(0x40)
        testbed.forget()
        let notification: [UInt8] = [0x1B, 0x03, 0x00, 0xAA]
        func fragment(_ octets: String, _ boundary: ACLDataHeader.Boundary) {
            testbed.controller.deliver(
                .aclData(handle: ConnectionHandle(rawValue: 0x40), boundary: boundary, fragment: hex(octets))
            )
        }
        fragment("06 00 04 00 1B 05 00", .firstFlushable)
        testbed.controller.receive(0x40, channel: 4, notification)
        fragment("BB CC DD", .continuing)
        testbed.controller.receive(0x41, channel: 4, notification)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["value 3 1"])
    }

    @Test("sends the user's requests before the answer to a later packet")
    func userComesFirst() throws {
        let (testbed, link) = try self.connected()
        // An Information Request, which is not a command of an LE link.
        testbed.controller.receive(0x40, channel: 5, [0x0A, 0x09, 0x02, 0x00, 0x02, 0x00])
        testbed.host.writeWithoutResponse(hex("AA"), to: 3, on: link)
        testbed.run()
        #expect(testbed.takeFrames() == ["04 00 52 03 00 AA", "05 00 01 09 02 00 00 00"])
    }
}
