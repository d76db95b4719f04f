// The bearer of a link: its MTU, its two deadlines, and what is left of it when it has failed.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT bearer", .onRecord)
struct ATTBearerTests {
    private static let start = NIODeadline.uptimeNanoseconds(1)

    private func bearer(preferredMTU: Int = 517) -> ATTBearer {
        ATTBearer(link: LinkID(rawValue: 1), preferredMTU: preferredMTU)
    }

    /// Awaits the response to a request until `request`, the confirmation of an indication until `indication`.
    private func waiting(request: TimeAmount?, indication: TimeAmount?) -> ATTBearer {
        var script = ClientScript()
        if let request {
            script.now = Self.start + request - ATT.transactionTimeout
            script.start(.read(0x0003))
        }
        var bearer = script.client
        if let indication { bearer.server.outstanding = .serviceChanged(deadline: Self.start + indication) }
        return bearer
    }

    private func failures(_ actions: [ATTBearer.Action]) -> [ATTBearer.Failure] {
        actions.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    }

    @Test("the MTU is between 23 and 517 octets, whatever is wanted and agreed on")
    func limits() {
        for (wanted, mtu) in [(0, 23), (22, 23), (23, 23), (24, 24), (516, 516), (517, 517), (518, 517)] {
            #expect(self.bearer(preferredMTU: wanted).preferredMTU == mtu)
            var bearer = self.bearer()
            var actions: [ATTBearer.Action] = []
            bearer.setMTU(wanted, into: &actions)
            #expect(bearer.mtu == mtu)
            #expect(actions.count == (mtu == 23 ? 0 : 1), "no change is not reported")
        }
    }

    @Test("each of the two transactions has 30 s of its own; the one that began earlier ends the bearer")
    func deadlines() {
        let cases: [(request: TimeAmount?, indication: TimeAmount?, failure: ATTBearer.Failure?)] = [
            (nil, nil, nil), (.seconds(40), nil, .requestTimeout), (nil, .seconds(40), .indicationTimeout),
            (.seconds(40), .seconds(50), .requestTimeout), (.seconds(50), .seconds(40), .indicationTimeout),
        ]
        for (request, indication, failure) in cases {
            var bearer = self.waiting(request: request, indication: indication)
            #expect(bearer.nextDeadline == (failure == nil ? nil : Self.start + .seconds(40)))
            var actions: [ATTBearer.Action] = []
            bearer.advance(to: Self.start + .seconds(40) - .nanoseconds(1), into: &actions)
            #expect(bearer.isUsable && actions.isEmpty)
            bearer.advance(to: Self.start + .seconds(40), into: &actions)
            #expect(self.failures(actions) == (failure.map { [$0] } ?? []))
            #expect(bearer.isUsable == (failure == nil))
        }
    }

    @Test("a bearer that has failed has no deadline, and fails once")
    func failedOnce() {
        var bearer = self.waiting(request: nil, indication: .seconds(40))
        var actions: [ATTBearer.Action] = []
        bearer.fail(.requestWhilePending, into: &actions)
        bearer.server.outstanding = .serviceChanged(deadline: Self.start + .seconds(40))
        #expect(bearer.nextDeadline == nil)
        bearer.advance(to: Self.start + .hours(1), into: &actions)
        bearer.fail(.requestTimeout, into: &actions)
        #expect(self.failures(actions) == [.requestWhilePending])
        #expect(bearer.condition == .failed(.requestWhilePending))
    }

    @Test("notifications of two owners do not share a PDU, and each is counted for its own")
    func owners() {
        let one = TransmitToken(rawValue: 1)
        let other = TransmitToken(rawValue: 2)
        for count in 1...2 {
            var bearer = self.bearer()
            var actions: [ATTBearer.Action] = []
            for token in Array(repeating: one, count: count) + [other] {
                let value = GATTServer.Client.Value(handle: 3, value: ByteBuffer(bytes: [0xAA]), token: token)
                bearer.batch(value, into: &actions)
            }
            bearer.flushBatch(into: &actions)
            let sent = actions.compactMap { action -> Transmission? in
                if case .send(_, let transmission) = action { transmission } else { nil }
            }
            #expect(sent == [Transmission(token: one, count: count), Transmission(token: other, count: 1)])
        }
    }
}
