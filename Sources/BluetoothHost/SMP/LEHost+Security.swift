// The security of links, for the user of a host.

extension LEHost {
    /// How the host pairs from now on, on the links that there are and on those to come.
    public var pairing: PairingConfiguration {
        get { self.security.pairing }
        set { self.security.pairing = newValue }
    }

    /// How secure a link is; `nil` where there is no such link.
    public func security(of link: LinkID) -> LinkSecurity? {
        self.assertOnEventLoop()
        return self.openLinks[link]?.bearer.security
    }

    /// Makes a link at least as secure as a level: encrypts it with the keys that both devices have, or pairs. A
    /// peripheral asks the central for it.
    ///
    /// What comes of it is reported to the delegate. Nothing happens where the link has the level.
    public func secure(_ link: LinkID, to level: SecurityLevel) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.update(link) { $0.requestSecurity(level, &$1) }
    }

    /// Pairs with the peer of a link, even where the devices have keys of each other; a peripheral asks the central for
    /// it.
    /// - Parameters:
    ///   - link: The link.
    ///   - level: The least that the pairing has to give.
    public func pair(_ link: LinkID, level: SecurityLevel = .encrypted) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.update(link) { $0.pair(level, &$1) }
    }

    /// Answers a question of the pairing on a link.
    public func answer(_ answer: PairingAnswer, on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.update(link) { $0.answer(answer, &$1) }
    }

    /// Tells the peer that the user has pressed a key while entering a passkey (Vol 3, Part H, 3.5.8).
    ///
    /// Nothing is sent unless the user is asked for a passkey and both devices use keypress notifications.
    public func send(_ keypress: KeypressNotification, on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.update(link) { $0.send(keypress, &$1) }
    }

    /// Ends the pairing on a link.
    public func cancelPairing(on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.update(link) { $0.cancelPairing(&$1) }
    }

    /// Has the peer of a link drop the keys of the pairing that was just completed, since this device could not keep
    /// its own.
    public func rejectKeys(of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.update(link) { $0.rejectKeys(&$1) }
    }

    /// Grants the peer of a link access to services that need the user's authorization (Vol 3, Part C, 10.5), until the
    /// link ends.
    public func authorize(_ link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.securityManager.isAuthorized = true
        self.security.take(link.securityManager.security, of: link)
    }

    /// Forgets the keys of a link's peer. Encryption that is in use stays.
    public func removeBond(of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.securityManager.removeBond()
        self.security.take(link.securityManager.security, of: link)
    }
    /// Sets how secure a link is, for a link that another stack has secured.
    package func setSecurity(_ security: LinkSecurity, of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.take(security, of: link)
    }
}
