// What this device says of its privacy, and what bonded peers say of theirs (Vol 3, Part C, 12.4 and 12.5): asked once for
// a bond, when its link is encrypted and the pairing is over, kept by the delegate, and obeyed.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// How the controller, and the host, treat the identity address of a bonded peer. A peer that has not said that it uses
    /// private addresses alone is found under its identity address, too.
    func privacyMode(of peer: DeviceAddress) -> PrivacyMode {
        guard self.configuration.peerPrivacyMode == .network else { return .device }
        return self.peerPrivacy[peer]?.usesOnlyPrivateAddresses == true ? .network : .device
    }

    /// Whether directed advertising may name a peer. Where this controller makes it a private address of the peer, the peer
    /// has to say that it resolves such an address, or it would not hear itself called (Vol 3, Part C, 12.4).
    func mayDirectAdvertising(to peer: DeviceAddress) -> Bool {
        guard self.resolvingList.isUsable, self.peerIdentities.key(of: peer) != nil else { return true }
        return self.peerPrivacy[peer]?.resolvesAddresses == true
    }

    /// Says in the database whether this controller resolves addresses. A device that does not hide itself has no private
    /// address that a peer could name.
    func updateAddressResolution() {
        guard self.isPrivate else { return }
        self.server.setCentralAddressResolution(self.resolvingList.isUsable)
    }

    /// Asks a bonded peer for what it says of its privacy, where that is not known and the peer can hide at all.
    func readPeerPrivacy(of link: HostLink) {
        guard !link.hasReadPeerPrivacy, link.isOpen, !link.securityManager.isPairing,
            link.bearer.security.isBonded, link.bearer.security.key != nil,
            let identity = link.securityManager.bond?.peer.identity, identity.identityResolvingKey != .zero,
            self.peerPrivacy[identity.address.withoutIdentity] == nil, self.delegate != nil
        else { return }
        link.hasReadPeerPrivacy = true
        let id = link.id
        self.perform(ReadGAPOctet(GATTAttributeType.centralAddressResolution), on: id) { [unowned self] result in
            // A link that ended says nothing: the next one asks again.
            guard case .success(let resolution) = result else { return }
            let next = ReadGAPOctet(GATTAttributeType.resolvablePrivateAddressOnly)
            self.perform(next, on: id) { [unowned self] result in
                guard case .success(let only) = result, let information = self.information(of: id) else { return }
                let privacy = PeerPrivacy(resolvesAddresses: resolution == 1, usesOnlyPrivateAddresses: only == 0)
                self.delegate?.host(self, link: information, didReadPrivacy: privacy)
            }
        }
    }
}
