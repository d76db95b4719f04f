// Discoveries over a link that an attacker could have changed, or from a device that pretended to be the peer, must not
// be used on a more secure link: a handle that stood for a secret there may stand for something public here. When a
// link becomes more secure, the database is identified again and all discoveries are repeated, before anything else is
// sent; services that are not found again become invalid for the apps (didModifyServices). The same happens if a server
// does not know a handle.

import BluetoothHost
import BluetoothTypes

extension PeerTable {
    /// A link has a level.
    func secured(_ link: LinkID, _ level: SecurityLevel) {
        guard let peer = self.peer(of: link), peer.server.level < level else { return }
        peer.server.level = level
        self.distrust(peer, on: link)
    }

    /// A server does not know a handle that was discovered.
    func foundInvalidHandle(of peer: Peer) {
        guard let link = peer.link, case .confirmed = peer.server.trust,
            peer.server.validationCount < RemoteServer.validationLimit
        else { return }
        self.distrust(peer, on: link)
    }

    private func distrust(_ peer: Peer, on link: LinkID) {
        // A link to a bonded peer is secure before anything is asked.
        guard self.core.host.distrustDatabase(on: link) else { return }
        peer.server.trust = .doubted(peer.server.trust.unconfirmed)
        self.core.databaseCache.remove(peer.address)
    }

    /// Identifies the database, if possible, and then confirms it.
    func findOutAnew(_ peer: Peer, on link: LinkID) {
        switch peer.server.identity {
        case .validating, .known:
            self.validate(peer, on: link)
            if case .validating = peer.server.identity { return }
        case .unknown, .noDatabaseHash: peer.server.validationCount += 1
        }
        self.collectUnconfirmed(of: peer)
        peer.server.database = RemoteDatabase()
        self.confirm(peer, on: link)
    }

    /// Collects the discoveries of all apps, on this link or on an earlier one.
    func collectUnconfirmed(of peer: Peer) {
        var database = peer.server.trust.unconfirmed ?? peer.server.database
        for connection in peer.connections.established { database.learn(connection.attributes) }
        peer.server.trust = .confirming(database)
    }

    /// Repeats the discoveries before everything that waits.
    func confirm(_ peer: Peer, on link: LinkID) {
        guard let known = peer.server.trust.unconfirmed else { return }
        let discoveries = known.discoveries
        guard !discoveries.isEmpty else { return self.confirmed(peer) }
        self.core.host.perform(on: link, isNext: true) {
            RepeatDiscoveries(discoveries)
        } completion: { result in
            guard !result.isDisconnection, peer.link == link, peer.server.trust.unconfirmed != nil else { return }
            var isSame = false
            if case .success(let found) = result {
                isSame = true
                for (discovery, found) in zip(discoveries, found) {
                    if !known.agrees(with: found, of: discovery) { isSame = false }
                    peer.server.database.learn(found, of: discovery)
                }
            }
            self.confirmed(peer)
            if !isSame { self.invalidate(0x0001...0xFFFF, of: peer, link) }
        }
    }

    private func confirmed(_ peer: Peer) {
        switch peer.server.trust {
        case .confirmed, .confirming: peer.server.trust = .confirmed
        // The link has become more secure meanwhile.
        case .doubted: peer.server.trust = .doubted(nil)
        }
        self.learn(of: peer) { _ in }
    }
}
