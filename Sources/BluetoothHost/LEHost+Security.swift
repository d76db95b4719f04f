// The security of the host's links: the Security Manager of each link is fed here and its actions are carried out (Vol
// 3, Part H), what a server has refused for want of security is asked once more (Vol 3, Part C, 10.3.2), and a bonded
// client that comes back finds what a bond keeps for it (Vol 3, Part G, 2.5.2).
//
// The order of a bonded link: it is opened, the delegate gives the bond, and the link is encrypted with its key. A
// central does that by itself; a peripheral asks for it when it wants something of the peer. Before that anybody can
// have the address of a bonded peer, and in either role this host asks it for nothing, believes nothing that comes
// without being asked for, opens no channel with it, and neither restores nor changes what a bond keeps of it. A link
// that cannot be encrypted with the key of its bond ends (`pinOrKeyMissing`): a device that pretends to be the peer
// gets nothing and is trusted in nothing (CVE-2020-9770). What the server has for everybody, it has for such a device,
// too.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    // MARK: For the user

    /// How secure a link is; `nil` where there is no such link.
    public func security(of link: LinkID) -> LinkSecurity? {
        self.assertOnEventLoop()
        return self.linksByID[link]?.bearer.security
    }

    /// Makes a link at least as secure as a level: encrypts it with the keys that both devices have, or pairs. A
    /// peripheral asks the central for it.
    ///
    /// What comes of it is reported to the delegate. Nothing happens where the link has the level.
    public func secure(_ link: LinkID, to level: SecurityLevel) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        self.updateSecurity(of: link) { $0.requestSecurity(level, &$1) }
    }

    /// Pairs with the peer of a link, even where the devices have keys of each other; a peripheral asks the central for
    /// it.
    /// - Parameters:
    ///   - link: The link.
    ///   - level: The least that the pairing has to give.
    public func pair(_ link: LinkID, level: SecurityLevel = .encrypted) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        self.updateSecurity(of: link) { $0.pair(level, &$1) }
    }

    /// Answers a question of the pairing on a link.
    public func answer(_ answer: PairingAnswer, on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        self.updateSecurity(of: link) { $0.answer(answer, &$1) }
    }

    /// Ends the pairing on a link.
    public func cancelPairing(on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        self.updateSecurity(of: link) { $0.cancelPairing(&$1) }
    }

    /// Has the peer of a link drop the keys of the pairing that was just completed, since this device could not keep
    /// its own.
    public func rejectKeys(of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        self.updateSecurity(of: link) { $0.rejectKeys(&$1) }
    }

    /// Forgets the keys of a link's peer. Encryption that is in use stays.
    public func removeBond(of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        link.securityManager.removeBond()
        self.take(link.securityManager.security, of: link)
    }

    /// Notes that the user has authorized the peer of a link, or no longer does (Vol 3, Part C, 10.5).
    public func setAuthorized(_ isAuthorized: Bool, _ link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        link.bearer.security.isAuthorized = isAuthorized
    }

    // MARK: Begin

    /// The Security Manager of a link that was just established.
    func makeSecurityManager(_ information: LinkInformation, _ event: some LEConnectionCompletion) -> SecurityManager {
        SecurityManager(
            isCentral: information.isCentral,
            localAddress: event.localResolvableAddress ?? self.radioAddress ?? DeviceAddress(0, kind: .public),
            peerAddress: event.peerResolvableAddress ?? event.peer.withoutIdentity,
            configuration: self.pairingWithIdentity,
            bond: self.delegate?.host(self, bondOf: information)
        )
    }

    /// A link with a bond begins with its encryption: nothing is asked of the peer or believed before. A central starts
    /// it.
    func begin(_ link: HostLink) {
        if let key = link.securityManager.bond?.peer.signing { link.bearer.server.signingKey = PeerSigningKey(key) }
        self.take(link.securityManager.security, of: link)
        let isCentral = link.information.isCentral
        guard let bond = link.securityManager.bond, bond.longTermKey(asCentral: isCentral) != nil else { return }
        link.isHeld = true
        guard isCentral else { return }
        self.updateSecurity(of: link) { $0.requestSecurity(bond.level, &$1) }
    }

    // MARK: The Security Manager

    /// One step of a link's Security Manager, whose actions are carried out in the coming turn.
    func updateSecurity(
        of link: HostLink,
        _ body: (inout SecurityManager, inout SecurityManager.Context) -> Void
    ) {
        self.securityContext.now = self.eventLoop.now
        if !link.securityManager.isPairing, self.pairing.isPairingAllowed, let delegate = self.delegate {
            link.securityManager.outOfBand = delegate.host(self, outOfBandDataFor: link.information)
        }
        body(&link.securityManager, &self.securityContext)
        guard !self.securityContext.actions.isEmpty else { return }
        link.securityActions += self.securityContext.actions
        self.securityContext.actions.removeAll(keepingCapacity: true)
        self.noteWork(link)
    }

    /// Carries out what a link's Security Manager wants done, and lets go on what has waited for it.
    func drainSecurity(_ link: HostLink) {
        guard !link.securityActions.isEmpty else { return }
        while !link.securityActions.isEmpty {
            let actions = link.securityActions
            link.securityActions = []
            for action in actions { self.perform(action, of: link) }
        }
        self.settle(link)
        self.readPeerPrivacy(of: link)
    }

    private func perform(_ action: SecurityManager.Action, of link: HostLink) {
        switch action {
        case .send(let pdu):
            self.enqueue(pdu, on: .securityManagerProtocol, of: link)
        case .enableEncryption(let key):
            let command = LEEnableEncryption(
                handle: link.handle,
                random: key.random,
                encryptedDiversifier: key.encryptedDiversifier,
                longTermKey: key.value
            )
            self.send(command) { [unowned self] result in
                guard case .failure(let error) = result, link.isOpen else { return }
                self.encryptionChanged(on: link, error.status, isEnabled: false)
            }
        case .replyToLongTermKeyRequest(let key?):
            self.reply(LELongTermKeyRequestReply(handle: link.handle, longTermKey: key))
        case .replyToLongTermKeyRequest(nil):
            self.reply(LELongTermKeyRequestNegativeReply(handle: link.handle))
        case .ask(let question):
            self.delegate?.host(self, link: link.id, asks: question)
        case .keypress(let notification):
            self.delegate?.host(self, link: link.id, didReceiveKeypress: notification)
        case .securityChanged(let security):
            self.take(security, of: link)
            self.delegate?.host(self, link: link.id, didChangeSecurity: link.bearer.security)
        case .paired(let bond, let isBonded):
            link.bearer.server.signingKey = bond.peer.signing.map(PeerSigningKey.init)
            link.hasReadPeerPrivacy = false
            if isBonded {
                self.identify(link, as: bond.identityAddress.withoutIdentity)
                // What was kept of a client with another key is not that of this one, which knows nothing of it.
                link.hasBondedClient = true
            }
            self.take(link.securityManager.security, of: link)
            link.bearer.noteClientChange(into: &link.bearerActions)
            self.delegate?.host(self, link: link.id, didPairWith: bond, isBonded: isBonded)
        case .failed(let error):
            if error == .timedOut || error == .userTimedOut { link.securityError = .pairingTimedOut }
            self.log.debug("\(link.id): pairing failed: \(error)")
            self.delegate?.host(self, link: link.id, didFailToPair: error)
        case .encryptionFailed(let status):
            link.securityError = .encryptionFailed(status)
            self.log.debug("\(link.id): encryption failed: \(status)")
            guard link.securityManager.bond != nil, link.isOpen else { return }
            link.endReason = .pinOrKeyMissing
            self.disconnect(link, reason: .authenticationFailure)
        }
    }

    /// The controller reports that encryption has changed, or that the key was refreshed.
    func encryptionChanged(_ handle: ConnectionHandle, _ status: HCIErrorCode, isEnabled: Bool) {
        guard let link = self.linksByHandle[handle] else { return }
        self.encryptionChanged(on: link, status, isEnabled: isEnabled)
    }

    /// Encryption has changed, or could not be started. What came meanwhile has waited: a USB adapter's data overtakes
    /// its events.
    ///
    /// Between the last data in clear and the event are some packets of the link layer, which take a connection
    /// interval at least on most controllers (Vol 6, Part B, 5.1.3.1). What came earlier than that before the event was
    /// sent in clear, and is measured by what the link was: nobody without the key can have it taken for encrypted.
    private func encryptionChanged(on link: HostLink, _ status: HCIErrorCode, isEnabled: Bool) {
        let now = self.eventLoop.now
        let time = min(link.timing.interval.timeAmount, EarlyData.time)
        while let packet = link.dataBeforeEncryption.first, packet.arrival + time <= now {
            link.dataBeforeEncryption.removeFirst()
            self.received(packet.fragment, packet.header, on: link)
        }
        let packets = link.dataBeforeEncryption
        link.dataBeforeEncryption = []
        guard link.isOpen else { return }
        self.updateSecurity(of: link) { $0.encryptionChanged(status, isEnabled: isEnabled, &$1) }
        // Nothing that comes with the next packet, or that the user asks for next, is to be measured by what the link
        // was.
        self.drainSecurity(link)
        self.drainBearer(link)
        for packet in packets { self.receive(packet, on: link) }
    }

    /// No packet with a valid integrity code has come for the authenticated payload timeout (30 s), although the
    /// controller has pinged the peer: a device that keeps the link alive does not show that it has the key (Vol 4,
    /// Part E, 7.7.75). The link ends.
    func authenticatedPayloadTimeoutExpired(_ handle: ConnectionHandle) {
        guard let link = self.linksByHandle[handle], link.isOpen, link.bearer.security.key != nil else { return }
        link.endReason = .connectionTerminatedMICFailure
        self.disconnect(link, reason: .authenticationFailure)
    }

    /// The link's security is another one.
    private func take(_ security: LinkSecurity, of link: HostLink) {
        var security = security
        security.isAuthorized = link.bearer.security.isAuthorized
        // While the devices pair anew, the key in use is not yet that of a bond.
        if security.key != nil, link.isHeld, !link.securityManager.isPairing { link.isHeld = false }
        self.setSecurity(security, of: link.id)
    }

    /// Sets how secure a link is: how the key of its encryption was made, whether the peer is bonded and authorized.
    ///
    /// The first time that a link is encrypted with the key of a bond that was there before it, the delegate is asked
    /// for what was kept of the peer's client with ``LEHostDelegate/host(_:bondedClientAt:)``, and from then on it is
    /// given each change of that.
    package func setSecurity(_ security: LinkSecurity, of link: LinkID) {
        guard let link = self.linksByID[link] else { return }
        // What waits in the batch was made for the link as it was.
        link.bearer.flushBatch(into: &link.bearerActions)
        link.bearer.security = security
        if security.usesBond, !link.hasBondedClient {
            link.hasBondedClient = true
            let hadSubscriptions = !link.bearer.server.subscriptions.isEmpty
            if let client = self.delegate?.host(self, bondedClientAt: link.information) {
                self.server.restoreClient(
                    client,
                    on: &link.bearer,
                    now: self.eventLoop.now,
                    into: &link.bearerActions
                )
                // What it wrote on this link before it showed its key is its own.
                if hadSubscriptions { link.bearer.noteClientChange(into: &link.bearerActions) }
            } else {
                link.bearer.noteClientChange(into: &link.bearerActions)
            }
        }
        self.noteWork(link)
    }

    /// Sets the key with which the peer of a link signs commands; `nil` for none, and then they are ignored.
    ///
    /// Each counter that is accepted is reported with ``LEHostDelegate/host(_:link:didAcceptSignCounter:)``.
    func setSigningKey(_ key: PeerSigningKey?, of link: LinkID) {
        self.linksByID[link]?.bearer.server.signingKey = key
    }

    /// Gives the delegate what is to be kept of a bonded client.
    func reportBondedClient(of link: HostLink) {
        let client = self.server.bondedClient(on: &link.bearer)
        self.delegate?.host(self, link: link.information, didChangeBondedClient: client)
    }

    // MARK: What the peer has refused

    /// The peer has refused something until the link has a level.
    func secure(_ link: HostLink, _ level: SecurityLevel) {
        link.securityError = nil
        let manager = link.securityManager
        if !manager.isSecuring, manager.configuration.isPairingAllowed || manager.bond != nil {
            self.updateSecurity(of: link) { $0.requestSecurity(level, isAsked: false, &$1) }
        }
        self.settle(link)
    }

    /// Whether a channel that the peer has refused waits for a more secure link.
    func awaitsSecurity(_ id: L2CAPChannelID, on link: HostLink, _ error: L2CAPChannelOpenError) -> Bool {
        guard let request = link.requestedChannels[id], request.refusal == nil, case .refused(let result) = error,
            let shortfall = SecurityShortfall(result)
        else { return false }
        let security = link.bearer.security
        let isSecuredMeanwhile = request.level < security.level
        guard let level = isSecuredMeanwhile ? security.level : security.level(afterRefusalFor: shortfall) else {
            return false
        }
        link.requestedChannels[id]?.refusal = error
        self.secure(link, level)
        return true
    }

    /// Repeats what the peer has refused where the link is more secure now; where it is not, and is not on the way to
    /// be, the refusals stand.
    private func settle(_ link: HostLink) {
        link.bearer.repeatRefusedRequest(now: self.eventLoop.now, into: &link.bearerActions)
        let refused = link.requestedChannels.filter { $0.value.refusal != nil }
            .sorted { $0.key.rawValue < $1.key.rawValue }
        for (id, request) in refused where !link.isHeld && request.level < link.bearer.security.level {
            link.requestedChannels[id]?.refusal = nil
            self.requestChannel(id, on: link)
        }
        guard !link.securityManager.isSecuring, link.securityActions.isEmpty else { return self.noteWork(link) }
        link.bearer.acceptRefusal(link.securityError, now: self.eventLoop.now, into: &link.bearerActions)
        // The end of a link says itself why.
        if !link.isDisconnecting {
            let error = link.securityError ?? .att(.insufficientEncryption, handle: 0)
            link.bearer.endHeld(error, into: &link.bearerActions)
        }
        self.acceptRefusedChannels(on: link)
        self.noteWork(link)
    }

    /// Channels that wait for a more secure link have failed: it does not get so any more.
    func acceptRefusedChannels(on link: HostLink) {
        let refusals = link.requestedChannels.compactMapValues(\.refusal)
        for (id, error) in refusals.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            link.requestedChannels[id] = nil
            link.signallingActions.append(.channel(.failed(id, error)))
        }
    }
}

extension PeerSigningKey {
    /// The key of a peer as it was distributed.
    init(_ key: SigningKey) {
        // The counter of the next message is not lower than this one.
        self.init(
            key: key.connectionSignatureResolvingKey,
            lastCounter: key.signCounter > 0 ? key.signCounter - 1 : nil
        )
    }
}
