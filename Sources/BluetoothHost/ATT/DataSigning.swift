// Data signing (Vol 3, Part C, 10.4.1; Vol 3, Part H, 2.4.5): a Signed Write Command has a counter and a code that is
// computed with the peer's Connection Signature Resolving Key (CSRK). The key and the last counter of a peer are part
// of its bond, and each accepted counter is reported, to be stored with it.

package import BluetoothTypes
import Crypto
import CryptoExtras
import NIOCore

/// The key with which a peer signs data, and its last counter.
public struct PeerSigningKey: Hashable, Sendable {
    /// The peer's CSRK.
    package let key: Octets16
    /// The last accepted sign counter; `nil` before the first.
    package private(set) var lastCounter: UInt32?

    /// Creates a key, as stored with the bond.
    package init(key: Octets16, lastCounter: UInt32?) {
        self.key = key
        self.lastCounter = lastCounter
    }

    /// Verifies that a peer with the key has signed `message`, with a new counter.
    ///
    /// The counter is then used up. A counter that is not higher than the last one is a replay, and is refused (Vol 3,
    /// Part H, 2.4.5).
    mutating func accept(_ signature: DataSignature, of message: ByteBuffer) -> Bool {
        if let last = self.lastCounter, signature.counter <= last { return false }
        guard signature.isValid(for: message, key: self.key) else { return false }
        self.lastCounter = signature.counter
        return true
    }
}

/// The authentication signature of a Signed Write Command (Vol 3, Part F, 3.3.1).
struct DataSignature: Hashable, Sendable {
    /// The size of a signature in octets.
    static let octetCount = 12

    /// The sign counter.
    var counter: UInt32
    /// The most significant 64 bits of the code.
    var code: UInt64

    /// The signature of a message: opcode, attribute handle and value.
    init(of message: ByteBuffer, counter: UInt32, key: Octets16) {
        self.counter = counter
        self.code = Self.code(of: message, counter: counter, key: key)
    }

    /// Reads a signature.
    init?(parsing bytes: inout ByteBuffer) {
        guard bytes.readableBytes == Self.octetCount,
            let (counter, code) = bytes.readMultipleIntegers(endianness: .little, as: (UInt32, UInt64).self)
        else { return nil }
        self.counter = counter
        self.code = code
    }

    /// Writes the signature.
    func encode(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.counter, self.code, endianness: .little)
    }

    /// Whether the signature matches a key.
    func isValid(for message: ByteBuffer, key: Octets16) -> Bool {
        Self.code(of: message, counter: self.counter, key: key) == self.code
    }

    /// AES-CMAC over the message and the counter; the octet that is sent last is the most significant one.
    private static func code(of message: ByteBuffer, counter: UInt32, key: Octets16) -> UInt64 {
        var octets = message
        octets.writeInteger(counter, endianness: .little)
        guard var code = try? AES.CMAC(key: SymmetricKey(data: key.mostSignificantFirst)) else {
            preconditionFailure("AES-CMAC takes a key of 128 bits")
        }
        code.update(data: Array(octets.readableBytesView.reversed()))
        return code.finalize().withUnsafeBytes { $0.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
