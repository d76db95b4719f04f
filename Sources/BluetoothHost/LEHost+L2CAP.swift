// The host's LE credit-based channels for the user: octet streams with back-pressure in both directions (Vol 3, Part A,
// 3.4 and 10.1).
//
// A channel takes what `write` has room for, and tells when there is room again. What comes is the user's until he gives
// it back with `consume`; the peer can send no more than the window beyond that. In the link's row a channel has one
// frame at a time and the next one when that has left, so that ATT and other channels go in between.

import BluetoothHCI
public import NIOCore

extension LEHost {
    /// A channel and where it is.
    struct OpenChannel {
        let link: HostLink
        let tag: LESignalling.ChannelTag
        let information: ChannelInformation
    }

    // MARK: For the user

    /// Grants peers channels on an SPSM, on all links, until it is stopped. Each request that nothing stands against is
    /// put before the delegate.
    /// - Parameter spsm: What the channels are for, 0x0001 to 0x007F as assigned or 0x0080 to 0x00FF; `nil` for a free one
    ///   of the dynamic range.
    /// - Returns: The SPSM.
    public func listenForChannels(
        spsm: UInt16? = nil,
        configuration: ChannelConfiguration = ChannelConfiguration(),
        security: ChannelSecurity = .none
    ) throws(ChannelListenError) -> UInt16 {
        guard let spsm = spsm ?? self.freeSPSM(), self.channelListeners[spsm] == nil else { throw .inUse }
        guard 0x0001...0x00FF ~= spsm else { throw .invalidSPSM }
        self.channelListeners[spsm] = CreditBasedChannels.Listener(configuration: configuration, security: security)
        self.tellListeners()
        return spsm
    }

    /// Grants no more channels on an SPSM; those that are open stay.
    public func stopListening(spsm: UInt16) {
        self.channelListeners[spsm] = nil
        self.tellListeners()
    }

    /// Asks a peer for a channel. The completion comes before anything that the channel receives.
    public func openChannel(
        on link: LinkID,
        spsm: UInt16,
        configuration: ChannelConfiguration = ChannelConfiguration(),
        completion: @escaping (Result<ChannelInformation, ChannelOpenError>) -> Void
    ) {
        guard let link = self.linksByID[link] else {
            return self.afterwards { completion(.failure(.notConnected)) }
        }
        let id = self.makeChannelID()
        self.channelCompletions[id] = completion
        link.signalling.openChannel(
            id,
            spsm: spsm,
            configuration: configuration,
            now: self.eventLoop.now,
            into: &link.signallingActions
        )
        self.noteWork(link)
    }

    /// What is known of a channel; `nil` after its end.
    public func information(of channel: ChannelID) -> ChannelInformation? { self.openChannels[channel]?.information }

    /// Sends octets on a channel, as many as there is room for. Where these are not all,
    /// `host(_:channelIsReadyToSend:)` tells when there is room again.
    ///
    /// The octets are a stream: how they are cut for the peer follows from what it takes, not from the calls.
    /// - Returns: How many octets were taken, from the first on; 0 on a channel that is closed.
    public func write(_ octets: ByteBuffer, on channel: ChannelID) -> Int {
        guard let channel = self.openChannels[channel] else { return 0 }
        let link = channel.link
        let now = self.eventLoop.now
        let taken = link.signalling.write(octets, on: channel.tag, now: now, into: &link.signallingActions)
        if !link.signallingActions.isEmpty { self.noteWork(link) }
        return taken
    }

    /// Gives back octets that came on a channel, the oldest first, so that the peer may send more. More than came means
    /// all.
    public func consume(_ count: Int, of channel: ChannelID) {
        guard let channel = self.openChannels[channel] else { return }
        let link = channel.link
        link.signalling.consume(count, on: channel.tag, into: &link.signallingActions)
        if !link.signallingActions.isEmpty { self.noteWork(link) }
    }

    /// Ends a channel once everything that was taken by ``write(_:on:)`` has left. Nothing more is received from now on;
    /// the delegate is told when it has ended.
    public func closeChannel(_ channel: ChannelID) {
        guard let channel = self.openChannels[channel] else { return }
        let link = channel.link
        link.signalling.closeChannel(channel.tag, now: self.eventLoop.now, into: &link.signallingActions)
        if !link.signallingActions.isEmpty { self.noteWork(link) }
    }

    // MARK: Inside

    private func tellListeners() {
        for link in self.openLinks { link.signalling.channels.listeners = self.channelListeners }
    }

    /// The dynamic SPSMs go round, so that a peer that kept an old one does not meet another service.
    private func freeSPSM() -> UInt16? {
        let range: ClosedRange<UInt16> = 0x0080...0x00FF
        for _ in range {
            self.lastDynamicSPSM = self.lastDynamicSPSM < range.upperBound ? self.lastDynamicSPSM + 1 : range.lowerBound
            if self.channelListeners[self.lastDynamicSPSM] == nil { return self.lastDynamicSPSM }
        }
        return nil
    }

    private func makeChannelID() -> ChannelID {
        defer { self.nextChannelNumber += 1 }
        return ChannelID(rawValue: self.nextChannelNumber)
    }

    func perform(_ action: consuming LESignalling.ChannelAction, of link: HostLink) {
        switch consume action {
        case .send(let frame, let channel, let tag):
            self.enqueue(frame, on: channel, of: link, tag: .channel(tag))
        case .received(let id, let octets):
            self.delegate?.host(self, channel: id, didReceive: octets)
        case .ready(let id):
            self.readyChannels.append(id)
        case .requested(let name, let spsm):
            let request = ChannelRequest(link: link.id, spsm: spsm)
            let result = self.delegate?.host(self, shouldAcceptChannel: request) ?? .success
            if result == .success {
                link.signalling.acceptChannel(name, as: self.makeChannelID(), into: &link.signallingActions)
            } else {
                link.signalling.refuseChannel(name, result, into: &link.signallingActions)
            }
        case .opened(let channel):
            self.opened(channel, of: link)
        case .failed(let id, let error):
            self.channelCompletions.removeValue(forKey: id)?(.failure(error))
        case .closed(let id, let reason):
            self.openChannels[id] = nil
            self.delegate?.host(self, channel: id, didCloseBecause: reason)
        }
    }

    private func opened(_ channel: LESignalling.OpenChannel, of link: HostLink) {
        let information = ChannelInformation(
            id: channel.tag.id,
            link: link.id,
            spsm: channel.spsm,
            isIncoming: channel.isIncoming,
            peerMTU: channel.peerMTU
        )
        self.openChannels[information.id] = OpenChannel(link: link, tag: channel.tag, information: information)
        if channel.isIncoming {
            self.delegate?.host(self, didOpenChannel: information)
        } else {
            self.channelCompletions.removeValue(forKey: information.id)?(.success(information))
        }
    }

    /// A channel's frame has left, and the next one takes its place at the end of the link's row.
    func frameLeft(_ tag: LESignalling.ChannelTag, of link: HostLink) {
        link.signalling.frameLeft(tag, now: self.eventLoop.now, into: &link.signallingActions)
        self.drainSignalling(link)
    }

    /// Tells users that their channels take more.
    func tellReadiness() {
        guard !self.readyChannels.isEmpty else { return }
        let channels = self.readyChannels
        self.readyChannels = []
        for channel in channels where self.openChannels[channel] != nil {
            self.delegate?.host(self, channelIsReadyToSend: channel)
        }
    }
}
