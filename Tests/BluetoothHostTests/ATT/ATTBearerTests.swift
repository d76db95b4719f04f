import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT bearer")
struct ATTBearerTests {
    private static let start = NIODeadline.uptimeNanoseconds(1)

    /// Awaits the response to a request until `request`, the confirmation of an indication until `indication`.
    private func waiting(request: TimeAmount? = nil, indication: TimeAmount?) -> ClientScript {
        var script = ClientScript()
        if let request {
            script.now = Self.start + request - ATT.transactionTimeout
            script.start(.read(0x0003))
        }
        if let indication { script.bearer.server.outstanding = .serviceChanged(deadline: Self.start + indication) }
        return script
    }

    private func failures(_ actions: [ATTBearer.Action]) -> [ATTBearer.Failure] {
        actions.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    }

    @Test(
        "keeps the MTU between 23 and 517 octets, whatever is preferred and agreed on",
        arguments: [(0, 23), (22, 23), (23, 23), (24, 24), (516, 516), (517, 517), (518, 517)]
    )
    func limits(wanted: Int, mtu: Int) {
        #expect(ATTBearer(link: LinkID(rawValue: 1), preferredMTU: wanted).preferredMTU == mtu)
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        #expect(bearer.preferredMTU == 517 && bearer.mtu == 23)
        bearer.setMTU(wanted, into: &actions)
        #expect(bearer.mtu == mtu)
        #expect(actions.count == (mtu == 23 ? 0 : 1), "no change is not reported")
    }

    @Test(
        "fails 30 s after the earlier one of its two transactions began",
        arguments: [
            (nil, nil, nil), (.seconds(40), nil, .requestTimeout), (nil, .seconds(40), .indicationTimeout),
            (.seconds(40), .seconds(50), .requestTimeout), (.seconds(50), .seconds(40), .indicationTimeout),
        ] as [(TimeAmount?, TimeAmount?, ATTBearer.Failure?)]
    )
    func deadlines(request: TimeAmount?, indication: TimeAmount?, failure: ATTBearer.Failure?) {
        var link = self.waiting(request: request, indication: indication)
        let deadlines = [link.bearer.nextDeadline, link.deadline].compactMap { $0 }
        #expect(deadlines.min() == (failure == nil ? nil : Self.start + .seconds(40)))
        var actions: [ATTBearer.Action] = []
        for time in [Self.start + .seconds(40) - .nanoseconds(1), Self.start + .seconds(40)] {
            #expect(link.bearer.isUsable && actions.isEmpty)
            link.client.advance(to: time, on: &link.bearer, into: &actions)
            link.bearer.advance(to: time, into: &actions)
        }
        #expect(self.failures(actions) == (failure.map { [$0] } ?? []))
        #expect(link.bearer.isUsable == (failure == nil))
        #expect(failure == nil || link.bearer.nextDeadline == nil && link.deadline == nil)
    }

    @Test("fails once, and has no deadline afterwards")
    func failedOnce() {
        var bearer = self.waiting(indication: .seconds(40)).bearer
        var actions: [ATTBearer.Action] = []
        bearer.fail(.requestWhilePending, into: &actions)
        bearer.server.outstanding = .serviceChanged(deadline: Self.start + .seconds(40))
        #expect(bearer.nextDeadline == nil)
        bearer.advance(to: Self.start + .hours(1), into: &actions)
        bearer.fail(.requestTimeout, into: &actions)
        #expect(self.failures(actions) == [.requestWhilePending])
        #expect(bearer.condition == .failed(.requestWhilePending))
    }

    @Test("closes once, and neither fails nor has a deadline afterwards")
    func closedOnce() {
        var bearer = self.waiting(indication: .seconds(40)).bearer
        var actions: [ATTBearer.Action] = []
        bearer.close(reason: .remoteUserTerminated)
        #expect(!bearer.isUsable && bearer.nextDeadline == nil)
        bearer.advance(to: Self.start + .hours(1), into: &actions)
        bearer.fail(.indicationTimeout, into: &actions)
        bearer.close(reason: .connectionTimeout)
        #expect(actions.isEmpty)
        #expect(bearer.condition == .closed(.remoteUserTerminated))
    }
}
