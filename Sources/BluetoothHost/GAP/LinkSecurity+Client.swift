// What the client of a service does when the server refuses it because the link is not secure enough
// (Vol 3, Part C, 10.3.2): it has the link secured one level higher, as far as that can help, and asks once more.

extension LinkSecurity {
    /// The level that the link has to reach before it makes sense to repeat what was refused; `nil` where no level helps.
    ///
    /// A server that has a key of this device refuses for want of encryption, and the key is used. One that has none
    /// refuses for want of authentication, of a key or of a better one; so each refusal asks for the next level.
    func level(afterRefusalFor shortfall: SecurityShortfall) -> SecurityLevel? {
        switch (shortfall, self.level) {
        case (.authentication, .none), (.encryption, .none): .encrypted
        case (.authentication, .encrypted): .authenticated
        case (.authentication, .authenticated): .secureConnections
        case (.authentication, .secureConnections), (.encryption, _), (.encryptionKeySize, _), (.authorization, _): nil
        }
    }
}

extension SecurityShortfall {
    /// What an ATT error says that the link lacks; `nil` for other errors.
    init?(_ error: ATTErrorCode) {
        guard let shortfall = Self.allCases.first(where: { $0.attError == error }) else { return nil }
        self = shortfall
    }

    /// What the refusal of a channel says that the link lacks; `nil` for other results.
    init?(_ result: L2CAPConnectionResult) {
        guard let shortfall = Self.allCases.first(where: { $0.connectionResult == result }) else { return nil }
        self = shortfall
    }
}
