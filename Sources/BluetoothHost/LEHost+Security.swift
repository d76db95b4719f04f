// What whoever pairs and keeps bonds says of a link, and what a bond keeps for the GATT server: the client that comes
// back finds its subscriptions, and hears of changes that it has missed (Vol 3, Part G, 2.5.2).
//
// The order of a bonded link: it is opened, encrypted with the key of the bond, and said to be so with
// `setSecurity(_:of:)`. Only then is the client restored, since before anybody can have the address of a bonded peer.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// How secure a link is; `nil` where there is no such link.
    public func security(of link: LinkID) -> LinkSecurity? {
        self.assertOnEventLoop()
        return self.linksByID[link]?.bearer.security
    }

    /// Says how secure a link is: how the key of its encryption was made, whether the peer is bonded and authorized.
    ///
    /// The first time that a link is bonded and encrypted, the delegate is asked for what was kept of the peer's client
    /// with ``LEHostDelegate/host(_:bondedClientAt:)``, and from then on it is given each change of that.
    public func setSecurity(_ security: LinkSecurity, of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        // What waits in the batch was made for the link as it was.
        link.bearer.flushBatch(into: &link.bearerActions)
        link.bearer.security = security
        if security.isBonded, security.key != nil, !link.hasRestoredClient {
            link.hasRestoredClient = true
            if let client = self.delegate?.host(self, bondedClientAt: link.information) {
                self.server.restoreClient(
                    client,
                    on: &link.bearer,
                    now: self.eventLoop.now,
                    into: &link.bearerActions
                )
            } else {
                link.bearer.noteClientChange(into: &link.bearerActions)
            }
        }
        self.noteWork(link)
    }

    /// Sets the key with which the peer of a link signs commands; `nil` for none, and then they are ignored.
    ///
    /// Each counter that is accepted is reported with ``LEHostDelegate/host(_:link:didAcceptSignCounter:)``.
    public func setSigningKey(_ key: PeerSigningKey?, of link: LinkID) {
        self.assertOnEventLoop()
        self.linksByID[link]?.bearer.server.signingKey = key
    }

    /// Gives the delegate what is to be kept of a bonded client.
    func reportBondedClient(of link: HostLink) {
        let client = self.server.bondedClient(on: &link.bearer)
        self.delegate?.host(self, link: link.information, didChangeBondedClient: client)
    }
}
