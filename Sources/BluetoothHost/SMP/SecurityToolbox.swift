// The cryptographic toolbox of the Security Manager (Vol 3, Part H, 2.2): the functions behind pairing and private
// addresses, based on AES-128 and AES-CMAC. Values are numbers here; the specification concatenates them most
// significant octet first, while they are sent least significant octet first.
//
// Keys on the curve P-256 (Vol 3, Part H, 2.3.5.6.1) are computed by the host. A key of a peer is used only if it is a
// point of the curve: a point of another curve would reveal this side's private key bit by bit (CVE-2018-5383).

package import BluetoothTypes
import Crypto
import CryptoExtras

/// The functions of Vol 3, Part H, 2.2, with the specification's names.
enum SecurityToolbox {
    /// The security function e: AES-128 of one block (2.2.1).
    static func e(_ key: Octets16, _ plaintext: Octets16) -> Octets16 {
        var block = plaintext.mostSignificantFirst
        do {
            try AES.permute(&block, key: SymmetricKey(data: key.mostSignificantFirst))
        } catch {
            preconditionFailure("AES takes 16 octets and a key of 16 octets: \(error)")
        }
        return self.value(block)
    }

    /// AES-CMAC (2.2.5); the message is most significant octet first.
    static func cmac(_ key: Octets16, _ message: [UInt8]) -> Octets16 {
        guard var code = try? AES.CMAC(key: SymmetricKey(data: key.mostSignificantFirst)) else {
            preconditionFailure("AES-CMAC takes a key of 128 bits")
        }
        message.withUnsafeBytes { code.update(bufferPointer: $0) }
        return code.finalize().withUnsafeBytes { self.value(Array($0)) }
    }

    private static func value(_ octets: [UInt8]) -> Octets16 {
        guard let value = Octets16(mostSignificantFirst: octets) else {
            preconditionFailure("a block has 16 octets")
        }
        return value
    }

    // MARK: Private addresses

    /// The random address hash function ah: 24 bits of a resolvable private address from its other 24 (2.2.2).
    static func ah(_ k: Octets16, _ r: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: self.e(k, Octets16(UInt64(r & 0xFF_FFFF))).low & 0xFF_FFFF)
    }

    // MARK: LE legacy pairing

    /// The confirm value generation function c1 (2.2.3).
    /// - Parameters:
    ///   - k: The temporary key.
    ///   - r: The random value that is confirmed.
    ///   - request: The seven octets of the Pairing Request as sent.
    ///   - response: The seven octets of the Pairing Response as sent.
    static func c1(
        _ k: Octets16,
        _ r: Octets16,
        request: [UInt8],
        response: [UInt8],
        initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> Octets16 {
        let p1 = self.value(response.reversed() + request.reversed() + [responder.typeOctet, initiator.typeOctet])
        let p2 = self.value([0, 0, 0, 0] + initiator.mostSignificantFirst + responder.mostSignificantFirst)
        return self.e(k, self.e(k, r ^ p1) ^ p2)
    }

    /// The key generation function s1 for the short term key (2.2.4).
    static func s1(_ k: Octets16, _ r1: Octets16, _ r2: Octets16) -> Octets16 {
        self.e(k, Octets16(high: r1.low, low: r2.low))
    }

    // MARK: LE Secure Connections

    /// The confirm value generation function f4 (2.2.6).
    static func f4(_ u: Octets32, _ v: Octets32, _ x: Octets16, _ z: UInt8) -> Octets16 {
        self.cmac(x, u.mostSignificantFirst + v.mostSignificantFirst + [z])
    }

    /// The key generation function f5: the MacKey and the long term key (2.2.7).
    static func f5(
        _ w: Octets32,
        _ n1: Octets16,
        _ n2: Octets16,
        _ a1: DeviceAddress,
        _ a2: DeviceAddress
    ) -> (macKey: Octets16, longTermKey: Octets16) {
        let salt = Octets16(high: 0x6C88_8391_AAF5_A538, low: 0x6037_0BDB_5A60_83BE)
        let t = self.cmac(salt, w.mostSignificantFirst)
        // "btle" between the counter and the values; the length of the result, 256 bits, at the end.
        let values: [UInt8] =
            [0x62, 0x74, 0x6C, 0x65] + n1.mostSignificantFirst + n2.mostSignificantFirst + a1.withType + a2.withType
            + [0x01, 0x00]
        return (self.cmac(t, [0] + values), self.cmac(t, [1] + values))
    }

    /// The check value generation function f6 (2.2.8).
    /// - Parameter ioCapability: AuthReq, OOB data flag and IO capability, in this order.
    static func f6(
        _ w: Octets16,
        _ n1: Octets16,
        _ n2: Octets16,
        _ r: Octets16,
        _ ioCapability: [UInt8],
        _ a1: DeviceAddress,
        _ a2: DeviceAddress
    ) -> Octets16 {
        self.cmac(
            w,
            n1.mostSignificantFirst + n2.mostSignificantFirst + r.mostSignificantFirst + ioCapability + a1.withType
                + a2.withType
        )
    }

    /// The numeric comparison value generation function g2, before reduction to six digits (2.2.9).
    static func g2(_ u: Octets32, _ v: Octets32, _ x: Octets16, _ y: Octets16) -> UInt32 {
        let code = self.cmac(x, u.mostSignificantFirst + v.mostSignificantFirst + y.mostSignificantFirst)
        return UInt32(truncatingIfNeeded: code.low)
    }
}

extension Octets16 {
    /// A small number.
    init(_ value: UInt64) { self.init(high: 0, low: value) }

    /// 128 random bits.
    static func random(using generator: inout some RandomNumberGenerator) -> Octets16 {
        Octets16(high: generator.next(), low: generator.next())
    }

    static func ^ (left: Octets16, right: Octets16) -> Octets16 {
        Octets16(high: left.high ^ right.high, low: left.low ^ right.low)
    }

    /// The key with all but its `octets` least significant octets set to zero (2.3.4).
    func masked(toOctets octets: Int) -> Octets16 {
        let zeroBits = max(0, min(128, 128 - octets * 8))
        return Octets16(
            high: zeroBits >= 64 ? 0 : self.high & (.max >> UInt64(zeroBits)),
            low: zeroBits <= 64 ? self.low : self.low & (.max >> UInt64(zeroBits - 64))
        )
    }
}

extension DeviceAddress {
    /// 0 for a public address, 1 for a random one.
    fileprivate var typeOctet: UInt8 { self.isRandom ? 1 : 0 }

    /// The six octets, most significant first.
    fileprivate var mostSignificantFirst: [UInt8] {
        stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self.value >> UInt64($0)) }
    }

    /// The 56 bits that f5 and f6 take: the type in front of the address.
    fileprivate var withType: [UInt8] { [self.typeOctet] + self.mostSignificantFirst }
}

/// A public key: a point of P-256, or what a peer claims to be one.
public struct PublicKey: Hashable, Sendable {
    /// The X coordinate.
    package var x: Octets32
    /// The Y coordinate.
    package var y: Octets32

    /// A key from its coordinates.
    package init(x: Octets32, y: Octets32) {
        self.x = x
        self.y = y
    }
}

/// A private key and the public key that belongs to it.
package struct KeyPair: Sendable {
    private let privateKey: P256.KeyAgreement.PrivateKey
    /// The public key, which the peer receives.
    package let publicKey: PublicKey

    private init(_ privateKey: P256.KeyAgreement.PrivateKey) {
        self.privateKey = privateKey
        // X9.63: 0x04, X, Y, most significant octet first.
        let octets = privateKey.publicKey.x963Representation
        guard let x = Octets32(mostSignificantFirst: octets.dropFirst().prefix(32)),
            let y = Octets32(mostSignificantFirst: octets.dropFirst(33))
        else { preconditionFailure("a point of P-256 has 65 octets") }
        self.publicKey = PublicKey(x: x, y: y)
    }

    /// The pair of a private key; `nil` if the number is zero or not less than the order of the curve.
    init?(privateKey: Octets32) {
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey.mostSignificantFirst) else {
            return nil
        }
        self.init(key)
    }

    /// Creates a pair; the same generator gives the same pair.
    package init(using generator: inout some RandomNumberGenerator) {
        // One number in 2^32 is too large. A generator that returns only such numbers must not loop forever.
        for _ in 0..<8 {
            let number = Octets32(high: .random(using: &generator), low: .random(using: &generator))
            if let pair = KeyPair(privateKey: number) {
                self = pair
                return
            }
        }
        self.init(P256.KeyAgreement.PrivateKey())
    }

    /// The Diffie-Hellman key with a peer; `nil` if the peer's key is not a point of the curve.
    func dhKey(with peer: PublicKey) -> Octets32? {
        let octets = [0x04] + peer.x.mostSignificantFirst + peer.y.mostSignificantFirst
        guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: octets),
            let secret = try? self.privateKey.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        return secret.withUnsafeBytes { Octets32(mostSignificantFirst: $0) }
    }
}

extension PublicKey {
    /// The X coordinate of the debug key, whose private key is public (2.3.5.6.1).
    private static let debugX = Octets32(
        high: Octets16(high: 0x20B0_03D2_F297_BE2C, low: 0x5E2C_83A7_E9F9_A5B9),
        low: Octets16(high: 0xEFF4_9111_ACF4_FDDB, low: 0xCC03_0148_0E35_9DE6)
    )

    /// Whether this is the debug key, so that a sniffer can read the link.
    var isDebugKey: Bool { self.x == Self.debugX }
}
