// LE ping and the authenticated payload timeout (Vol 6, Part B, 5.1.8 and 5.4): each end of an encrypted link makes
// sure that it gets a packet with a valid integrity code within the time that its host wants. Where no data comes, it
// asks for one with LL_PING_REQ; the answer carries the code. Without any the host is notified, and the time begins
// again.
//
//     not encrypted ──encrypted──▶ running ──quiet until shortly before the timeout──▶ pinged ──a packet──▶ running
//                                     ▲ └──────paused, or the link ends──▶ not encrypted      │
//                                     └──────── timeout: event to the host ───────────────────┘
//
// not encrypted: the timer is not armed. running: it waits for the moment of the ping. pinged: it waits for the
// timeout; `.ping` stays in `awaited` until the answer, so that one LL_PING_REQ waits at most. An end that was heard
// meanwhile just moves its times on: nothing is armed for a packet, `lastAuthenticatedPayload` is stored.
//
// A peer can be silent, and then the host gets the event each time; it cannot make this end send more than one
// LL_PING_RSP for each of its own requests. Time comes in through the `payloadTimer` of each end.

import BluetoothHCI
import NIOCore

extension AirLink {
    /// The ping goes out so many connection events before the timeout, so that it can be lost and sent again.
    private static let eventsForPing = 6

    /// The time begins again: encryption has started, or the host has set another timeout.
    func startPayloadTimer(at end: LinkEnd) {
        guard end.isEncrypted, end.isPresent else { return }
        end.lastAuthenticatedPayload = self.air.now
        self.armPayloadTimer(at: end)
    }

    /// How long before its timeout an end pings.
    private func pingMargin(of end: LinkEnd) -> TimeAmount {
        let attended = self.timing.interval.timeAmount * (1 + Int(self.timing.latency))
        let half = end.authenticatedPayloadTimeout.timeAmount.nanoseconds / 2
        return .nanoseconds(min(attended.nanoseconds * Int64(Self.eventsForPing), half))
    }

    private func armPayloadTimer(at end: LinkEnd) {
        let timeout = end.lastAuthenticatedPayload + end.authenticatedPayloadTimeout.timeAmount
        let ping = timeout - self.pingMargin(of: end)
        self.air.arm(end.payloadTimer, at: self.air.now < ping ? ping : timeout)
    }

    func payloadTimerFired(at end: LinkEnd) {
        guard end.isPresent, end.isEncrypted else { return }
        let now = self.air.now
        let timeout = end.lastAuthenticatedPayload + end.authenticatedPayloadTimeout.timeAmount
        if timeout <= now {
            end.lastAuthenticatedPayload = now
            end.controller.emit(AuthenticatedPayloadTimeoutExpired(handle: end.handle))
        } else if timeout - self.pingMargin(of: end) <= now, !end.awaited.contains(.ping) {
            end.awaited.insert(.ping)
            self.send(.pingRequest, from: end)
        }
        // Without air time the answer has come already.
        self.armPayloadTimer(at: end)
    }
}
