// How a host shuts down gracefully. A controller goes on with what it was configured for when its host has gone: it
// advertises, and keeps links whose peers wait for answers that never come. Few controllers are reset by what is behind
// them.
//
//     running ── detachGracefully ──▶ sending ── half of the limit ──▶ disconnecting ── the limit ──▶ detached
//                                        └───────── nothing is left ──────────┴──────────────────────▶ detached
//
// sending: advertising, scanning and pending connections are stopped; a link is ended once everything that was queued
// on it has left. disconnecting: links are ended with what they have. A peer that takes nothing, or a controller that
// does not answer, costs the limit at most. Time comes in through the event loop.

import BluetoothHCI
public import NIOCore

/// A graceful shutdown under way.
struct Shutdown {
    /// Whether links may still send what is queued on them.
    var isSending = true
    /// The ends of sending and of the shutdown.
    var timers: [Scheduled<Void>] = []
    /// Called at the end.
    var completion: () -> Void
}

extension LEHost {
    /// Detaches from the controller gracefully: advertising, scanning and pending connections are stopped, links send
    /// what is queued on them and are ended.
    ///
    /// A controller that does not answer, or a peer that does not take what is sent, delays this for `limit` at most.
    /// The user asks nothing more of the host until `completion` is called, which happens once, in a later turn.
    public func detachGracefully(within limit: TimeAmount, completion: @escaping () -> Void) {
        self.assertOnEventLoop()
        guard case .ready = self.state, self.shutdown == nil else {
            // A controller that starts has just been reset.
            self.detach()
            return self.afterwards(completion)
        }
        self.shutdown = Shutdown(completion: completion)
        let now = self.eventLoop.now
        self.shutdown?.timers = [
            self.schedule(at: now + .nanoseconds(limit.nanoseconds / 2)) { host in
                host.shutdown?.isSending = false
                host.scheduleTurn()
            },
            self.schedule(at: now + limit) { host in
                guard host.shutdown != nil else { return }
                host.log.warning("the host detached from the controller before everything had ended")
                host.detach()
            },
        ]
        self.advertiser.stop()
        self.scanner.stop()
        for address in self.initiator.pending { _ = self.initiator.cancel(address) }
        self.scheduleTurn()
    }

    /// Ends the links of a host that shuts down, also those that came meanwhile.
    func endLinksAtShutdown() {
        guard let shutdown = self.shutdown else { return }
        for link in self.openLinks where link.isQuiet || !shutdown.isSending {
            self.disconnect(link, reason: .remoteUserTerminated)
        }
    }

    /// Detaches from the controller once it does nothing any more.
    func detachAfterShutdown() {
        guard self.shutdown != nil, self.openLinks.isEmpty, self.advertiser.isOff, self.scanner.isOff,
            self.initiator.isIdle
        else { return }
        self.detach()
    }

    /// The host has detached from the controller: completes the shutdown.
    func finishShutdown() {
        guard let shutdown = self.shutdown else { return }
        self.shutdown = nil
        for timer in shutdown.timers { timer.cancel() }
        self.afterwards(shutdown.completion)
    }
}

extension HostLink {
    /// Whether everything that was to be sent has been.
    fileprivate var isQuiet: Bool { self.outgoing.isEmpty && self.packetsInController == 0 }
}
