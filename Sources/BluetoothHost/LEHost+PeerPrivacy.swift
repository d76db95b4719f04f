// What bonded peers say of their privacy (Vol 3, Part C, 12.4 and 12.5): asked once for a bond, when its link is encrypted
// and the pairing is over, kept by the delegate, and obeyed by `RadioAddresses`.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
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
