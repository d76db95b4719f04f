// How a device pairs: its input and output, its requirements for keys, and when it asks its user.

/// When the user is asked whether to accept a pairing that a peer requests.
public enum PairingConsentPolicy: Hashable, Sendable {
    /// Always.
    case always
    /// If keys or an identity would be replaced, and if a peripheral requests a pairing that this central does not
    /// need.
    case whenReplacingBond
    /// Never.
    case never
}

extension PairingConsentPolicy {
    /// Whether the user is asked.
    func asksUser(replacesBond: Bool) -> Bool {
        switch self {
        case .always: true
        case .whenReplacingBond: replacesBond
        case .never: false
        }
    }
}

/// How a device pairs.
public struct PairingConfiguration: Hashable, Sendable {
    /// Whether peers may pair.
    package var isPairingAllowed: Bool
    /// The input and output of the device.
    package var ioCapability: IOCapability
    /// Whether keys are stored.
    package var isBondable: Bool
    /// Whether to request protection against a man in the middle, without requiring it.
    package var prefersMITMProtection: Bool
    /// The least level of a pairing; one that would reach less fails.
    package var minimumLevel: SecurityLevel
    /// Whether LE Secure Connections are offered.
    package var supportsSecureConnections: Bool
    /// Secure Connections Only mode: every pairing must reach level 4 (Vol 3, Part C, 10.2.4).
    package var isSecureConnectionsOnly: Bool
    /// The minimum size of an encryption key, 7 to 16 octets.
    package var minimumKeySize: Int
    /// The maximum size of an encryption key, 7 to 16 octets.
    package var maximumKeySize: Int
    /// Whether keypress notifications are sent and received.
    package var usesKeypressNotifications: Bool
    /// The keys that the initiator of a pairing distributes.
    package var initiatorKeys: KeyDistribution
    /// The keys that the responder distributes.
    package var responderKeys: KeyDistribution
    /// The identity of this device; `nil` to distribute none.
    package var identity: IdentityInformation?
    /// When the user is asked.
    package var consent: PairingConsentPolicy
    /// Whether a peer may use the debug key, with which a sniffer can read the link (Vol 3, Part H, 2.3.5.6.1).
    package var acceptsDebugKey: Bool

    /// Creates a configuration.
    public init(
        isPairingAllowed: Bool = true,
        ioCapability: IOCapability = .noInputNoOutput,
        isBondable: Bool = true,
        prefersMITMProtection: Bool = false,
        minimumLevel: SecurityLevel = .encrypted,
        supportsSecureConnections: Bool = true,
        isSecureConnectionsOnly: Bool = false,
        minimumKeySize: Int = 16,
        maximumKeySize: Int = 16,
        usesKeypressNotifications: Bool = false,
        initiatorKeys: KeyDistribution = [.encryptionKey, .identityKey],
        responderKeys: KeyDistribution = [.encryptionKey, .identityKey],
        identity: IdentityInformation? = nil,
        consent: PairingConsentPolicy = .whenReplacingBond,
        acceptsDebugKey: Bool = false
    ) {
        self.isPairingAllowed = isPairingAllowed
        self.ioCapability = ioCapability
        self.isBondable = isBondable
        self.prefersMITMProtection = prefersMITMProtection
        self.minimumLevel = minimumLevel
        self.supportsSecureConnections = supportsSecureConnections
        self.isSecureConnectionsOnly = isSecureConnectionsOnly
        self.minimumKeySize = minimumKeySize
        self.maximumKeySize = maximumKeySize
        self.usesKeypressNotifications = usesKeypressNotifications
        self.initiatorKeys = initiatorKeys
        self.responderKeys = responderKeys
        self.identity = identity
        self.consent = consent
        self.acceptsDebugKey = acceptsDebugKey
    }
}
