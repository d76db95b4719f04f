// How the host uses its event loop: one turn for everything that the user asked for since the last one, one for each
// batch of the controller's packets, and a single timer for all deadlines.

import BluetoothHCI
import NIOCore

extension LEHost {
    /// Makes sure that a turn comes.
    func scheduleTurn() {
        guard !self.isTurnScheduled else { return }
        self.isTurnScheduled = true
        guard !self.isTakingCalls else { return }
        self.execute { host in
            host.isTurnScheduled = false
            host.finishTurn()
        }
    }

    /// Takes several calls of the user, which `body` makes, and carries them out when it returns: a turn of the event
    /// loop of their own would cost as much as a packet. Where packets stay in the process they have that turn, so that
    /// in virtual time devices take turns.
    ///
    /// - Returns: Whether they were carried out; the delegate was called then.
    package func takeCalls(_ body: () -> Void) -> Bool {
        guard let channel = self.channel, channel.leavesProcess, !self.isTurnScheduled, !self.isTakingCalls else {
            body()
            return false
        }
        self.isTakingCalls = true
        body()
        self.isTakingCalls = false
        guard self.isTurnScheduled else { return false }
        self.isTurnScheduled = false
        self.finishTurn()
        return true
    }

    /// Runs `work` in the coming turn, so that the user is not called re-entrantly.
    func afterwards(_ work: @escaping () -> Void) {
        self.deferred.append(work)
        self.scheduleTurn()
    }

    /// Carries out what the machines have asked for, lets packets and commands leave, and reports to the delegate.
    func finishTurn() {
        // They leave at the very end: a connection that turns out to be broken then is reported from here.
        if let channel = self.channel { channel.sendTogether(self.carryOutTurn) } else { self.carryOutTurn() }
    }

    private func carryOutTurn() {
        self.drain()
        self.flushBatches()
        self.endLinksAtShutdown()
        self.reconcile()
        self.transmit()
        self.reportReceived()
        self.reportTransmitted()
        self.reportWritability()
        self.armTimer()
        self.delegate?.hostDidFinishTurn(self)
        self.detachAfterShutdown()
    }

    /// Carries out the actions of all machines.
    func drain() {
        while !self.deferred.isEmpty || !self.linksWithWork.isEmpty {
            if !self.deferred.isEmpty {
                let work = self.deferred
                self.deferred = []
                for item in work { item() }
            }
            guard !self.linksWithWork.isEmpty else { continue }
            var links = self.spareLinks
            self.spareLinks = []
            swap(&links, &self.linksWithWork)
            for link in links {
                link.hasWork = false
                self.drainSecurity(link)
                self.drainBearer(link)
                self.drainSignalling(link)
            }
            links.removeAll(keepingCapacity: true)
            self.spareLinks = links
        }
    }

    /// Notes that a link's machines were fed by the user.
    func noteWork(_ link: HostLink) {
        guard !link.hasWork else { return }
        link.hasWork = true
        self.linksWithWork.append(link)
        self.scheduleTurn()
    }

    /// Lets commands and data leave, as many as the controller can take.
    func transmit() {
        guard let channel = self.channel else { return }
        let now = self.eventLoop.now
        let keepsBuffers = channel.leavesProcess
        if let packet = self.commands.next(now: now, timeout: self.configuration.commandTimeout) {
            channel.send(packet)
        }
        while let link = self.transmitter.nextTurn() {
            repeat {
                let (packet, tag) = link.nextPacket()
                if let packet {
                    channel.send(packet)
                    if keepsBuffers, case .transmission? = tag { self.keepBuffer(of: packet) }
                }
                if let tag { self.count(tag, on: link) }
            } while self.transmitter.goesOn(link)
            self.transmitter.enqueue(link)
        }
    }

    /// Keeps the memory of a value that has left the process, for the next one.
    private func keepBuffer(of packet: consuming HCIPacket) {
        if self.sentBuffers.count < Self.sentBufferLimit { self.sentBuffers.append(packet.bytes) }
    }

    /// How many values' memory is kept until the user takes it.
    private static var sentBufferLimit: Int { 64 }

    /// Reports how many PDUs of the user have left.
    func reportTransmitted() {
        guard !self.linksWithTransmitted.isEmpty else { return }
        var links = self.spareLinks
        self.spareLinks = []
        swap(&links, &self.linksWithTransmitted)
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
        links.removeAll(keepingCapacity: true)
        self.spareLinks = links
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
        var earliest = self.commands.nextDeadline
        func take(_ deadline: NIODeadline?) {
            guard let deadline else { return }
            earliest = min(earliest ?? deadline, deadline)
        }
        take(self.cancelDeadline)
        take(self.rotationDeadline)
        take(self.attemptDeadline)
        take(self.arbiter.deadline)
        take(self.extendedCommands.deadline)
        take(self.privacyDeadline)
        take(self.receiver.reportDeadline)
        if let armed = self.timerDeadline, armed <= self.eventLoop.now + Self.shortestLinkTimeout { return earliest }
        for link in self.openLinks {
            take(link.bearer.nextDeadline)
            take(link.client.deadline(on: link.bearer))
            take(link.signalling.nextDeadline)
            take(link.securityManager.deadline)
            take(link.disconnectDeadline)
            take(link.establishmentDeadline)
        }
        return earliest
    }

    /// Makes sure that the timer fires at the next deadline. A timer that is early enough is left alone and looks again
    /// when it fires, since deadlines are met far more often than they pass.
    private func armTimer() {
        guard let deadline = self.nextDeadline else { return }
        if let armed = self.timerDeadline, armed <= deadline { return }
        self.timerDeadline = deadline
        self.timerGeneration += 1
        let generation = self.timerGeneration
        self.schedule(at: max(deadline, self.eventLoop.now)) { host in
            guard host.timerGeneration == generation else { return }
            host.timerDeadline = nil
            host.advance(to: host.eventLoop.now)
        }
    }

    /// Has all deadlines looked up in the coming turn where the timer is too late for this one of a link: a wait that has
    /// begun before ends sooner than ``shortestLinkTimeout``.
    func reconsiderTimer(for deadline: NIODeadline?) {
        if let deadline, let armed = self.timerDeadline, deadline < armed { self.timerDeadline = nil }
    }

    /// No machine of a link sets a deadline nearer than this, except those told to ``reconsiderTimer(for:)``.
    private static let shortestLinkTimeout = min(
        ATT.transactionTimeout,
        LESignalling.parameterRequestTimeout,
        CreditBasedChannel.timeout,
        SecurityManager.timeout,
        LEHost.disconnectTimeout
    )

    private func advance(to now: NIODeadline) {
        if let entry = self.commands.expired(at: now) {
            // Reset is sent again, and has a line of its own in the end.
            if entry.opcode != Reset.opcode {
                // Sent before all others, so that a controller that has stopped is found out before more commands wait.
                self.probe()
                self.log.warning("the controller did not answer command \(entry.opcode)")
            }
            entry.completion(.unanswered)
        }
        if let deadline = self.receiver.reportDeadline, deadline <= now { self.receiver.reportNow() }
        self.endOverdueLinks(at: now)
        self.establishLinks(at: now)
        self.advanceInitiator(to: now)
        self.advanceExtendedCommands(to: now)
        for link in self.openLinks {
            link.client.advance(to: now, on: &link.bearer, into: &link.bearerActions)
            link.bearer.advance(to: now, into: &link.bearerActions)
            link.signalling.advance(to: now, into: &link.signallingActions)
            self.updateSecurity(of: link) { $0.advance(&$1) }
            self.noteWork(link)
        }
        self.finishTurn()
    }
}
