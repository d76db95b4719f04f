// The bearer of a link: its MTU, its two deadlines, and what is left of it when it has failed.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT bearer")
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

    // MARK: What the client is asked for

    /// The PDUs that are sent.
    private func sent(_ actions: [ATTBearer.Action]) -> [String] {
        actions.compactMap { action -> String? in
            if case .send(let pdu, _) = action { hex(pdu) } else { nil }
        }
    }

    /// The procedures whose results are reported.
    private func reported(_ actions: [ATTBearer.Action]) -> [UInt64] {
        actions.compactMap { action -> UInt64? in
            if case .report(let procedure) = action { procedure.id.rawValue } else { nil }
        }
    }

    /// Reports the results, as the driver does.
    private func report(_ actions: inout [ATTBearer.Action]) {
        for case .report(let procedure) in actions { procedure.report() }
        actions = []
    }

    @Test("what a failed bearer is asked for ends at once where its server is silent, else with the link, and once")
    func askedAfterFailure() {
        for failure in [ATTBearer.Failure.requestTimeout, .indicationTimeout, .requestWhilePending] {
            var bearer = self.bearer()
            var actions: [ATTBearer.Action] = []
            var errors: [GATTError] = []
            func ask(_ number: UInt64) {
                let procedure = OwnedProcedure(ReadValue(3), id: GATTProcedureID(rawValue: number)) { result in
                    if case .failure(let error) = result { errors.append(error) }
                }
                bearer.perform(procedure, into: &actions)
                self.report(&actions)
            }
            ask(1)
            ask(2)
            bearer.proceed(now: Self.start, into: &actions)
            #expect(self.sent(actions) == ["0A 03 00"])
            bearer.fail(failure, into: &actions)
            self.report(&actions)
            let isSilent = failure == .requestTimeout
            #expect(errors == (isSilent ? [.transactionTimeout, .transactionTimeout] : []))
            ask(3)
            bearer.proceed(now: Self.start, into: &actions)
            #expect(actions.isEmpty, "nothing more is sent")
            #expect(errors.count == (isSilent ? 3 : 0))
            for _ in 0..<2 {
                bearer.close(reason: .remoteUserTerminated, into: &actions)
                self.report(&actions)
            }
            let ended = GATTError.disconnected(.remoteUserTerminated)
            let error = isSilent ? GATTError.transactionTimeout : ended
            #expect(errors == [error, error, error])
            ask(4)
            #expect(errors.count == 4 && errors.last == ended)
            #expect(bearer.condition == .closed(.remoteUserTerminated))
        }
    }

    @Test("the MTU is asked for once, before all that waits; who asks again gets what holds then (3.4.2.1)")
    func mtuOnce() {
        var bearer = self.bearer()
        var actions: [ATTBearer.Action] = []
        var results: [String] = []
        func exchange(_ number: UInt64) {
            bearer.exchangeMTU(preferred: 100, id: GATTProcedureID(rawValue: number), into: &actions) { result in
                results.append("\(number) \((try? result.get()) ?? 0)")
            }
        }
        #expect(!bearer.isExchangingMTU)
        bearer.perform(OwnedProcedure(ReadValue(3), id: GATTProcedureID(rawValue: 1)) { _ in }, into: &actions)
        exchange(2)
        exchange(3)
        #expect(bearer.isExchangingMTU)
        self.report(&actions)
        #expect(results == ["3 23"])
        bearer.proceed(now: Self.start, into: &actions)
        #expect(self.sent(actions) == ["02 64 00"])
        actions = []
        bearer.receiveAsClient(hex("03 50 00"), now: Self.start, into: &actions)
        #expect(!bearer.isExchangingMTU && bearer.mtu == 80)
        self.report(&actions)
        exchange(4)
        self.report(&actions)
        #expect(results == ["3 23", "2 80", "4 80"])
        bearer.proceed(now: Self.start, into: &actions)
        #expect(self.sent(actions) == ["0A 03 00"])

        // The end of the link ends the exchange, and nothing is held back for it any more.
        var ended = self.bearer()
        actions = []
        ended.exchangeMTU(preferred: 100, id: GATTProcedureID(rawValue: 1), into: &actions) { _ in }
        #expect(ended.isExchangingMTU && actions.isEmpty)
        ended.close(reason: .remoteUserTerminated, into: &actions)
        #expect(!ended.isExchangingMTU && self.reported(actions) == [1])
        actions = []
        ended.exchangeMTU(preferred: 100, id: GATTProcedureID(rawValue: 2), into: &actions) { _ in }
        #expect(!ended.isExchangingMTU && self.reported(actions) == [2])
    }

    @Test("what goes to the head of the queue counts as waiting, until it begins or is cancelled")
    func headOfTheQueue() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1), queueLimit: 2)
        var actions: [ATTBearer.Action] = []
        func read(_ number: UInt64) -> OwnedProcedure {
            OwnedProcedure(ReadValue(AttributeHandle(number)), id: GATTProcedureID(rawValue: number)) { _ in }
        }
        /// Whether one more procedure may wait; where it may not, it is reported at once.
        func waits(_ number: UInt64) -> Bool {
            actions = []
            bearer.perform(read(number), into: &actions)
            return self.reported(actions) != [number]
        }
        bearer.performNext(read(1), into: &actions)
        bearer.exchangeMTU(preferred: 23, id: GATTProcedureID(rawValue: 2), into: &actions) { _ in }
        #expect(actions.isEmpty)
        #expect(!waits(3))
        bearer.cancel(GATTProcedureID(rawValue: 1))
        #expect(waits(4) && !waits(5))
        actions = []
        bearer.proceed(now: Self.start, into: &actions)
        #expect(self.sent(actions) == ["02 17 00"])
        #expect(waits(6) && !waits(7))
        actions = []
        bearer.receiveAsClient(hex("03 17 00"), now: Self.start, into: &actions)
        bearer.proceed(now: Self.start, into: &actions)
        #expect(self.sent(actions) == ["0A 04 00"] && self.reported(actions) == [2])
        #expect(waits(8) && !waits(9))
    }
}
