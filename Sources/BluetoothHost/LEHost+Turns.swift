// The host's turns on its event loop: one for all calls that the user has made since the last one, one for each batch
// of the controller's packets, and a single timer for all deadlines.

import BluetoothHCI
import NIOCore

extension LEHost {
    /// Runs `body`, in which the user makes several calls, and carries them out when it returns: a separate turn of the
    /// event loop would cost as much as a packet. If packets stay in the process, the calls get a separate turn, so
    /// that devices take turns in virtual time.
    ///
    /// - Returns: Whether the calls have been carried out; if so, the delegate has been called.
    package func takeCalls(_ body: () -> Void) -> Bool {
        guard let channel = self.controller.channel, channel.leavesProcess else {
            body()
            return false
        }
        guard self.loop.takeCalls(body) else { return false }
        self.finishTurn()
        return true
    }

    /// Runs `work` in the next turn, so that the user is not called re-entrantly.
    func afterwards(_ work: @escaping () -> Void) { self.loop.afterwards(work) }

    /// Carries out the actions of the machines, sends packets and commands, and reports to the delegate.
    func finishTurn() {
        // Packets leave at the very end: if the transport turns out to be broken, it is reported from here.
        if let channel = self.controller.channel {
            channel.sendTogether(self.carryOutTurn)
        } else {
            self.carryOutTurn()
        }
    }

    private func carryOutTurn() {
        self.drain()
        self.flushBatches()
        if self.shutdown.isUnderWay { self.endLinksAtShutdown() }
        self.radio.reconcile()
        self.transmit()
        self.traffic.reportReceived(of: self.openLinks.all, on: self.controller.channel)
        self.reportTransmitted()
        self.channels.reportWritability()
        self.loop.arm(for: self.nextDeadline)
        self.delegate?.hostDidFinishTurn(self)
        // Once nothing is left to end.
        if self.shutdown.isUnderWay, self.openLinks.all.isEmpty, self.radio.isSilent { self.detach() }
    }

    private func endLinksAtShutdown() {
        for link in self.openLinks.all where self.shutdown.ends(link) {
            self.openLinks.disconnect(link, reason: .remoteUserTerminated)
        }
    }

    /// Carries out the actions of all machines.
    func drain() {
        while self.loop.hasDeferred || self.openLinks.haveWork {
            self.loop.performDeferred()
            self.openLinks.takeWork { link in
                self.security.drain(link)
                self.drainBearer(link)
                self.channels.drain(link)
            }
        }
    }

    /// Notes that a link's machines have work from the user.
    func noteWork(_ link: HostLink) {
        self.openLinks.noteWork(link)
    }

    /// Sends commands and data, as many as the controller accepts.
    func transmit() {
        guard let channel = self.controller.channel else { return }
        self.controller.transmit()
        self.traffic.transmit(on: channel) { tag, link in self.count(tag, on: link) }
    }

    /// Reports the number of the user's PDUs that have left.
    func reportTransmitted() {
        self.openLinks.takeTransmitted { link, transmission in
            self.delegate?.host(self, link: link.id, didTransmit: transmission.count, for: transmission.token)
        }
    }

    /// Notes that a frame has left or was dropped.
    func count(_ tag: FrameTag, on link: HostLink) {
        switch tag {
        case .none: break
        case .channel(let id): self.channels.frameSent(id, on: link)
        case .transmission(let transmission): self.openLinks.count(transmission, on: link)
        }
    }

    // MARK: Time

    /// The earliest deadline of all machines.
    ///
    /// If the timer is due soon enough, the links' deadlines are not looked up: none that was set since it was armed is
    /// earlier.
    private var nextDeadline: NIODeadline? {
        var earliest = self.controller.deadline
        func take(_ deadline: NIODeadline?) {
            guard let deadline else { return }
            earliest = min(earliest ?? deadline, deadline)
        }
        take(self.radio.deadline)
        take(self.traffic.deadline)
        if self.loop.isArmed(until: self.eventLoop.now + Self.shortestLinkTimeout) { return earliest }
        for link in self.openLinks.all {
            take(link.bearer.nextDeadline)
            take(link.client.deadline(on: link.bearer))
            take(link.signalling.nextDeadline)
            take(link.securityManager.deadline)
            take(link.disconnectDeadline)
            take(link.establishmentDeadline)
        }
        return earliest
    }

    /// No machine of a link sets an earlier deadline than this, except those passed to
    /// ``HostLoop/reconsiderTimer(for:)``.
    private static let shortestLinkTimeout = min(
        ATT.transactionTimeout,
        LESignalling.parameterRequestTimeout,
        CreditBasedChannel.timeout,
        SecurityManager.timeout,
        HostLinks.disconnectTimeout
    )

    func advance(to now: NIODeadline) {
        self.controller.advance(to: now)
        self.traffic.advance(to: now)
        self.openLinks.endOverdue(at: now)
        self.openLinks.establish(at: now)
        self.radio.advance(to: now)
        for link in self.openLinks.all {
            link.client.advance(to: now, on: &link.bearer, into: &link.bearerActions)
            link.bearer.advance(to: now, into: &link.bearerActions)
            link.signalling.advance(to: now, into: &link.signallingActions)
            self.security.update(link) { $0.advance(&$1) }
            self.noteWork(link)
        }
        self.finishTurn()
    }
}
