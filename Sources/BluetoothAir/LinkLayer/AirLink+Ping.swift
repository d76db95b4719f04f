// LE ping and the authenticated payload timeout (Vol 6, Part B, 5.1.8 and 5.4): each end of an encrypted link makes
// sure that it receives a packet with a valid integrity code within its host's timeout. If no data arrives, it asks for
// such a packet with LL_PING_REQ. If the timeout expires, the host is notified and the timer restarts.
//
//     not encrypted ──encrypted──▶ running ──quiet until shortly before the timeout──▶ pinged ──a packet──▶ running
//                                     ▲ └──────paused, or the link ends──▶ not encrypted      │
//                                     └──────── timeout: event to the host ───────────────────┘
//
// not encrypted: the timer is not armed. running: it waits until a ping is due. pinged: it waits for the timeout;
// `.ping` stays in `awaited` until the answer, so that at most one LL_PING_REQ is pending. A received packet only sets
// `lastAuthenticatedPayload`; the timer finds that out when it fires.
//
// If a peer is silent, the host gets the event each time; a peer cannot make this end send more than one LL_PING_RSP
// for each of its requests. Each end has its own `payloadTimer`.

import BluetoothHCI
import NIOCore

extension AirLink {
    /// The ping is sent this many connection events before the timeout, so that it can be lost and sent again.
    private static let eventsForPing = 6

    /// Restarts the timer: encryption has started, or the host has set another timeout.
    func startPayloadTimer(at end: LinkEnd) {
        guard end.isEncrypted, end.isPresent else { return }
        end.lastAuthenticatedPayload = self.air.now
        self.armPayloadTimer(at: end)
    }

    /// The time between a ping and the timeout.
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
        // Without air time the answer has already arrived.
        self.armPayloadTimer(at: end)
    }
}
