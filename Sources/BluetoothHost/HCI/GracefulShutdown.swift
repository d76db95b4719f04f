// The graceful shutdown of a host. When a host just leaves, its controller keeps advertising, and keeps links whose
// peers wait for answers that never come. Few controllers are reset by whatever serves them.
//
//      idle   ── detachGracefully ──▶ sending ── half of the limit ──▶ disconnecting ── the limit ──▶ detached
//                                        └───────── nothing is left ──────────┴──────────────────────▶ detached
//
// sending: advertising, scanning and pending connections are stopped; a link is ended once its queue has been sent.
// disconnecting: links are ended with the rest of their queues. A peer that accepts nothing, or a controller that does
// not answer, cannot delay it beyond the limit.

import NIOCore

/// The graceful shutdown of a host.
final class GracefulShutdown {
    private struct Plan {
        /// The deadlines of sending and of the shutdown.
        var timers: [Scheduled<Void>]
        /// Called when the shutdown is over.
        var completion: () -> Void
    }

    private enum State {
        case idle
        case sending(Plan)
        case disconnecting(Plan)
    }

    @exclusivity(unchecked) private var state = State.idle
    private let loop: HostLoop

    init(_ loop: HostLoop) { self.loop = loop }

    /// Whether the host is shutting down.
    var isUnderWay: Bool { if case .idle = self.state { false } else { true } }

    /// Begins to shut down.
    /// - Parameters:
    ///   - limit: How long the shutdown may take.
    ///   - expired: Called if it takes longer.
    ///   - completion: Called in a turn after ``finish()``.
    func begin(within limit: TimeAmount, expired: @escaping () -> Void, completion: @escaping () -> Void) {
        let now = self.loop.now
        let half = TimeAmount.nanoseconds(limit.nanoseconds / 2)
        let timers = [
            self.loop.schedule(at: now + half) { [unowned self] _ in
                guard case .sending(let plan) = self.state else { return }
                self.state = .disconnecting(plan)
                self.loop.scheduleTurn()
            },
            self.loop.schedule(at: now + limit) { [unowned self] _ in if self.isUnderWay { expired() } },
        ]
        self.state = .sending(Plan(timers: timers, completion: completion))
        self.loop.scheduleTurn()
    }

    /// Whether to end a link now, including a new one.
    func ends(_ link: HostLink) -> Bool {
        switch self.state {
        case .idle: false
        case .sending: link.isQuiet
        case .disconnecting: true
        }
    }

    /// The host has detached from the controller.
    func finish() {
        switch self.state {
        case .idle: break
        case .sending(let plan), .disconnecting(let plan):
            self.state = .idle
            for timer in plan.timers { timer.cancel() }
            self.loop.afterwards(plan.completion)
        }
    }
}

extension HostLink {
    /// Whether everything has been sent.
    fileprivate var isQuiet: Bool { self.outgoing.isEmpty && self.packetsInController == 0 }
}
