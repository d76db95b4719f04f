// Octets as hexadecimal text, so that a test can be held beside the specification.

package import NIOCore

extension ByteBuffer {
    /// The octets of text such as `"0A 03 00"`; blanks and line ends mean nothing.
    package init(hex text: String) {
        let digits = text.filter { !$0.isWhitespace }.map { digit in
            guard let value = digit.hexDigitValue else { preconditionFailure("\(digit) is no digit, in \(text)") }
            return UInt8(value)
        }
        precondition(digits.count.isMultiple(of: 2), "an octet has two digits, in \(text)")
        self.init(bytes: stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// The readable octets as text.
    package var hex: String { self.readableBytesView.hex }
}

extension Sequence<UInt8> {
    /// The octets as text, two digits each, with blanks between them.
    package var hex: String { self.map(\.hexDigits).joined(separator: " ") }
}

extension FixedWidthInteger {
    /// The number as hexadecimal digits, two for each octet, most significant first.
    package var hexDigits: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}

/// Hexadecimal text as ``ByteBuffer/hex`` writes it.
package func normalized(_ text: String) -> String { ByteBuffer(hex: text).hex }
