// How a host takes leave of its controller. A controller goes on with what it was told when its host has gone: it
// advertises, and keeps links whose peers wait for answers in vain. Only some are cleared by whoever is behind them.

import BluetoothHCI
public import NIOCore

/// A controller that is about to be let go.
struct Leave {
    /// Whether links may still send what waits on them.
    var isPatient = true
    /// The ends of patience and of all waiting.
    var timers: [Scheduled<Void>] = []
    /// Who waits for the end.
    var completion: () -> Void
}

extension LEHost {
    /// Lets the controller go with a word to everybody: advertising, scanning and pending connections are stopped, links
    /// send what waits on them and are ended.
    ///
    /// A controller that does not answer, or a peer that does not take what is sent, delays this for `limit` at most. The
    /// user asks nothing more of the host until `completion` is called, which happens once, in a later turn.
    public func detachGracefully(within limit: TimeAmount, completion: @escaping () -> Void) {
        guard case .ready = self.state, self.leave == nil else {
            // A controller that starts has just been reset.
            self.detach()
            return self.afterwards(completion)
        }
        self.leave = Leave(completion: completion)
        let eventLoop = self.eventLoop.assumeIsolated()
        self.leave?.timers = [
            eventLoop.scheduleTask(in: .nanoseconds(limit.nanoseconds / 2)) { [weak self] in
                self?.leave?.isPatient = false
                self?.scheduleTurn()
            },
            eventLoop.scheduleTask(in: limit) { [weak self] in
                guard let self, self.leave != nil else { return }
                self.log.warning("the controller was let go before it had ended everything")
                self.detach()
            },
        ]
        self.advertiser.stop()
        self.scanner.stop()
        for address in self.initiator.pending { _ = self.initiator.cancel(address) }
        self.scheduleTurn()
    }

    /// Ends the links of a host that leaves, those that came meanwhile, too.
    func endLinksWhenLeaving() {
        guard let leave = self.leave else { return }
        for link in self.openLinks where link.isQuiet || !leave.isPatient {
            self.disconnect(link, reason: .remoteUserTerminated)
        }
    }

    /// Lets the controller go that does nothing any more.
    func detachWhenLeft() {
        guard self.leave != nil, self.openLinks.isEmpty, self.advertiser.isOff, self.scanner.isOff,
            self.initiator.isIdle
        else { return }
        self.detach()
    }

    /// The controller is let go, one way or the other.
    func tellLeave() {
        guard let leave = self.leave else { return }
        self.leave = nil
        for timer in leave.timers { timer.cancel() }
        self.afterwards(leave.completion)
    }
}

extension HostLink {
    /// Whether everything that was to be sent has been.
    fileprivate var isQuiet: Bool { self.outgoing.isEmpty && self.packetsInController == 0 }
}
