// What was discovered of a server over a link that anybody could have changed, or from a device that pretended to be
// the peer, is not what a request over a more secure link is measured by: a handle that stood for a secret there may
// stand for something public here. When a link becomes more secure, the database is identified anew and all discoveries
// are repeated, before anything else is sent; what is not found again becomes invalid for the apps (didModifyServices).
// The same happens where a server does not know a handle.

import BluetoothHost
import BluetoothTypes

extension PeerTable {
    /// A link has a level.
    func secured(_ link: LinkID, _ level: SecurityLevel) {
        guard let peer = self.peer(of: link), peer.level < level else { return }
        peer.level = level
        self.distrust(peer, on: link)
    }

    /// A server does not know a handle that was discovered.
    func foundInvalidHandle(on link: LinkID) {
        guard let peer = self.peer(of: link), case .confirmed = peer.trust,
            peer.validationCount < Peer.validationLimit
        else { return }
        self.distrust(peer, on: link)
    }

    private func distrust(_ peer: Peer, on link: LinkID) {
        // A link to a bonded peer is secure before anything is asked.
        guard self.core.host.distrustDatabase(on: link) else { return }
        peer.trust = .doubted(peer.trust.unconfirmed)
        self.core.databaseCache.remove(peer.address)
    }

    /// The database is identified, where it can be, and then confirmed.
    func findOutAnew(_ peer: Peer, on link: LinkID) {
        switch peer.server {
        case .validating, .known:
            self.validate(peer, on: link)
            if case .validating = peer.server { return }
        case .unknown, .noDatabaseHash: peer.validationCount += 1
        }
        self.collectUnconfirmed(of: peer)
        peer.database = RemoteDatabase()
        self.confirm(peer, on: link)
    }

    /// Puts together what apps have discovered, on this link or on an earlier one.
    func collectUnconfirmed(of peer: Peer) {
        var database = peer.trust.unconfirmed ?? peer.database
        for connection in peer.connections.established { database.learn(connection.attributes) }
        peer.trust = .confirming(database)
    }

    /// Repeats the discoveries before everything that waits.
    func confirm(_ peer: Peer, on link: LinkID) {
        guard let known = peer.trust.unconfirmed else { return }
        let discoveries = known.discoveries
        guard !discoveries.isEmpty else { return self.confirmed(peer) }
        self.core.host.perform(on: link, isNext: true) {
            RepeatDiscoveries(discoveries)
        } completion: { result in
            guard !result.isDisconnection, peer.link == link, peer.trust.unconfirmed != nil else { return }
            var isSame = false
            if case .success(let found) = result {
                isSame = true
                for (discovery, found) in zip(discoveries, found) {
                    if !known.agrees(with: found, of: discovery) { isSame = false }
                    peer.database.learn(found, of: discovery)
                }
            }
            self.confirmed(peer)
            if !isSame { self.invalidate(0x0001...0xFFFF, of: peer, link) }
        }
    }

    private func confirmed(_ peer: Peer) {
        switch peer.trust {
        case .confirmed, .confirming: peer.trust = .confirmed
        // The link has become more secure meanwhile.
        case .doubted: peer.trust = .doubted(nil)
        }
        self.learn(of: peer) { _ in }
    }
}
