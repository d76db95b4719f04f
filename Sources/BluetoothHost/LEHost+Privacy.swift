// The privacy of Generic Access (Vol 3, Part C, 10.7 and 10.8): under which addresses this device is on the air, and who is
// behind the addresses of others.
//
// The own address. A device that hides itself has a resolvable private address as its random address, made by the host
// and replaced in time (`PrivateAddress`). Where the controller resolves addresses, it also makes own ones towards the
// peers of its list, and takes the random address for everybody else (own address type 0x03). The identity address is
// never given to the controller.
//
// Addresses of others. Those of bonded peers are resolved by the controller as far as its list goes (`ResolvingList`), and
// by the host beyond it (`PeerIdentities`): a controller without a list, one whose list is full, and the time until a new
// peer is in it. To the user of the host a bonded peer has its identity address, whatever it uses.
//
// The order. Neither the random address nor the list can be changed while the controller advertises, scans or initiates
// (Vol 4, Part E, 7.8.4 and 7.8.38 to 7.8.45 and 7.8.77). So where something is due, advertiser, scanner and initiator
// are held; when all three are silent, one command follows the other; then they go on. Links are not touched.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// Whether this device hides itself.
    var isPrivate: Bool { self.configuration.privacy != nil }

    /// The address of this device on links whose own address was not made by the controller.
    var radioAddress: DeviceAddress? { self.isPrivate ? self.privateAddress.address ?? self.address : self.address }

    /// Which own address the controller uses.
    var ownAddressType: OwnAddressType {
        guard self.isPrivate else { return self.randomAddress == nil ? .public : .random }
        return self.resolvingList.isResolving ? .resolvableOrRandom : .random
    }

    // MARK: Changing addresses

    /// Whether anything uses the radio, so that the own address matters.
    private var usesRadio: Bool {
        self.advertiser.isWanted || self.scanner.isNeeded || !self.initiator.pending.isEmpty
    }

    /// Whether the own address is to be replaced now.
    private var isAddressDue: Bool {
        guard let privacy = self.configuration.privacy, self.usesRadio else { return false }
        return self.privateAddress.isDue(privacy, now: self.eventLoop.now)
    }

    /// When the own address is to be replaced: only while the radio is used. Once it is time, the turns do the rest.
    var privacyDeadline: NIODeadline? {
        guard self.isPrivate, case .ready = self.state, self.usesRadio, let deadline = self.privateAddress.deadline,
            deadline > self.eventLoop.now
        else { return nil }
        return deadline
    }

    /// Makes the key of a device that hides itself.
    func preparePrivacy() {
        if self.isPrivate, self.identityResolvingKey == nil {
            self.identityResolvingKey = .random(using: &self.securityContext.generator)
        }
    }

    /// Whether the controller's addresses are to be changed, for which nothing may use the radio.
    var isAddressChangeDue: Bool { self.resolvingList.isDue || self.isAddressDue }

    /// Has the scanner hear what the initiator waits for.
    func updateScanForInitiator() {
        guard self.scanner.isNeededByInitiator != self.initiator.needsScan else { return }
        self.scanner.setNeededByInitiator(self.initiator.needsScan)
        self.updateReportNeed()
    }

    /// A device that is waited for is to be heard whatever was reported of it before.
    func updateReportNeed() {
        guard let channel = self.channel as? any ReportOmittingChannel else { return }
        channel.setReportNeed(self.scanner.isNeededByInitiator ? .all : self.reportNeed)
    }

    /// The identities are others, or the controller's list is: decides what it is to hold, and whom the host resolves.
    func updateResolvingList() {
        let localKey = self.isPrivate ? self.identityResolvingKey ?? .zero : .zero
        self.resolvingList.want(
            self.peerIdentities.resolvable.map {
                ResolvingList.Entry(
                    peer: $0.address,
                    peerKey: $0.identityResolvingKey,
                    localKey: localKey,
                    mode: self.privacyMode(of: $0.address)
                )
            },
            timeout: self.configuration.privacy.map { ResolvablePrivateAddressTimeout($0.rotationInterval) }
        )
        self.initiator.unresolvable = self.peerIdentities.withAliases.union(
            self.peerIdentities.resolvable.map(\.address).filter { !self.resolvingList.resolves($0) }
        )
        self.updateAddressResolution()
    }

    /// Changes the controller's addresses, once nothing uses the radio.
    func changePrivacy() {
        guard self.isAddressChangeDue, self.advertiser.isOff, self.scanner.isOff, self.initiator.isSilent else {
            return
        }
        if let privacy = self.configuration.privacy, let key = self.identityResolvingKey, self.isAddressDue {
            let isRenewal = self.privateAddress.address != nil
            if let address = self.privateAddress.next(
                privacy,
                key: key,
                now: self.eventLoop.now,
                using: &self.securityContext.generator
            ) {
                if isRenewal { self.resolvingList.renewAddresses() }
                self.send(LESetRandomAddress(address: address)) { [unowned self] result in
                    if case .failure(let error) = result {
                        self.log.warning("the private address was not changed: \(error)")
                    }
                    self.privateAddress.completed(result.status, privacy, now: self.eventLoop.now)
                }
            }
        }
        if let step = self.resolvingList.next() { self.perform(step) }
    }

    private func perform(_ step: ResolvingList.Step) {
        let next: (HCIErrorCode) -> Void = { [unowned self] status in
            if status != .success { self.log.debug("the resolving list was not changed: \(step), \(status)") }
            self.resolvingList.completed(status)
            self.updateResolvingList()
        }
        switch step {
        case .clear:
            self.send(LEClearResolvingList()) { next($0.status) }
        case .setTimeout(let timeout):
            self.send(LESetResolvablePrivateAddressTimeout(timeout: timeout)) { next($0.status) }
        case .remove(let peer):
            self.send(LERemoveDeviceFromResolvingList(peer: peer)) { next($0.status) }
        case .add(let entry):
            self.send(
                LEAddDeviceToResolvingList(
                    peer: entry.peer,
                    peerIdentityResolvingKey: entry.peerKey,
                    localIdentityResolvingKey: entry.localKey
                )
            ) { next($0.status) }
        case .setMode(let peer, let mode):
            self.send(LESetPrivacyMode(peer: peer, mode: mode)) { next($0.status) }
        case .enable(let isEnabled):
            self.send(LESetAddressResolutionEnable(isEnabled: isEnabled)) { next($0.status) }
        }
    }

    // MARK: Addresses of others

    /// The device behind an address on the air: its identity address, where that can be resolved.
    func device(at address: DeviceAddress) -> DeviceAddress {
        let plain = address.withoutIdentity
        guard address.kind == .random else { return plain }
        return self.peerIdentities.resolve(plain) ?? plain
    }

    /// An advertisement was received; returns the address that is reported to the user, `nil` where it is none of theirs.
    func heard(_ address: DeviceAddress, isConnectable: Bool) -> DeviceAddress? {
        let device = self.device(at: address)
        // A controller with a list has ignored it already (Vol 6, Part B, 4.7).
        let isIdentity = address == device && self.peerIdentities.key(of: device) != nil
        if isIdentity, self.privacyMode(of: device) == .network { return nil }
        if isConnectable, self.initiator.heard(device, at: address.withoutIdentity) {
            self.attemptDeadline = self.eventLoop.now + Self.attemptInterval
            self.scheduleTurn()
        }
        return self.scanner.isWanted ? device : nil
    }

    /// How long a device is initiated to under the address under which it was heard.
    private static var attemptInterval: TimeAmount { .seconds(5) }

    /// The address that the controller is given of a device to initiate to.
    func initiatingAddress(of device: DeviceAddress) -> DeviceAddress {
        // Without LE Set Privacy Mode, a plain address is no identity to the controller (Vol 4, Part E, 7.8.12).
        guard self.resolvingList.resolves(device), !self.resolvingList.knowsPrivacyMode else { return device }
        return DeviceAddress(device.value, kind: device.isRandom ? .randomIdentity : .publicIdentity)
    }

    // MARK: Pairing

    /// How this device pairs: one that hides itself distributes its identity.
    var pairingWithIdentity: PairingConfiguration {
        var pairing = self.pairing
        if self.isPrivate, pairing.identity == nil, let key = self.identityResolvingKey, let address = self.address {
            pairing.identity = IdentityInformation(identityResolvingKey: key, address: address)
        }
        return pairing
    }

    /// Has pairings from now on know who this device is and who its peers are.
    func updatePairing() {
        let pairing = self.pairingWithIdentity
        for link in self.openLinks { link.securityManager.configuration = pairing }
        self.securityContext.identities = KnownIdentities(
            address: self.identityAddress,
            key: self.identityResolvingKey,
            peers: self.bondedPeers,
            isMet: { [unowned self] address in
                self.openLinks.contains { $0.information.peer == address }
                    || self.delegate?.host(self, hasMet: address) ?? false
            }
        )
    }

    /// The peer of a link has distributed its identity address.
    func identify(_ link: HostLink, as identity: DeviceAddress) {
        let before = link.information.peer
        guard before != identity else { return }
        link.information.peer = identity
        self.delegate?.host(self, didIdentifyPeerOf: link.information, before: before)
    }
}
