// Keys on the curve P-256 (Vol 3, Part H, 2.3.5.6.1), computed by the host. A key of a peer is only used after it was
// found to be a point of the curve: a point of another curve would give away this side's private key bit by bit
// (CVE-2018-5383).

public import BluetoothTypes
import Crypto

/// A public key: a point of P-256, or what a peer says is one.
public struct PublicKey: Hashable, Sendable {
    /// The X coordinate.
    public var x: Octets32
    /// The Y coordinate.
    public var y: Octets32

    /// A key from its coordinates.
    public init(x: Octets32, y: Octets32) {
        self.x = x
        self.y = y
    }
}

/// A private key and the public key that belongs to it.
public struct KeyPair: Sendable {
    private let privateKey: P256.KeyAgreement.PrivateKey
    /// The half that a peer gets.
    public let publicKey: PublicKey

    private init(_ privateKey: P256.KeyAgreement.PrivateKey) {
        self.privateKey = privateKey
        // X9.63: 0x04, X, Y, most significant octet first.
        let octets = privateKey.publicKey.x963Representation
        guard let x = Octets32(mostSignificantFirst: octets.dropFirst().prefix(32)),
            let y = Octets32(mostSignificantFirst: octets.dropFirst(33))
        else { preconditionFailure("a point of P-256 has 65 octets") }
        self.publicKey = PublicKey(x: x, y: y)
    }

    /// The pair of a private key; `nil` where the number is zero or not less than the order of the curve.
    init?(privateKey: Octets32) {
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey.mostSignificantFirst) else {
            return nil
        }
        self.init(key)
    }

    /// A new pair; the same generator gives the same pair.
    public init(using generator: inout some RandomNumberGenerator) {
        // One number in 2^32 is too large. A generator that gives nothing else is not asked forever.
        for _ in 0..<8 {
            let number = Octets32(high: .random(using: &generator), low: .random(using: &generator))
            if let pair = KeyPair(privateKey: number) {
                self = pair
                return
            }
        }
        self.init(P256.KeyAgreement.PrivateKey())
    }

    /// The Diffie-Hellman key with a peer; `nil` where its key is not a point of the curve.
    func dhKey(with peer: PublicKey) -> Octets32? {
        let octets = [0x04] + peer.x.mostSignificantFirst + peer.y.mostSignificantFirst
        guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: octets),
            let secret = try? self.privateKey.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        return secret.withUnsafeBytes { Octets32(mostSignificantFirst: $0) }
    }
}

extension PublicKey {
    /// The X coordinate of the debug key, whose private half everybody knows (2.3.5.6.1).
    private static let debugX = Octets32(
        high: Octets16(high: 0x20B0_03D2_F297_BE2C, low: 0x5E2C_83A7_E9F9_A5B9),
        low: Octets16(high: 0xEFF4_9111_ACF4_FDDB, low: 0xCC03_0148_0E35_9DE6)
    )

    /// Whether a sniffer can read what this key protects.
    var isDebugKey: Bool { self.x == Self.debugX }
}
