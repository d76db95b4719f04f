// The security of a link, the requirements of a service, and what a link lacks for a service (Vol 3, Part C, 10.2 and
// 10.3). Attributes and L2CAP channels share these rules, so that both refuse in the same order. The encryption of a
// link has its own state, `LinkEncryption`.

import BluetoothHCI

/// A level of LE security mode 1 (Vol 3, Part C, 10.2.1), from the lowest to the highest.
public enum SecurityLevel: UInt8, Hashable, Comparable, CaseIterable, Sendable {
    /// Level 1: no security.
    case none = 1
    /// Level 2: encryption with a key of an unauthenticated pairing.
    case encrypted = 2
    /// Level 3: encryption with a key of an authenticated pairing, which protects against a man in the middle.
    case authenticated = 3
    /// Level 4: encryption with a 128-bit key of an authenticated LE Secure Connections pairing.
    case secureConnections = 4

    /// Lower levels come first.
    @inlinable
    public static func < (left: SecurityLevel, right: SecurityLevel) -> Bool { left.rawValue < right.rawValue }
}

/// The security that a service requires of a link.
public struct SecurityRequirement: Hashable, Sendable {
    /// The range of encryption key sizes, in octets (Vol 3, Part H, 2.3.4).
    public static let keySizes: ClosedRange<Int> = 7...16

    /// The lowest level.
    package let level: SecurityLevel
    private let keySize: UInt8
    /// Whether the user must have authorized the peer (Vol 3, Part C, 10.5).
    package let needsAuthorization: Bool

    /// The shortest encryption key, 7 to 16 octets; 16 at level 4. No effect at level 1.
    package var minimumKeySize: Int { Int(self.keySize) }

    /// Creates a requirement; a key size out of range is clamped.
    public init(level: SecurityLevel, minimumKeySize: Int = Self.keySizes.lowerBound, needsAuthorization: Bool = false)
    {
        self.level = level
        let sizes = Self.keySizes
        let size = min(max(minimumKeySize, sizes.lowerBound), sizes.upperBound)
        self.keySize = UInt8(level == .secureConnections ? sizes.upperBound : size)
        self.needsAuthorization = needsAuthorization
    }

    /// No security.
    public static let none = SecurityRequirement(level: .none)
    /// The link must be encrypted.
    package static let encrypted = SecurityRequirement(level: .encrypted)
    /// The link must be encrypted with an authenticated key.
    package static let authenticated = SecurityRequirement(level: .authenticated)
    /// The link must be encrypted with a 128-bit authenticated key of LE Secure Connections.
    package static let secureConnections = SecurityRequirement(level: .secureConnections)

    /// The union of both requirements.
    package func combined(with other: SecurityRequirement) -> SecurityRequirement {
        SecurityRequirement(
            level: max(self.level, other.level),
            minimumKeySize: max(self.minimumKeySize, other.minimumKeySize),
            needsAuthorization: self.needsAuthorization || other.needsAuthorization
        )
    }
}

/// The security of a link.
public struct LinkSecurity: Hashable, Sendable {
    /// The key that a link is encrypted with.
    public struct Key: Hashable, Sendable {
        /// Whether its pairing protected against a man in the middle.
        package var isAuthenticated: Bool
        /// Whether it comes from LE Secure Connections.
        package var isSecureConnections: Bool
        /// Its size, 7 to 16 octets.
        package var size: Int

        /// Creates a description of a key.
        package init(isAuthenticated: Bool, isSecureConnections: Bool, size: Int = 16) {
            self.isAuthenticated = isAuthenticated
            self.isSecureConnections = isSecureConnections
            self.size = size
        }

        /// The highest level of a link with the key, regardless of its size.
        package var level: SecurityLevel {
            guard self.isAuthenticated else { return .encrypted }
            return self.isSecureConnections ? .secureConnections : .authenticated
        }
    }

    /// The key that the link is encrypted with; `nil` if it is not encrypted.
    public var key: Key?
    /// Whether this host has a bond with the peer, so that encryption needs no pairing.
    package var isBonded: Bool
    /// Whether the link is encrypted with the key of the bond: until then any device may be using the peer's address.
    package var usesBond: Bool
    /// Whether the user has authorized the peer.
    package var isAuthorized: Bool

    /// An unencrypted link to an unknown device.
    package static let none = LinkSecurity(key: nil)

    /// Creates a value; without `usesBond`, the key of a bonded peer counts as that of the bond.
    package init(key: Key?, isBonded: Bool = false, usesBond: Bool? = nil, isAuthorized: Bool = false) {
        self.key = key
        self.isBonded = isBonded
        self.usesBond = usesBond ?? (isBonded && key != nil)
        self.isAuthorized = isAuthorized
    }

    /// The highest level of the link, regardless of the size of its key.
    package var level: SecurityLevel { self.key?.level ?? .none }

    /// What the link lacks for a requirement; `nil` if nothing.
    ///
    /// The order is that of Vol 3, Part C, 10.3.1: encryption first, then how the key was made, then its size.
    /// Authorization comes last, so that no user is asked about an unknown peer.
    /// - Parameter minimumKeySize: The host's minimum key size.
    func shortfall(
        of requirement: SecurityRequirement,
        minimumKeySize: Int = SecurityRequirement.keySizes.lowerBound
    ) -> SecurityShortfall? {
        if requirement.level > .none {
            guard let key else { return self.isBonded ? .encryption : .authentication }
            if self.level < requirement.level { return .authentication }
            if key.size < max(minimumKeySize, requirement.minimumKeySize) { return .encryptionKeySize }
        }
        return requirement.needsAuthorization && !self.isAuthorized ? .authorization : nil
    }
}

/// The security that a link lacks for a service.
enum SecurityShortfall: Hashable, Sendable, CaseIterable {
    /// A key, or one of a better pairing: the devices have to pair.
    case authentication
    /// Encryption with a key that both sides have.
    case encryption
    /// A longer key.
    case encryptionKeySize
    /// The user's authorization.
    case authorization

    /// The error of an ATT request (Vol 3, Part F, 3.4.1.1).
    var attError: ATTErrorCode {
        switch self {
        case .authentication: .insufficientAuthentication
        case .encryption: .insufficientEncryption
        case .encryptionKeySize: .encryptionKeySizeTooShort
        case .authorization: .insufficientAuthorization
        }
    }

    /// The result of a request for a channel (Vol 3, Part A, 4.23).
    var connectionResult: L2CAPConnectionResult {
        switch self {
        case .authentication: .insufficientAuthentication
        case .encryption: .insufficientEncryption
        case .encryptionKeySize: .encryptionKeySizeTooShort
        case .authorization: .insufficientAuthorization
        }
    }
}

// MARK: Reactions of a client to a refusal (Vol 3, Part C, 10.3.2)

extension LinkSecurity {
    /// The level that the link must reach before a refused request is repeated; `nil` if no level helps.
    ///
    /// A server that has a key of this device refuses because the link is not encrypted; encryption with the key is
    /// enough. One without a key refuses because the client is not authenticated, or not well enough, so each refusal
    /// asks for the next level.
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
    /// What the link lacks according to an ATT error; `nil` for other errors.
    init?(_ error: ATTErrorCode) {
        guard let shortfall = Self.allCases.first(where: { $0.attError == error }) else { return nil }
        self = shortfall
    }

    /// What the link lacks according to the refusal of a channel; `nil` for other results.
    init?(_ result: L2CAPConnectionResult) {
        guard let shortfall = Self.allCases.first(where: { $0.connectionResult == result }) else { return nil }
        self = shortfall
    }
}

// MARK: Encryption (Vol 3, Part H, 2.4.4; Vol 4, Part E, 7.7.8)
//
//      +-----+  key given  +----------+  on   +----+
//      | off |------------>| starting |------>| on |
//      +-----+             +----+-----+       +-+--+
//         ^                     | failed        | key given: starting again, still encrypted with the old key
//         +---------------------+---------------+ off
//
// off: the link is not encrypted.
//
// starting: the controller has been given a key. The previous key stays in use until the controller reports a change.
//
// on: the link is encrypted with the key.
//
// A peer can refuse a key or have a different one; the controller reports it. Encryption that the controller reports
// without having been given a key does not count. No timers: the link layer waits.

/// The encryption of a link.
struct LinkEncryption: Sendable {
    private struct Use: Sendable {
        var key: LinkSecurity.Key
        var isOfBond: Bool
    }

    private enum State: Sendable {
        case off
        case starting(Use, before: Use?)
        case on(Use)
    }

    /// The meaning of a report of the controller.
    enum Change: Hashable, Sendable {
        /// Nothing.
        case none
        /// The link is encrypted with the given key.
        case started
        /// The given key does not encrypt the link.
        case failed
        /// The link is no longer encrypted.
        case ended
    }

    private var state = State.off

    init() {}

    private var use: Use? {
        switch self.state {
        case .off: nil
        case .starting(_, let before): before
        case .on(let use): use
        }
    }

    /// The key in use.
    var inUse: LinkSecurity.Key? { self.use?.key }

    /// Whether the key in use is that of a bond.
    var usesBond: Bool { self.use?.isOfBond ?? false }

    /// Whether the controller was given a key that it does not use yet.
    var isStarting: Bool {
        switch self.state {
        case .off, .on: false
        case .starting: true
        }
    }

    /// The key that the controller was given and does not use yet.
    var starting: LinkSecurity.Key? {
        switch self.state {
        case .off, .on: nil
        case .starting(let use, _): use.key
        }
    }

    /// The controller is given a key.
    mutating func start(_ key: LinkSecurity.Key, isOfBond: Bool = false) {
        self.state = .starting(Use(key: key, isOfBond: isOfBond), before: self.use)
    }

    /// The pairing whose key is in use has made a bond.
    mutating func bonded() {
        guard case .on(let use) = self.state else { return }
        self.state = .on(Use(key: use.key, isOfBond: true))
    }

    /// The controller reports a change of encryption, a refreshed key, or a failure.
    mutating func changed(_ status: HCIErrorCode, isEnabled: Bool) -> Change {
        switch self.state {
        case .starting(_, let before) where status != .success:
            self.state = before.map(State.on) ?? .off
            return .failed
        case .starting(let use, _) where isEnabled:
            self.state = .on(use)
            return .started
        case .on where status == .success && !isEnabled:
            self.state = .off
            return .ended
        case .starting:
            self.state = .off
            return .failed
        case .on, .off:
            return .none
        }
    }
}
