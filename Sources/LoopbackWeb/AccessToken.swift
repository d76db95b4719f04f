// The secret in a page's address. A user who knows the address may use the page; other users of the computer and pages
// of other sites in the user's browser do not know it.

/// The secret part of an address.
package struct AccessToken: Sendable {
    /// The permitted length of a token that the user chose.
    package static let lengths = 16...128

    /// The token, as it is in the address.
    package let text: String

    /// Creates a token of 128 random bits.
    package init() {
        var generator = SystemRandomNumberGenerator()
        self.text = (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Creates a token that the user chose; `nil` if its length is not permitted, or if it has characters other than
    /// ASCII letters and digits, `-` and `_`.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    private static func isAllowed(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether the candidate is the token. The time that this takes depends only on the candidate's length.
    package func matches(_ candidate: some StringProtocol) -> Bool {
        let expected = Array(self.text.utf8)
        var difference = expected.count ^ candidate.utf8.count
        for (index, octet) in candidate.utf8.enumerated() {
            difference |= Int(octet ^ expected[index % expected.count])
        }
        return difference == 0
    }
}
