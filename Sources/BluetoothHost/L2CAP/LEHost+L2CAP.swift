// The host's LE credit-based channels for the user: octet streams with back-pressure in both directions (Vol 3, Part A,
// 3.4 and 10.1). What is decided is decided in CreditBasedChannel; the host carries it out.
//
// A channel takes what `write` has capacity for, and reports when there is capacity again. What comes belongs to the
// user until it is given back with `consume`; the peer can send no more than the window beyond that. In the link's
// queue a channel has one frame at a time and the next one when that has left, so that ATT and other channels go in
// between.

import BluetoothHCI
public import NIOCore

extension LEHost {
    // MARK: For the user

    /// Lets peers open channels on an SPSM, on all links, until it is stopped. Each request that the specification
    /// allows is put before the delegate.
    /// - Parameters:
    ///   - spsm: The service; `nil` for a free SPSM of the dynamic range, the next one after that given out last.
    ///   - first: The dynamic SPSM that is given out first.
    ///   - configuration: What this side takes on such a channel.
    ///   - security: What the link has to be before a channel is opened.
    /// - Returns: The SPSM.
    public func listenForChannels(
        spsm: SPSM? = nil,
        from first: SPSM = SPSM.dynamicRange.lowerBound,
        configuration: L2CAPChannelConfiguration = L2CAPChannelConfiguration(),
        security: SecurityRequirement = .none
    ) throws(L2CAPListenError) -> SPSM {
        self.assertOnEventLoop()
        let listener = CreditBasedChannels.Listener(configuration: configuration, security: security)
        let spsm = try self.l2capChannels.listen(on: spsm, from: first, listener)
        self.updateListeners()
        return spsm
    }

    /// Lets peers open no more channels on an SPSM; those that are open stay.
    public func stopListening(spsm: SPSM) {
        self.assertOnEventLoop()
        self.l2capChannels.stopListening(on: spsm)
        self.updateListeners()
    }

    private func updateListeners() {
        for link in self.openLinks.all { link.signalling.channels.listeners = self.l2capChannels.listeners }
        self.onListenersChange?()
    }

    /// Asks a peer for a channel. The completion comes before anything that the channel receives.
    public func openChannel(
        on link: LinkID,
        spsm: SPSM,
        configuration: L2CAPChannelConfiguration = L2CAPChannelConfiguration(),
        completion: @escaping (Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void
    ) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else {
            return self.afterwards { completion(.failure(.notConnected)) }
        }
        let id = self.l2capChannels.makeID()
        self.l2capChannels.insert(id, opening: completion)
        link.requestedChannels[id] = HostLink.RequestedChannel(
            spsm: spsm,
            configuration: configuration,
            level: link.bearer.security.level,
            refusal: link.isHeld ? .refused(.insufficientEncryption) : nil
        )
        // Nobody has shown yet that it is the bonded peer (CVE-2020-9770).
        guard !link.isHeld else { return self.security.secure(link, .encrypted) }
        self.requestChannel(id, on: link)
    }

    /// Asks the peer for a channel, for the first time or once more.
    func requestChannel(_ id: L2CAPChannelID, on link: HostLink) {
        guard let request = link.requestedChannels[id] else { return }
        link.requestedChannels[id]?.level = link.bearer.security.level
        link.signalling.openChannel(
            id,
            to: request.spsm,
            request.configuration,
            now: self.eventLoop.now,
            into: &link.signallingActions
        )
        self.noteWork(link)
    }

    /// What is known of a channel; `nil` after its end.
    public func information(of channel: L2CAPChannelID) -> L2CAPChannelInformation? {
        self.assertOnEventLoop()
        return self.l2capChannels[channel]?.information
    }

    /// Sends octets on a channel, as many as there is capacity for. Where these are not all,
    /// `host(_:channelIsReadyToSend:)` reports when there is capacity again.
    ///
    /// The octets are a stream: how they are cut for the peer follows from what it takes, not from the calls.
    /// - Returns: How many octets were taken, from the first on; 0 on a channel that is closed.
    public func write(_ octets: ByteBuffer, on channel: L2CAPChannelID) -> Int {
        self.assertOnEventLoop()
        return self.update(channel) { $0.write(octets, &$1) } ?? 0
    }

    /// Gives back octets that came on a channel, the oldest first, so that the peer may send more. More than came means
    /// all.
    public func consume(_ count: Int, of channel: L2CAPChannelID) {
        self.assertOnEventLoop()
        self.update(channel) { $0.consume(count, &$1) }
    }

    /// Ends a channel once everything that was taken by ``write(_:on:)``, and then `lastOctets`, has left. Nothing more
    /// is received from now on; the end is reported to the delegate.
    ///
    /// A peer that takes no frame for 30 s loses what is left.
    /// - Parameters:
    ///   - channel: The channel; one that has ended is left alone.
    ///   - lastOctets: Octets to send before the end, however many.
    public func closeChannel(_ channel: L2CAPChannelID, after lastOctets: [ByteBuffer] = []) {
        self.assertOnEventLoop()
        self.update(channel) { $0.close(after: lastOctets, &$1) }
    }

    /// Lets the user do something with a channel that is open; `nil` where there is none.
    @discardableResult
    private func update<Result>(
        _ channel: L2CAPChannelID,
        _ body: (inout CreditBasedChannel, inout CreditBasedChannel.Context) -> Result
    ) -> Result? {
        guard let link = self.l2capChannels[channel]?.link else { return nil }
        let now = self.eventLoop.now
        let result = link.signalling.update(channel, now: now, into: &link.signallingActions, body)
        if !link.signallingActions.isEmpty { self.noteWork(link) }
        return result
    }

    // MARK: For the machines

    func perform(_ action: consuming CreditBasedChannel.Action, of link: HostLink) {
        switch consume action {
        case .send(let frame, let remoteCID, let id):
            self.enqueue(frame, on: remoteCID, of: link, tag: .channel(id))
        case .received(let id, let octets):
            self.delegate?.host(self, channel: id, didReceive: octets)
        case .writable(let id):
            self.l2capChannels.writable.append(id)
        case .requested(let cid, let spsm):
            let request = L2CAPChannelRequest(link: link.id, spsm: spsm)
            guard let decide = self.decideOnChannel else {
                let result = self.delegate?.host(self, shouldAcceptChannel: request) ?? .success
                return self.answer(result, cid, of: link)
            }
            decide(request) { [weak self] result in
                // A link that has ended takes no answer.
                guard let self, let link = self.openLinks[request.link] else { return }
                self.answer(result, cid, of: link)
                self.noteWork(link)
            }
        case .opened(let id, let spsm, let isIncoming, let peerMTU):
            let information = L2CAPChannelInformation(
                id: id,
                link: link.id,
                spsm: spsm,
                isIncoming: isIncoming,
                peerMTU: peerMTU
            )
            link.requestedChannels[id] = nil
            if let completion = self.l2capChannels.open(information, on: link) {
                completion(.success(information))
            } else {
                self.delegate?.host(self, didOpenChannel: information)
            }
        case .failed(let id, let error):
            if self.security.delays(id, on: link, error) { return }
            link.requestedChannels[id] = nil
            guard case .opening(let completion)? = self.l2capChannels.remove(id) else { return }
            self.log.debug("\(link.id): \(id) was not opened: \(error)")
            completion(.failure(error))
        case .closed(let id, let reason):
            self.log.debug("\(link.id): \(id) has ended: \(reason)")
            _ = self.l2capChannels.remove(id)
            self.delegate?.host(self, channel: id, didCloseBecause: reason)
        }
    }

    private func answer(_ result: L2CAPConnectionResult, _ cid: CID, of link: HostLink) {
        let now = self.eventLoop.now
        let id = result == .success ? self.l2capChannels.makeID() : nil
        link.signalling.update(cid, now: now, into: &link.signallingActions) { channel, context in
            if let id { channel.accept(as: id, &context) } else { channel.refuse(result, &context) }
        }
    }

    /// A channel's frame has left, and the next one takes its place at the end of the link's queue.
    func channelFrameSent(_ id: L2CAPChannelID, on link: HostLink) {
        let now = self.eventLoop.now
        link.signalling.update(id, now: now, into: &link.signallingActions) { $0.frameSent(&$1) }
        self.drainSignalling(link)
    }

    /// Reports the channels that take more.
    func reportWritability() {
        guard !self.l2capChannels.writable.isEmpty else { return }
        let writable = self.l2capChannels.writable
        self.l2capChannels.writable = []
        for channel in writable where self.l2capChannels[channel] != nil {
            self.delegate?.host(self, channelIsReadyToSend: channel)
        }
    }
}
