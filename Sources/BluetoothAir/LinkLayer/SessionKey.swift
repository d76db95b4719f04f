// Derives the session key of an encrypted link (Vol 6, Part B, 5.1.3.1) from the long term key and a random part of
// each end, with AES. Each direction then has its own `PacketCipher`.

import BluetoothTypes
import Crypto
import CryptoExtras

/// One end's half of the session key diversifier (SKD) and of the initialization vector (IV).
struct SessionPart: Hashable {
    var diversifier: UInt64
    var vector: UInt32
}

extension SessionPart {
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
    // The central's half first, in the order of octets on the air.
    private let vector: [UInt8]

    init(longTermKey: Octets16, central: SessionPart, peripheral: SessionPart) {
        let diversifier = Octets16(high: peripheral.diversifier, low: central.diversifier)
        self.key = BlockCipher.encrypt(diversifier, key: longTermKey)
        self.vector = [central.vector, peripheral.vector].flatMap { half in
            stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: half >> UInt32($0)) }
        }
    }

    /// Creates the cipher of one direction, for its first packet on.
    func cipher(fromCentral isFromCentral: Bool) -> PacketCipher {
        PacketCipher(key: self.key, vector: self.vector, isFromCentral: isFromCentral)
    }
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
            // Only wrong sizes throw.
            preconditionFailure("AES takes 16 octets and a key of 16 octets: \(error)")
        }
        return block
    }
}
