// How a link is encrypted (Vol 6, Part B, 5.1.3.1, and Part E). The session key comes from the long term key and a
// random part of each end, with real AES. The first packets under it, LL_START_ENC_RSP in both directions, carry the
// integrity code of AES-CCM, so an end with another long term key is found out exactly as on a radio. Other packets are
// marked as encrypted and take the air time of their integrity code, but their octets are left as they are: no device
// on this air can listen to a link of others.

import BluetoothTypes
import Crypto
import CryptoExtras

/// What one end gives to a session: its half of the diversifier (SKD) and of the initialization vector (IV).
struct SessionPart: Hashable {
    var diversifier: UInt64
    var vector: UInt32

    init(diversifier: UInt64, vector: UInt32) {
        self.diversifier = diversifier
        self.vector = vector
    }

    /// A new part.
    init(using generator: inout some RandomNumberGenerator) {
        self.diversifier = generator.next()
        self.vector = UInt32(truncatingIfNeeded: generator.next())
    }
}

/// The key of an encrypted link.
struct SessionKey {
    /// The key itself.
    let key: Octets16
    // The central's half comes first on the air, in the order of octets as sent.
    private let vector: [UInt8]

    init(longTermKey: Octets16, central: SessionPart, peripheral: SessionPart) {
        let diversifier = Octets16(high: peripheral.diversifier, low: central.diversifier)
        self.key = BlockCipher.encrypt(diversifier, key: longTermKey)
        self.vector = [central.vector, peripheral.vector].flatMap { half in
            stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: half >> UInt32($0)) }
        }
    }

    /// LL_START_ENC_RSP as the first encrypted packet of an end: the opcode and the integrity code, both enciphered.
    func startResponse(fromCentral: Bool) -> (opcode: UInt8, code: UInt32) {
        let opcode: UInt8 = 0x06
        // The packet counter is 0; its top bit is the direction (Part E, 2.1).
        let nonce: [UInt8] = [0, 0, 0, 0, fromCentral ? 0x80 : 0] + self.vector
        // B0: flags, nonce, length of the payload; B1: the header without the bits that change; B2: the payload.
        var code = BlockCipher.encrypt([0x49] + nonce + [0, 1], key: self.key)
        code = BlockCipher.encrypt(Self.xor(code, [0, 1, 0x03] + [UInt8](repeating: 0, count: 13)), key: self.key)
        code = BlockCipher.encrypt(Self.xor(code, [opcode] + [UInt8](repeating: 0, count: 15)), key: self.key)
        let codeMask = BlockCipher.encrypt([0x01] + nonce + [0, 0], key: self.key)
        let payloadMask = BlockCipher.encrypt([0x01] + nonce + [0, 1], key: self.key)
        let masked = Self.xor(code, codeMask)
        return (opcode ^ payloadMask[0], masked.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }

    private static func xor(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }
}

/// AES-128 with a key and a block as Bluetooth writes them.
enum BlockCipher {
    /// The security function e (Vol 3, Part H, 2.2.1).
    static func encrypt(_ block: Octets16, key: Octets16) -> Octets16 {
        Octets16(mostSignificantFirst: self.encrypt(block.mostSignificantFirst, key: key)) ?? .zero
    }

    /// Encrypts 16 octets.
    static func encrypt(_ block: [UInt8], key: Octets16) -> [UInt8] {
        var block = block
        do {
            try AES.permute(&block, key: SymmetricKey(data: key.mostSignificantFirst))
        } catch {
            // Only sizes can be wrong.
            preconditionFailure("AES takes 16 octets and a key of 16 octets: \(error)")
        }
        return block
    }
}
