// The security of the host's links. It drives the Security Manager of each link (Vol 3, Part H), repeats requests that
// a server refused because the link was not secure enough (Vol 3, Part C, 10.3.2), and restores the state of bonded
// clients (Vol 3, Part G, 2.5.2).
//
// A bonded link is opened, the delegate returns the bond, and the link is encrypted with its key. A central starts
// encryption by itself; a peripheral requests it when it needs something of the peer. Until then any device may be
// using the address of the bonded peer: in either role this host sends it no request, ignores unsolicited values, opens
// no channel with it, and neither restores nor changes the stored state of its client. A link that cannot be encrypted
// with the key of its bond ends (`pinOrKeyMissing`): a device that impersonates the peer is neither answered nor
// trusted (CVE-2020-9770). It can still read what the server offers without security.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The security of a host's links.
final class HostSecurity {
    /// How the host pairs.
    var pairing: PairingConfiguration { didSet { self.updatePairing() } }
    @exclusivity(unchecked) unowned var host: LEHost!
    /// The state that all links share: random numbers, known identities, and failed pairings.
    private var context: SecurityManager.Context
    private let loop: HostLoop

    init(_ pairing: PairingConfiguration, _ generator: HostGenerator, _ loop: HostLoop) {
        self.pairing = pairing
        self.context = SecurityManager.Context(now: loop.now, generator: generator)
        self.loop = loop
    }

    // MARK: Identities

    /// The identities of this device and its peers.
    var identities: KnownIdentities { self.context.identities }

    /// How this device pairs: with privacy, it distributes its identity.
    private var configuration: PairingConfiguration {
        var pairing = self.pairing
        if self.host.radio.addresses.isPrivate, pairing.identity == nil, let key = self.host.identityResolvingKey,
            let address = self.host.address
        {
            pairing.identity = IdentityInformation(identityResolvingKey: key, address: address)
        }
        return pairing
    }

    /// Updates the configuration and the identities for future pairings.
    func updatePairing() {
        let pairing = self.configuration
        for link in self.host.openLinks.all { link.securityManager.configuration = pairing }
        self.context.identities = KnownIdentities(
            address: self.host.radio.addresses.identity,
            key: self.host.identityResolvingKey,
            peers: self.host.bondedPeers,
            isMet: { [unowned self] address in
                self.host.openLinks.all.contains { $0.information.peer == address }
                    || self.host.delegate?.host(self.host, hasMet: address) ?? false
            }
        )
    }

    /// The peer of a link has distributed its identity address.
    func identify(_ link: HostLink, as identity: DeviceAddress) {
        let before = link.information.peer
        guard before != identity else { return }
        link.information.peer = identity
        self.host.delegate?.host(self.host, didIdentifyPeerOf: link.information, before: before)
    }

    // MARK: Begin

    /// The Security Manager of a link that was just established.
    func makeManager(_ information: LinkInformation, _ event: some LEConnectionCompletion) -> SecurityManager {
        SecurityManager(
            isCentral: information.isCentral,
            localAddress: event.localResolvableAddress ?? self.host.radio.addresses.onAir
                ?? DeviceAddress(0, kind: .public),
            peerAddress: event.peerResolvableAddress ?? event.peer.withoutIdentity,
            configuration: self.configuration,
            bond: self.host.delegate?.host(self.host, bondOf: information)
        )
    }

    /// A bonded link begins with encryption, which a central starts. The peer is neither asked nor trusted before.
    func begin(_ link: HostLink) {
        if let key = link.securityManager.bond?.peer.signing { link.bearer.server.signingKey = PeerSigningKey(key) }
        self.take(link.securityManager.security, of: link)
        let isCentral = link.information.isCentral
        guard let bond = link.securityManager.bond, bond.longTermKey(asCentral: isCentral) != nil else { return }
        link.isHeld = true
        guard isCentral else { return }
        self.update(link) { $0.requestSecurity(bond.level, &$1) }
    }

    // MARK: The Security Manager

    /// Runs one step of a link's Security Manager, whose actions are carried out in the next turn.
    func update(
        _ link: HostLink,
        _ body: (inout SecurityManager, inout SecurityManager.Context) -> Void
    ) {
        self.context.now = self.loop.now
        if !link.securityManager.isPairing, self.pairing.isPairingAllowed, let delegate = self.host.delegate {
            link.securityManager.outOfBand = delegate.host(self.host, outOfBandDataFor: link.information)
        }
        body(&link.securityManager, &self.context)
        guard !self.context.actions.isEmpty else { return }
        link.securityActions += self.context.actions
        self.context.actions.removeAll(keepingCapacity: true)
        self.host.noteWork(link)
    }

    /// Carries out the actions of a link's Security Manager, and continues whatever has waited for them.
    func drain(_ link: HostLink) {
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
            self.host.enqueue(pdu, on: .securityManagerProtocol, of: link)
        case .enableEncryption(let key):
            let command = LEEnableEncryption(
                handle: link.handle,
                random: key.random,
                encryptedDiversifier: key.encryptedDiversifier,
                longTermKey: key.value
            )
            self.host.controller.send(command) { [unowned self] result in
                guard case .failure(let error) = result, link.isOpen else { return }
                self.encryptionChanged(on: link, error.status, isEnabled: false)
            }
        case .replyToLongTermKeyRequest(let key?):
            self.host.controller.reply(LELongTermKeyRequestReply(handle: link.handle, longTermKey: key))
        case .replyToLongTermKeyRequest(nil):
            self.host.controller.reply(LELongTermKeyRequestNegativeReply(handle: link.handle))
        case .ask(let question):
            self.host.delegate?.host(self.host, link: link.id, asks: question)
        case .keypress(let notification):
            self.host.delegate?.host(self.host, link: link.id, didReceiveKeypress: notification)
        case .securityChanged(let security):
            self.take(security, of: link)
            self.host.delegate?.host(self.host, link: link.id, didChangeSecurity: link.bearer.security)
        case .paired(let bond, let isBonded):
            link.bearer.server.signingKey = bond.peer.signing.map(PeerSigningKey.init)
            link.hasReadPeerPrivacy = false
            if isBonded {
                self.identify(link, as: bond.identityAddress.withoutIdentity)
                // The stored state of a client with another key does not apply to this one.
                link.hasBondedClient = true
            }
            self.take(link.securityManager.security, of: link)
            link.bearer.noteClientChange(into: &link.bearerActions)
            self.host.delegate?.host(self.host, link: link.id, didPairWith: bond, isBonded: isBonded)
        case .failed(let error):
            if error == .timedOut || error == .userTimedOut { link.securityError = .pairingTimedOut }
            self.host.log.debug("\(link.id): pairing failed: \(error)")
            self.host.delegate?.host(self.host, link: link.id, didFailToPair: error)
        case .encryptionFailed(let status):
            link.securityError = .encryptionFailed(status)
            self.host.log.debug("\(link.id): encryption failed: \(status)")
            guard link.securityManager.bond != nil, link.isOpen else { return }
            link.endReason = .pinOrKeyMissing
            self.host.openLinks.disconnect(link, reason: .authenticationFailure)
        }
    }

    /// The controller reports that encryption has changed, or that the key was refreshed.
    func encryptionChanged(_ handle: ConnectionHandle, _ status: HCIErrorCode, isEnabled: Bool) {
        guard let link = self.host.openLinks[handle] else { return }
        self.encryptionChanged(on: link, status, isEnabled: isEnabled)
    }

    /// Encryption has changed, or could not be started. Packets that arrived meanwhile have waited: a USB adapter's
    /// data can overtake its events.
    ///
    /// Between the last unencrypted data and the event, the Link Layer exchanges some packets, which on most
    /// controllers take at least a connection interval (Vol 6, Part B, 5.1.3.1). Packets that arrived earlier than that
    /// were sent unencrypted, and are handled with the earlier security: nobody without the key can make them pass for
    /// encrypted.
    private func encryptionChanged(on link: HostLink, _ status: HCIErrorCode, isEnabled: Bool) {
        let now = self.loop.now
        let time = min(link.timing.interval.timeAmount, EarlyData.time)
        while let packet = link.dataBeforeEncryption.first, packet.arrival + time <= now {
            link.dataBeforeEncryption.removeFirst()
            self.host.received(packet.fragment, packet.header, on: link)
        }
        let packets = link.dataBeforeEncryption
        link.dataBeforeEncryption = []
        guard link.isOpen else { return }
        self.update(link) { $0.encryptionChanged(status, isEnabled: isEnabled, &$1) }
        // The next packets, and the next calls of the user, must see the new security.
        self.drain(link)
        self.host.drainBearer(link)
        for packet in packets { self.host.receive(packet, on: link) }
    }

    /// No packet with a valid integrity code has arrived within the authenticated payload timeout (30 s), although the
    /// controller has pinged the peer (Vol 4, Part E, 7.7.75). The link ends, because its other end has not proved
    /// that it has the key.
    func authenticatedPayloadTimeoutExpired(_ handle: ConnectionHandle) {
        guard let link = self.host.openLinks[handle], link.isOpen, link.bearer.security.key != nil else { return }
        link.endReason = .connectionTerminatedMICFailure
        self.host.openLinks.disconnect(link, reason: .authenticationFailure)
    }

    /// Applies the new security of a link to its bearer, where the whole host looks it up.
    ///
    /// The first time that a link is encrypted with the key of an earlier bond, the delegate returns the stored state
    /// of the peer's client from ``LEHostDelegate/host(_:bondedClientAt:)``, and from then on is told of each change.
    func take(_ security: LinkSecurity, of link: HostLink) {
        // While the devices pair again, the key in use is not yet that of a bond.
        if security.key != nil, link.isHeld, !link.securityManager.isPairing { link.isHeld = false }
        // The notifications in the batch were built for the earlier security.
        link.bearer.flushBatch(into: &link.bearerActions)
        link.bearer.security = security
        if security.usesBond, !link.hasBondedClient {
            link.hasBondedClient = true
            let hadSubscriptions = !link.bearer.server.subscriptions.isEmpty
            if let client = self.host.delegate?.host(self.host, bondedClientAt: link.information) {
                self.host.server.restoreClient(
                    client,
                    on: &link.bearer,
                    now: self.loop.now,
                    into: &link.bearerActions
                )
                // Subscriptions that it wrote on this link before encryption are its own.
                if hadSubscriptions { link.bearer.noteClientChange(into: &link.bearerActions) }
            } else {
                link.bearer.noteClientChange(into: &link.bearerActions)
            }
        }
        self.host.noteWork(link)
    }

    /// Gives the delegate the state of a bonded client to store.
    func reportBondedClient(of link: HostLink) {
        let client = self.host.server.bondedClient(on: &link.bearer)
        self.host.delegate?.host(self.host, link: link.information, didChangeBondedClient: client)
    }

    // MARK: Refused requests

    /// The peer has refused a request until the link has a level.
    func secure(_ link: HostLink, _ level: SecurityLevel) {
        link.securityError = nil
        let manager = link.securityManager
        if !manager.isSecuring, manager.configuration.isPairingAllowed || manager.bond != nil {
            self.update(link) { $0.requestSecurity(level, isAsked: false, &$1) }
        }
        self.settle(link)
    }

    /// Makes a channel that the peer has refused wait for a more secure link; returns whether it does.
    func awaitSecurity(for id: L2CAPChannelID, on link: HostLink, after error: L2CAPChannelOpenError) -> Bool {
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

    /// Repeats refused requests if the link is more secure now. If it is not, and will not become so, accepts the
    /// refusals.
    private func settle(_ link: HostLink) {
        link.client.repeatRefusedRequest(on: &link.bearer, now: self.loop.now, into: &link.bearerActions)
        let refused = link.requestedChannels.filter { $0.value.refusal != nil }
            .sorted { $0.key.rawValue < $1.key.rawValue }
        for (id, request) in refused where !link.isHeld && request.level < link.bearer.security.level {
            link.requestedChannels[id]?.refusal = nil
            self.host.channels.request(id, on: link)
        }
        guard !link.securityManager.isSecuring, link.securityActions.isEmpty else { return self.host.noteWork(link) }
        let now = self.loop.now
        link.client.acceptRefusal(link.securityError, on: &link.bearer, now: now, into: &link.bearerActions)
        // The end of a link has its own reason.
        if !link.isDisconnecting {
            let error = link.securityError ?? .att(.insufficientEncryption, handle: 0)
            link.client.endHeld(error, on: &link.bearer, into: &link.bearerActions)
        }
        self.acceptRefusedChannels(on: link)
        self.host.noteWork(link)
    }

    /// Fails the channels that wait for a more secure link, which it does not become.
    func acceptRefusedChannels(on link: HostLink) {
        let refusals = link.requestedChannels.compactMapValues(\.refusal)
        for (id, error) in refusals.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            link.requestedChannels[id] = nil
            link.signallingActions.append(.channel(.failed(id, error)))
        }
    }

    // MARK: The privacy of the peer

    /// Reads the privacy characteristics of a bonded peer that has an identity resolving key, unless they are known.
    private func readPeerPrivacy(of link: HostLink) {
        guard !link.hasReadPeerPrivacy, link.isOpen, !link.securityManager.isPairing,
            link.bearer.security.isBonded, link.bearer.security.key != nil,
            let identity = link.securityManager.bond?.peer.identity, identity.identityResolvingKey != .zero,
            self.host.peerPrivacy[identity.address.withoutIdentity] == nil, self.host.delegate != nil
        else { return }
        link.hasReadPeerPrivacy = true
        let id = link.id
        self.host.perform(ReadGAPOctet(GATTAttributeType.centralAddressResolution), on: id) { [unowned self] result in
            // If the link ended, the next one reads them.
            guard case .success(let resolution) = result else { return }
            let next = ReadGAPOctet(GATTAttributeType.resolvablePrivateAddressOnly)
            self.host.perform(next, on: id) { [unowned self] result in
                guard case .success(let only) = result, let information = self.host.information(of: id) else { return }
                let privacy = PeerPrivacy(resolvesAddresses: resolution == 1, usesOnlyPrivateAddresses: only == 0)
                self.host.delegate?.host(self.host, link: information, didReadPrivacy: privacy)
            }
        }
    }
}

extension PeerSigningKey {
    /// The key as the peer distributed it.
    init(_ key: SigningKey) {
        // The counter of the next message may equal this one.
        self.init(
            key: key.connectionSignatureResolvingKey,
            lastCounter: key.signCounter > 0 ? key.signCounter - 1 : nil
        )
    }
}
