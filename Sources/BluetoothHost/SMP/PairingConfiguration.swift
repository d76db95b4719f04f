// How a device pairs: what its user can do, what it wants of a key, and what it does when a peer asks.

/// When a user is asked whether to pair with a peer that wants to.
public enum PairingConsentPolicy: Hashable, Sendable {
    /// Always.
    case always
    /// If keys or an identity would be replaced, and if a peripheral asks this central for a pairing that it does not
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
    /// Whether peers may pair at all.
    public var isPairingAllowed: Bool
    /// What the device can show to its user and take from it.
    public var ioCapability: IOCapability
    /// Whether keys are kept.
    public var isBondable: Bool
    /// Whether protection against a man in the middle is asked for, and done without where the devices cannot have it.
    public var prefersMITMProtection: Bool
    /// The least that a pairing has to give; one that would give less fails.
    public var minimumLevel: SecurityLevel
    /// Whether LE Secure Connections are offered.
    public var supportsSecureConnections: Bool
    /// Secure Connections Only mode: every pairing has to give level 4 (Vol 3, Part C, 10.2.4).
    public var isSecureConnectionsOnly: Bool
    /// The least octets of an encryption key, 7 to 16.
    public var minimumKeySize: Int
    /// The most octets of an encryption key, 7 to 16.
    public var maximumKeySize: Int
    /// Whether keypress notifications are sent and received.
    public var usesKeypressNotifications: Bool
    /// The keys that the initiator of a pairing is to distribute.
    public var initiatorKeys: KeyDistribution
    /// The keys that the responder is to distribute.
    public var responderKeys: KeyDistribution
    /// Who this device is; without it the identity key is not distributed.
    public var identity: IdentityInformation?
    /// When the user is asked.
    public var consent: PairingConsentPolicy
    /// Whether a peer may use the debug key, with which a sniffer reads the link (Vol 3, Part H, 2.3.5.6.1).
    public var acceptsDebugKey: Bool

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
