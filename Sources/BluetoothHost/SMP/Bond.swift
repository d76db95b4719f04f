// The keys that two devices share after pairing (Vol 3, Part H, 2.4), kept from one link to the next.

public import BluetoothTypes

/// A key that encrypts links, and the numbers that identify it (2.4.1, 2.4.4).
package struct LongTermKey: Hashable, Sendable {
    /// The key (LTK), with zeros above its size.
    package var value: Octets16
    /// The encrypted diversifier (EDIV); 0 for LE Secure Connections.
    package var encryptedDiversifier: UInt16
    /// The random number (Rand); 0 for LE Secure Connections.
    package var random: UInt64

    /// A key.
    package init(value: Octets16, encryptedDiversifier: UInt16 = 0, random: UInt64 = 0) {
        self.value = value
        self.encryptedDiversifier = encryptedDiversifier
        self.random = random
    }
}

/// The identity of a device (2.4.2.1).
public struct IdentityInformation: Hashable, Sendable {
    /// The key that resolves its private addresses (IRK); zero if it has none.
    package var identityResolvingKey: Octets16
    /// Its public or static random address.
    package var address: DeviceAddress

    /// An identity.
    public init(identityResolvingKey: Octets16, address: DeviceAddress) {
        self.identityResolvingKey = identityResolvingKey
        self.address = address
    }
}

/// A key that signs data (2.4.2.2, 2.4.5).
package struct SigningKey: Hashable, Sendable {
    /// The key (CSRK).
    package var connectionSignatureResolvingKey: Octets16
    /// The SignCounter of the next message; smaller ones are replays.
    package var signCounter: UInt32

    /// A key.
    package init(connectionSignatureResolvingKey: Octets16, signCounter: UInt32 = 0) {
        self.connectionSignatureResolvingKey = connectionSignatureResolvingKey
        self.signCounter = signCounter
    }
}

/// The keys that one device has distributed.
package struct PairingKeys: Hashable, Sendable {
    /// The key of links in which the distributing device is the peripheral; with LE Secure Connections, of all links.
    package var longTermKey: LongTermKey?
    /// The identity of the distributing device.
    package var identity: IdentityInformation?
    /// The key with which the distributing device signs data.
    package var signing: SigningKey?

    /// Keys.
    package init(
        longTermKey: LongTermKey? = nil,
        identity: IdentityInformation? = nil,
        signing: SigningKey? = nil
    ) {
        self.longTermKey = longTermKey
        self.identity = identity
        self.signing = signing
    }
}

/// The result of a pairing.
public struct Bond: Hashable, Sendable {
    /// The peer's address on the link where it paired.
    package var peerAddress: DeviceAddress
    /// The size of the encryption keys, 7 to 16 octets.
    package var keySize: Int
    /// Whether the keys protect against a man in the middle.
    package var isAuthenticated: Bool
    /// Whether they come from LE Secure Connections.
    package var isSecureConnections: Bool
    /// The keys that this device has distributed.
    package var local: PairingKeys
    /// The keys that the peer has distributed.
    package var peer: PairingKeys
    /// The peer's IO capability when the devices paired; `nil` if unknown.
    package var peerIOCapability: IOCapability?

    /// A bond.
    package init(
        peerAddress: DeviceAddress,
        keySize: Int,
        isAuthenticated: Bool,
        isSecureConnections: Bool,
        local: PairingKeys,
        peer: PairingKeys,
        peerIOCapability: IOCapability? = nil
    ) {
        self.peerAddress = peerAddress
        self.keySize = keySize
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.local = local
        self.peer = peer
        self.peerIOCapability = peerIOCapability
    }

    /// The description of these keys.
    package var key: LinkSecurity.Key {
        LinkSecurity.Key(
            isAuthenticated: self.isAuthenticated,
            isSecureConnections: self.isSecureConnections,
            size: self.keySize
        )
    }

    /// The level of a link that is encrypted with these keys.
    public var level: SecurityLevel { self.key.level }

    /// The peer's identity address; the address with which it paired if it has distributed none.
    public var identityAddress: DeviceAddress { self.peer.identity?.address ?? self.peerAddress }

    /// The key for links in which this device has the role.
    func longTermKey(asCentral isCentral: Bool) -> LongTermKey? {
        isCentral ? self.peer.longTermKey : self.local.longTermKey
    }
}
