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
        self.map(\.hexadecimalDigits).joined(separator: separator)
    }
}
