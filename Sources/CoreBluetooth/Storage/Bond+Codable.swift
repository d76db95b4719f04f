// Bonds in a form that can be stored: keys are hexadecimal digits, the most significant octet first, as the
// specification prints them.

import BluetoothHost
import BluetoothTypes

/// A key as it is stored.
struct StoredKey: Codable {
    let octets: Octets16

    init(_ octets: Octets16) { self.octets = octets }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let octets = [UInt8](hexadecimal: try container.decode(String.self))
        guard let octets, let value = Octets16(mostSignificantFirst: octets) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a key has 32 hexadecimal digits")
        }
        self.octets = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.octets.mostSignificantFirst.hexadecimalDigits().lowercased())
    }
}

/// An address as it is stored.
private struct StoredAddress: Codable {
    var address: String
    var kind: String

    init(_ address: DeviceAddress) {
        self.address = address.description
        self.kind = address.storedKind
    }

    var value: DeviceAddress? { DeviceAddress(self.address, kind: self.kind == "random" ? .random : .public) }
}

/// The keys of one side as they are stored.
private struct StoredKeys: Codable {
    var longTermKey: StoredKey?
    var encryptedDiversifier: UInt16?
    var random: UInt64?
    var identityResolvingKey: StoredKey?
    var identityAddress: StoredAddress?
    var signatureResolvingKey: StoredKey?
    var signCounter: UInt32?

    init(_ keys: PairingKeys) {
        self.longTermKey = keys.longTermKey.map { StoredKey($0.value) }
        self.encryptedDiversifier = keys.longTermKey?.encryptedDiversifier
        self.random = keys.longTermKey?.random
        self.identityResolvingKey = keys.identity.map { StoredKey($0.identityResolvingKey) }
        self.identityAddress = keys.identity.map { StoredAddress($0.address) }
        self.signatureResolvingKey = keys.signing.map { StoredKey($0.connectionSignatureResolvingKey) }
        self.signCounter = keys.signing?.signCounter
    }

    var value: PairingKeys {
        let identity: IdentityInformation? =
            if let key = self.identityResolvingKey?.octets, let address = self.identityAddress?.value {
                IdentityInformation(identityResolvingKey: key, address: address)
            } else {
                nil
            }
        return PairingKeys(
            longTermKey: self.longTermKey.map {
                LongTermKey(
                    value: $0.octets,
                    encryptedDiversifier: self.encryptedDiversifier ?? 0,
                    random: self.random ?? 0
                )
            },
            identity: identity,
            signing: self.signatureResolvingKey.map {
                SigningKey(connectionSignatureResolvingKey: $0.octets, signCounter: self.signCounter ?? 0)
            }
        )
    }
}

extension Bond: Codable {
    private enum CodingKeys: String, CodingKey {
        case peerAddress
        case keySize
        case isAuthenticated
        case isSecureConnections
        case local
        case peer
        case peerIOCapability
    }

    /// Reads a bond.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let keySize = try container.decode(Int.self, forKey: .keySize)
        guard let address = try container.decode(StoredAddress.self, forKey: .peerAddress).value,
            SecurityRequirement.keySizes.contains(keySize)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .peerAddress,
                in: container,
                debugDescription: "a bond has the peer's address and a key of 7 to 16 octets"
            )
        }
        self.init(
            peerAddress: address,
            keySize: keySize,
            isAuthenticated: try container.decode(Bool.self, forKey: .isAuthenticated),
            isSecureConnections: try container.decode(Bool.self, forKey: .isSecureConnections),
            local: try container.decode(StoredKeys.self, forKey: .local).value,
            peer: try container.decode(StoredKeys.self, forKey: .peer).value,
            peerIOCapability: try container.decodeIfPresent(UInt8.self, forKey: .peerIOCapability)
                .flatMap(IOCapability.init)
        )
    }

    /// Writes a bond.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(StoredAddress(self.peerAddress), forKey: .peerAddress)
        try container.encode(self.keySize, forKey: .keySize)
        try container.encode(self.isAuthenticated, forKey: .isAuthenticated)
        try container.encode(self.isSecureConnections, forKey: .isSecureConnections)
        try container.encode(StoredKeys(self.local), forKey: .local)
        try container.encode(StoredKeys(self.peer), forKey: .peer)
        try container.encodeIfPresent(self.peerIOCapability?.rawValue, forKey: .peerIOCapability)
    }
}
