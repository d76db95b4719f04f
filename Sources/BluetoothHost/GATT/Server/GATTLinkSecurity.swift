// The security of a link, and which error a client meets that needs more
// (Vol 3, Part C, 10.3.1; Vol 3, Part F, 3.2.5).

/// The security of a link.
struct GATTLinkSecurity: Hashable, Sendable {
    /// How far the link is protected.
    enum Level: Hashable, Sendable {
        /// Not encrypted.
        case none
        /// Encrypted with a key that was made without protection against a man in the middle.
        case encrypted
        /// Encrypted with a key that was made with protection against a man in the middle.
        case authenticated
    }

    /// How far the link is protected.
    var level: Level
    /// The octets of the encryption key, 7 to 16; 0 without encryption.
    var keySize: Int
    /// Whether both sides share a key from an earlier pairing, so that a client only has to turn encryption on.
    var isBonded: Bool

    /// A link without protection.
    static let none = GATTLinkSecurity(level: .none, keySize: 0, isBonded: false)

    init(level: Level, keySize: Int = 16, isBonded: Bool = false) {
        self.level = level
        self.keySize = level == .none ? 0 : keySize
        self.isBonded = isBonded
    }

    /// The error that a client meets which uses an attribute that needs encryption or authentication; `nil` for none.
    func error(encryption: Bool, authentication: Bool, minimumKeySize: Int) -> ATTErrorCode? {
        guard encryption || authentication else { return nil }
        switch self.level {
        case .none:
            return self.isBonded ? .insufficientEncryption : .insufficientAuthentication
        case .encrypted where authentication:
            return .insufficientAuthentication
        case .encrypted, .authenticated:
            return self.keySize < minimumKeySize ? .encryptionKeySizeTooShort : nil
        }
    }
}
