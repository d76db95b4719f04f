// Octets as hexadecimal text, so that a test can be held beside the specification.

import NIOCore

extension ByteBuffer {
    /// The octets of hexadecimal text; spaces are left out.
    init(hex text: String) {
        let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        precondition(digits.count.isMultiple(of: 2), "an octet has two digits")
        self.init(bytes: stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    /// The readable octets as hexadecimal text.
    var hex: String {
        self.readableBytesView.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            .joined(separator: " ")
    }
}

/// Hexadecimal text as ``ByteBuffer/hex`` writes it.
func normalized(_ text: String) -> String { ByteBuffer(hex: text).hex }
