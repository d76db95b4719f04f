// The security of a link by its level.

@testable import BluetoothHost

extension LinkSecurity {
    /// A link that is encrypted with a key of the kind that just reaches a level.
    init(level: SecurityLevel, keySize: Int = 16, isBonded: Bool = false, isAuthorized: Bool = false) {
        let key = Key(
            isAuthenticated: level >= .authenticated,
            isSecureConnections: level >= .secureConnections,
            size: keySize
        )
        self.init(key: level == .none ? nil : key, isBonded: isBonded, isAuthorized: isAuthorized)
    }
}
