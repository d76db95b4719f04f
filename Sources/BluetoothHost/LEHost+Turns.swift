// How the host uses its event loop: one turn for everything that the user asked for since the last one, one for each
// batch of the controller's packets, and a single timer for all deadlines.

import BluetoothHCI
import NIOCore

extension LEHost {
    /// Takes several calls of the user, which `body` makes, and carries them out when it returns: a turn of the event
    /// loop of their own would cost as much as a packet. Where packets stay in the process they have that turn, so that
    /// in virtual time devices take turns.
    ///
    /// - Returns: Whether they were carried out; the delegate was called then.
    package func takeCalls(_ body: () -> Void) -> Bool {
        guard let channel = self.controller.channel, channel.leavesProcess else {
            body()
            return false
        }
        guard self.loop.takeCalls(body) else { return false }
        self.finishTurn()
        return true
    }

    /// Runs `work` in the coming turn, so that the user is not called re-entrantly.
    func afterwards(_ work: @escaping () -> Void) { self.loop.afterwards(work) }

    /// Carries out what the machines have asked for, lets packets and commands leave, and reports to the delegate.
    func finishTurn() {
        // They leave at the very end: a connection that turns out to be broken then is reported from here.
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
        self.reportWritability()
        self.loop.arm(for: self.nextDeadline)
        self.delegate?.hostDidFinishTurn(self)
        // Once it does nothing any more.
        if self.shutdown.isUnderWay, self.openLinks.all.isEmpty, self.radio.isSilent { self.detach() }
    }

    private func endLinksAtShutdown() {
        for link in self.openLinks.all where self.shutdown.ends(link) {
            self.openLinks.disconnect(link, reason: .remoteUserTerminated)
        }
    }

    /// Carries out the actions of all machines.
    func drain() {
        while self.loop.hasDeferred || !self.linksWithWork.isEmpty {
            self.loop.performDeferred()
            guard !self.linksWithWork.isEmpty else { continue }
            let links = self.linksWithWork.take()
            for link in links {
                link.hasWork = false
                self.security.drain(link)
                self.drainBearer(link)
                self.drainSignalling(link)
            }
            self.linksWithWork.reuse(links)
        }
    }

    /// Notes that a link's machines were fed by the user.
    func noteWork(_ link: HostLink) {
        guard !link.hasWork else { return }
        link.hasWork = true
        self.linksWithWork.append(link)
        self.loop.scheduleTurn()
    }

    /// Lets commands and data leave, as many as the controller can take.
    func transmit() {
        guard let channel = self.controller.channel else { return }
        self.controller.transmit()
        self.traffic.transmit(on: channel) { tag, link in self.count(tag, on: link) }
    }

    /// Reports how many PDUs of the user have left.
    func reportTransmitted() {
        guard !self.linksWithTransmitted.isEmpty else { return }
        let links = self.linksWithTransmitted.take()
        for link in links {
            link.hasTransmitted = false
            var tally = self.spareTally
            self.spareTally = TransmitTally()
            swap(&tally, &link.transmitted)
            for entry in tally.transmissions {
                self.delegate?.host(self, link: link.id, didTransmit: entry.count, for: entry.token)
            }
            tally.removeAll()
            self.spareTally = tally
        }
        self.linksWithTransmitted.reuse(links)
    }

    /// Notes what has become of a frame that has left or died.
    func count(_ tag: FrameTag, on link: HostLink) {
        switch tag {
        case .none: break
        case .channel(let id): self.channelFrameSent(id, on: link)
        case .transmission(let transmission): self.count(transmission, on: link)
        }
    }

    /// Counts what has left, or will never leave, for the user.
    func count(_ transmission: Transmission, on link: HostLink) {
        link.transmitted.add(transmission.token, count: transmission.count)
        guard !link.hasTransmitted else { return }
        link.hasTransmitted = true
        self.linksWithTransmitted.append(link)
    }

    // MARK: Time

    /// The earliest deadline of all machines.
    ///
    /// With a timer due soon enough, those of the links are not looked up: none that was set since it was armed is
    /// nearer.
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

    /// No machine of a link sets a deadline nearer than this, except those told to ``HostLoop/reconsiderTimer(for:)``.
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
