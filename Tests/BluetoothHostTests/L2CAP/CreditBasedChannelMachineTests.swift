// A channel without a link: every state with every input that does not belong to it, and the two ways that end a
// channel with octets left.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel machine")
struct CreditBasedChannelMachineTests {
    private typealias Context = CreditBasedChannel.Context

    private static let configuration = L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4, sendLimit: 100)
    private static let peer = CreditBasedParameters(mtu: 64, mps: 32, initialCredits: 1)
    private static let id = L2CAPChannelID(rawValue: 7)
    private static let localCID = CID(rawValue: 0x40)
    private static let remoteCID = CID(rawValue: 0x41)
    private static let start = NIODeadline.uptimeNanoseconds(0)

    private static func context(after time: TimeAmount = .zero, _ identifier: UInt8 = 9) -> Context {
        Context(now: self.start + time, identifier: identifier)
    }

    private static let request = CreditBasedChannel.PeerRequest(
        identifier: 3,
        request: LECreditBasedConnectionRequest(spsm: 0x80, source: remoteCID, parameters: peer)
    )

    private static func requested() -> CreditBasedChannel {
        var context = self.context()
        return CreditBasedChannel(requestedBy: self.request, self.configuration, localCID: self.localCID, &context)
    }

    private static func connecting() -> CreditBasedChannel {
        var context = self.context(1)
        return CreditBasedChannel(requesting: self.id, to: 0x80, self.configuration, localCID: self.localCID, &context)
    }

    private static func timedOut() -> CreditBasedChannel {
        var channel = self.connecting()
        var context = self.context(after: .seconds(30))
        channel.advance(&context)
        return channel
    }

    private static func open() -> CreditBasedChannel {
        var channel = self.requested()
        var context = self.context()
        channel.accept(as: self.id, &context)
        return channel
    }

    /// With 32 octets left behind the first frame.
    private static func closing() -> CreditBasedChannel {
        var channel = self.open()
        var context = self.context()
        _ = channel.write(ByteBuffer(repeating: 1, count: 62), &context)
        channel.frameSent(&context)
        channel.close(after: [], &context)
        return channel
    }

    private static func disconnecting() -> CreditBasedChannel {
        var channel = self.open()
        var context = self.context(5)
        channel.close(after: [], &context)
        return channel
    }

    private static let states: [(String, @Sendable () -> CreditBasedChannel)] = [
        ("requested", requested), ("connecting", connecting), ("timedOut", timedOut), ("open", open),
        ("closing", closing), ("disconnecting", disconnecting),
    ]

    @Test func `What each state shows`() {
        for (name, make) in Self.states {
            let channel = make()
            let isConnected = ["open", "closing"].contains(name)
            #expect(channel.isConnected == isConnected && (channel.id == Self.id) == isConnected, "\(name)")
            #expect((channel.connection != nil) == isConnected && !channel.isClosed, "\(name)")
            #expect((channel.remoteCID == Self.remoteCID) == !["connecting", "timedOut"].contains(name), "\(name)")
            #expect(
                channel.awaitedIdentifier
                    == ["connecting": 1, "timedOut": 1, "disconnecting": 5][name],
                "\(name)"
            )
            let hasDeadline = ["connecting", "closing", "disconnecting"].contains(name)
            #expect(channel.deadline == (hasDeadline ? Self.start + .seconds(30) : nil), "\(name)")
        }
    }

    @Test func `Inputs that do not belong to a state change nothing`() {
        typealias Input = (name: String, body: (inout CreditBasedChannel, inout Context) -> Void, states: Set<String>)
        let accepted = LECreditBasedConnectionResponse(destination: Self.remoteCID, parameters: Self.peer)
        let inputs: [Input] = [
            ("accept", { $0.accept(as: Self.id, &$1) }, ["requested"]),
            ("refuse", { $0.refuse(.noResources, &$1) }, ["requested"]),
            ("respond", { _ = $0.receive(accepted, isDuplicate: false, &$1) }, ["connecting", "timedOut"]),
            ("reject", { $0.rejected(&$1) }, ["connecting", "timedOut", "disconnecting"]),
            ("write", { _ = $0.write(ByteBuffer(repeating: 1, count: 8), &$1) }, ["open"]),
            ("consume", { $0.consume(1, &$1) }, []),
            ("credits", { $0.receiveCredits(1, &$1) }, ["open", "closing"]),
            ("frame", { $0.receive(ByteBuffer(bytes: [0, 0]), &$1) }, ["open", "closing"]),
            ("close", { $0.close(after: [], &$1) }, ["open"]),
            ("violation", { $0.end(.frameTooLong, &$1) }, ["open", "closing"]),
            (
                "disconnection request", { _ = $0.receiveDisconnectionRequest(Self.remoteCID, 1, &$1) },
                ["open", "closing", "disconnecting"]
            ),
            (
                "disconnection response", { $0.receiveDisconnectionResponse(Self.remoteCID, 5, &$1) },
                ["disconnecting"]
            ),
            ("time", { $0.advance(&$1) }, ["connecting", "closing", "disconnecting"]),
            (
                "the link's end", { $0.linkEnded(&$1) },
                ["requested", "connecting", "timedOut", "open", "closing", "disconnecting"]
            ),
        ]
        for (state, make) in Self.states {
            for input in inputs {
                var channel = make()
                let before = "\(channel)"
                var context = Self.context(after: input.name == "time" ? .seconds(30) : .zero)
                input.body(&channel, &context)
                let hasEffect = "\(channel)" != before || !context.actions.isEmpty
                #expect(hasEffect == input.states.contains(state), "\(input.name) in \(state)")
            }
        }
    }

    @Test func `A configuration has these values, and takes the nearest in range`() {
        typealias Configuration = L2CAPChannelConfiguration
        let usual = Configuration()
        #expect([usual.mtu, usual.mps, usual.window, usual.sendLimit] == [2_048, 247, 256, 65_536])
        let least = Configuration(mtu: 22, mps: 22, window: 0, sendLimit: 0)
        #expect([least.mtu, least.mps, least.window, least.sendLimit] == [23, 23, 1, 1])
        let most = Configuration(mtu: 65_536, mps: 2_049, window: 65_536, sendLimit: .max)
        #expect([most.mtu, most.mps, most.window, most.sendLimit] == [65_535, 2_048, 65_535, .max])
        let edge = Configuration(mtu: 65_535, mps: 2_048, window: 65_535, sendLimit: 1)
        #expect([edge.mtu, edge.mps, edge.window, edge.sendLimit] == [65_535, 2_048, 65_535, 1])
    }

    @Test func `A request is refused once`() {
        var (channel, context) = (Self.requested(), Self.context())
        channel.refuse(.noResources, &context)
        #expect(channel.isClosed && context.actions.count == 1)
        channel.refuse(.noResources, &context)
        channel.accept(as: Self.id, &context)
        #expect(channel.isClosed && context.actions.count == 1)
    }

    @Test func `Of answers that come too late, one that opens a channel is disconnected, and no other`() {
        let accepted = LECreditBasedConnectionResponse(destination: Self.remoteCID, parameters: Self.peer)
        var refused = LECreditBasedConnectionResponse(refusing: .noResources)
        refused.destination = Self.remoteCID
        let static0 = LECreditBasedConnectionResponse(destination: CID(rawValue: 4), parameters: Self.peer)
        for (response, isDisconnected) in [(accepted, true), (refused, false), (static0, false)] {
            var (channel, context) = (Self.timedOut(), Self.context())
            #expect(!channel.receive(response, isDuplicate: false, &context))
            #expect(context.actions.isEmpty == !isDisconnected && channel.isClosed == !isDisconnected)
        }
    }

    @Test func `Only a channel that is being opened can be the second one with a CID`() {
        let accepted = LECreditBasedConnectionResponse(destination: Self.remoteCID, parameters: Self.peer)
        let refused = LECreditBasedConnectionResponse(refusing: .noResources)
        for (name, make) in Self.states {
            for (response, isDuplicate, isSecond) in [
                (accepted, true, name == "connecting"), (accepted, false, false), (refused, true, false),
            ] {
                var (channel, context) = (make(), Self.context())
                #expect(channel.receive(response, isDuplicate: isDuplicate, &context) == isSecond, "\(name)")
            }
        }
    }

    @Test func `A closing channel ends behind its last octet, and each frame gives it 30 s more`() {
        var channel = Self.closing()
        var context = Self.context(after: .seconds(20))
        channel.receiveCredits(1, &context)
        // Octet by octet counted: 62 were written, 30 left with the first frame.
        #expect(context.actions.count == 2 && channel.awaitedIdentifier == 9)
        guard case .channel(.send(let frame, to: Self.remoteCID, Self.id)) = context.actions[0] else {
            return #expect(Bool(false), "the last frame")
        }
        #expect(frame.readableBytes == 32)

        var slow = Self.open()
        context = Self.context()
        slow.close(after: [ByteBuffer(repeating: 1, count: 200)], &context)
        #expect(slow.deadline == Self.start + .seconds(30) && slow.connection?.sender.queuedOctets == 170)
        context = Self.context(after: .seconds(20))
        slow.frameSent(&context)
        slow.receiveCredits(1, &context)
        #expect(slow.deadline == Self.start + .seconds(50) && slow.connection?.sender.queuedOctets == 138)
        context = Self.context(after: .seconds(49))
        slow.advance(&context)
        #expect(context.actions.isEmpty)
        context = Self.context(after: .seconds(50))
        slow.advance(&context)
        #expect(!slow.isConnected && slow.awaitedIdentifier == 9)
        context = Self.context(after: .seconds(80))
        slow.advance(&context)
        #expect(context.actions == [.channel(.closed(Self.id, .unconfirmed))] && slow.isClosed)
    }

    @Test func `Every error says its cause`() {
        #expect(
            "\(L2CAPChannelOpenError.refused(.spsmNotSupported))" == "The peer refused the channel: SPSM not supported."
        )
        #expect(
            "\(L2CAPChannelOpenError.refused(.init(rawValue: 0x1F)))" == "The peer refused the channel: result 0x1F."
        )
        #expect(
            "\(L2CAPChannelCloseReason.violation(.noCredit))"
                == "The peer broke a rule of the channel: a frame without a credit."
        )
        #expect("\(L2CAPListenError.invalidSPSM)" == "The SPSM is not between 0x01 and 0xFF.")
        #expect("\(SPSM(0x80)) \(L2CAPChannelID(rawValue: 7))" == "0x80 channel 7")
    }
}
