// The security of links, for the user of a host.

extension LEHost {
    /// How the host pairs from now on, on open and on future links.
    public var pairing: PairingConfiguration {
        get { self.security.pairing }
        set { self.security.pairing = newValue }
    }

    /// The security of a link; `nil` if there is no such link.
    public func security(of link: LinkID) -> LinkSecurity? {
        self.assertOnEventLoop()
        return self.openLinks[link]?.bearer.security
    }

    /// Makes a link at least as secure as a level: encrypts it with existing keys, or pairs. A peripheral requests it
    /// from the central.
    ///
    /// The delegate is told of the outcome. Nothing happens if the link already has the level.
    public func secure(_ link: LinkID, to level: SecurityLevel) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.update(link) { $0.requestSecurity(level, &$1) }
    }

    /// Pairs with the peer of a link, even if the devices have keys of each other. A peripheral requests it from the
    /// central.
    /// - Parameters:
    ///   - link: The link.
    ///   - level: The least level that the pairing must reach.
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

    /// Makes the peer of a link drop the keys of the pairing that was just completed, because this device could not
    /// store its own.
    package func rejectKeys(of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.security.update(link) { $0.rejectKeys(&$1) }
    }

    /// Grants the peer of a link access to services that need the user's authorization (Vol 3, Part C, 10.5), until the
    /// link ends.
    package func authorize(_ link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.securityManager.isAuthorized = true
        self.security.take(link.securityManager.security, of: link)
    }

    /// Forgets the keys of a link's peer. The link stays encrypted.
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
