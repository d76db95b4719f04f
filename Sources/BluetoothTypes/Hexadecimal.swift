// Hexadecimal digits of numbers and octets for log lines, captures and file names: upper case, with leading zeros.

extension FixedWidthInteger {
    /// The digits of the full width: `0A` for an octet, `004C` for 16 bits.
    package var hexadecimalDigits: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: Swift.max(0, Self.bitWidth / 4 - digits.utf8.count)) + digits
    }

    /// A number without leading zeros: `0x4C`.
    package var hexadecimalNumber: String { "0x" + String(self, radix: 16, uppercase: true) }
}

extension Sequence<UInt8> {
    /// The digits of the octets, in order.
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

extension [UInt8] {
    /// Parses pairs of digits of either case; `nil` if the text is malformed.
    package init?(hexadecimal text: some StringProtocol) {
        self = []
        var high: UInt8?
        for character in text {
            guard character.isASCII, let digit = character.hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high { self.append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
        guard high == nil else { return nil }
    }
}

private func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value }
