// Numbers and octets as hexadecimal digits, as log lines, captures and file names show them: upper case, with leading
// zeros.

extension FixedWidthInteger {
    /// The digits of the full width: `0A` for an octet, `004C` for 16 bits.
    package var hexadecimalDigits: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: Swift.max(0, Self.bitWidth / 4 - digits.utf8.count)) + digits
    }
}

extension Sequence<UInt8> {
    /// The digits of the octets, in their order.
    package func hexadecimalDigits(separator: String = "") -> String {
        var text: [UInt8] = []
        text.reserveCapacity(self.underestimatedCount * (2 + separator.utf8.count))
        for octet in self {
            if !text.isEmpty { text += separator.utf8 }
            text.append(digit(octet >> 4))
            text.append(digit(octet & 0x0F))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The character of a digit.
private func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value }
