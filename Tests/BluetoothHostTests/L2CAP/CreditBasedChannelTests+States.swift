// A channel without a link: every state with every input.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel: states and inputs")
struct CreditBasedChannelStateTests {
    private typealias Context = CreditBasedChannel.Context

    private static let configuration = L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4, sendLimit: 100)
    private static let peer = CreditBasedParameters(mtu: 64, mps: 32, initialCredits: 1)
    private static let id = L2CAPChannelID(rawValue: 7)
    private static let localCID = CID(rawValue: 0x40)
    private static let remoteCID = CID(rawValue: 0x41)
    private static let accepted = LECreditBasedConnectionResponse(destination: remoteCID, parameters: peer)

    private static func context(after time: TimeAmount = .zero, _ identifier: UInt8 = 9) -> Context {
        Context(now: .uptimeNanoseconds(0) + time, identifier: identifier)
    }

    private static func requested() -> CreditBasedChannel {
        var context = self.context()
        let request = CreditBasedChannel.PeerRequest(
            identifier: 3,
            request: LECreditBasedConnectionRequest(spsm: 0x80, source: self.remoteCID, parameters: self.peer)
        )
        return CreditBasedChannel(requestedBy: request, self.configuration, localCID: self.localCID, &context)
    }

    private static func connecting() -> CreditBasedChannel {
        var context = self.context(1)
        return CreditBasedChannel(requesting: self.id, to: 0x80, self.configuration, localCID: self.localCID, &context)
    }

    private static func timedOut() -> CreditBasedChannel {
        var (channel, context) = (self.connecting(), self.context(after: .seconds(30)))
        channel.advance(&context)
        return channel
    }

    private static func open() -> CreditBasedChannel {
        var (channel, context) = (self.requested(), self.context())
        channel.accept(as: self.id, &context)
        return channel
    }

    /// With 32 octets left after the first frame.
    private static func closing() -> CreditBasedChannel {
        var (channel, context) = (self.open(), self.context())
        _ = channel.write(ByteBuffer(repeating: 1, count: 62), &context)
        channel.frameSent(&context)
        channel.close(after: [], &context)
        return channel
    }

    private static func disconnecting() -> CreditBasedChannel {
        var (channel, context) = (self.open(), self.context(5))
        channel.close(after: [], &context)
        return channel
    }

    private static let states: [(String, @Sendable () -> CreditBasedChannel)] = [
        ("requested", requested), ("connecting", connecting), ("timedOut", timedOut), ("open", open),
        ("closing", closing), ("disconnecting", disconnecting),
    ]

    /// Everything that is visible of a channel.
    private static func view(_ channel: CreditBasedChannel) -> [AnyHashable?] {
        [
            channel.id, channel.remoteCID, channel.isConnected, channel.isClosed, channel.awaitedIdentifier,
            channel.deadline, channel.connection?.sender.credits, channel.connection?.sender.queuedOctets,
            channel.connection?.receiver.peerCredits,
        ]
    }

    @Test("ignores inputs that do not belong to its state")
    func inputs() {
        typealias Input = (name: String, body: (inout CreditBasedChannel, inout Context) -> Void, states: Set<String>)
        let inputs: [Input] = [
            ("accept", { $0.accept(as: Self.id, &$1) }, ["requested"]),
            ("refuse", { $0.refuse(.noResources, &$1) }, ["requested"]),
            ("respond", { _ = $0.receive(Self.accepted, isDuplicate: false, &$1) }, ["connecting", "timedOut"]),
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
            ("the link's end", { $0.linkEnded(&$1) }, Set(Self.states.map(\.0))),
        ]
        for (state, make) in Self.states {
            for input in inputs {
                var (channel, context) = (make(), Self.context(after: input.name == "time" ? .seconds(30) : .zero))
                let before = Self.view(channel)
                input.body(&channel, &context)
                let hasEffect = Self.view(channel) != before || !context.actions.isEmpty
                #expect(hasEffect == input.states.contains(state), "\(input.name) in \(state)")
            }
        }
    }
}
