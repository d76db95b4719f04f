// The encryption of packets (Vol 6, Part E): AES-CCM with an integrity code of four octets, built from the CBC and CTR
// modes of swift-crypto, which has no CCM. Packets of an encrypted link are encrypted as on a real radio, and their
// integrity code reveals changed, repeated and reordered packets.

import BluetoothHCI
import BluetoothTypes
import Crypto
import CryptoExtras
import NIOCore

/// The key of one direction of a link, with the number of the next packet.
struct PacketCipher {
    /// The first octet of a header without the bits that change with acknowledgements (Part E, 2.2).
    enum Header: UInt8 {
        case continuation = 0x01
        case start = 0x02
        case control = 0x03
    }

    private static let block = 16
    private let key: SymmetricKey
    private let isFromCentral: Bool
    private let vector: [UInt8]
    /// The packet counter of 39 bits; no link has that many packets.
    private var counter: UInt64 = 0

    /// - Parameters:
    ///   - key: The session key.
    ///   - vector: The initialization vector (IV), in the order of octets as sent.
    init(key: Octets16, vector: [UInt8], isFromCentral: Bool) {
        self.key = SymmetricKey(data: key.mostSignificantFirst)
        self.vector = vector
        self.isFromCentral = isFromCentral
    }

    /// Encrypts the octets after a packet's header and appends the integrity code.
    mutating func seal(_ payload: ByteBufferView, _ header: Header) -> ByteBuffer {
        let nonce = self.takeNonce()
        var text = self.code(payload, header, nonce)
        text.reserveCapacity(Self.block + payload.count)
        text.append(contentsOf: payload)
        return self.encipher(text, nonce) { octets in
            var sealed = ByteBuffer()
            sealed.reserveCapacity(payload.count + AirTime.integrityCode)
            sealed.writeBytes(octets[Self.block...])
            sealed.writeBytes(octets[..<AirTime.integrityCode])
            return sealed
        }
    }

    /// Decrypts a packet; returns `nil` if its integrity code is wrong.
    ///
    /// The result has space for an ACL data packet's header in front.
    mutating func open(_ sealed: ByteBuffer, _ header: Header) -> ByteBuffer? {
        let nonce = self.takeNonce()
        let view = sealed.readableBytesView
        guard view.count >= AirTime.integrityCode else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(Self.block + view.count)
        text.append(contentsOf: view.suffix(AirTime.integrityCode))
        text.append(contentsOf: repeatElement(0, count: Self.block - AirTime.integrityCode))
        text.append(contentsOf: view.dropLast(AirTime.integrityCode))
        return self.encipher(text, nonce) { octets in
            var payload = ByteBuffer()
            payload.reserveCapacity(ACLDataHeader.octetCountWithType + view.count)
            payload.moveWriterIndex(to: ACLDataHeader.octetCountWithType)
            payload.moveReaderIndex(to: ACLDataHeader.octetCountWithType)
            payload.writeBytes(octets[Self.block...])
            let code = self.code(payload.readableBytesView, header, nonce)
            let isWhole = code.prefix(AirTime.integrityCode).elementsEqual(octets[..<AirTime.integrityCode])
            return isWhole ? payload : nil
        }
    }

    /// The nonce of the next packet (Part E, 2.1): its number, the direction, and the initialization vector.
    private mutating func takeNonce() -> [UInt8] {
        var nonce = (0..<5).map { UInt8(truncatingIfNeeded: self.counter >> UInt64(8 * $0)) }
        if self.isFromCentral { nonce[4] |= 0x80 }
        self.counter += 1
        return nonce + self.vector
    }

    /// The last block of CBC, whose first octets are the unencrypted integrity code (Part E, 2.2).
    private func code(_ payload: ByteBufferView, _ header: Header, _ nonce: [UInt8]) -> [UInt8] {
        let padding = (Self.block - payload.count % Self.block) % Self.block
        var blocks: [UInt8] = []
        blocks.reserveCapacity(2 * Self.block + payload.count + padding)
        // B0: flags, nonce, length. B1: the length of the associated data, and that data.
        blocks.append(0x49)
        blocks.append(contentsOf: nonce)
        blocks.append(UInt8(truncatingIfNeeded: payload.count >> 8))
        blocks.append(UInt8(truncatingIfNeeded: payload.count))
        blocks.append(contentsOf: [0, 1, header.rawValue])
        blocks.append(contentsOf: repeatElement(0, count: Self.block - 3))
        blocks.append(contentsOf: payload)
        blocks.append(contentsOf: repeatElement(0, count: padding))
        do {
            return try AES._CBC.encrypt(blocks, using: self.key, iv: Self.zero, noPadding: true)
                .withUnsafeBytes { Array($0.suffix(Self.block)) }
        } catch {
            preconditionFailure("AES-CBC takes whole blocks and a key of 16 octets: \(error)")
        }
    }

    /// Applies counter mode; the first block is that of the integrity code (Part E, 2.3).
    private func encipher<Result>(
        _ text: [UInt8],
        _ nonce: [UInt8],
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        do {
            return try AES._CTR.encrypt(text, using: self.key, nonce: .init(nonceBytes: [0x01] + nonce + [0, 0]))
                .withUnsafeBytes(body)
        } catch {
            preconditionFailure("AES-CTR takes a nonce and a key of 16 octets: \(error)")
        }
    }

    private static let zero: AES._CBC.IV = {
        guard let zero = try? AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16)) else {
            preconditionFailure("AES-CBC takes a vector of 16 octets")
        }
        return zero
    }()
}
