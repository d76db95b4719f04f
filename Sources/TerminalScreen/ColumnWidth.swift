// The number of columns that a grapheme cluster takes in a terminal. The C library knows the width of a scalar; a
// cluster has the width of its first scalar, except flags and emoji that a variation selector requests, which take two
// columns.

import CPlatform

/// The width of text in columns.
package enum ColumnWidth {
    /// The columns of a cluster: 1 or 2; 0 if it cannot be shown, such as a control character or an accent without a
    /// letter.
    package static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count == 1, first.isASCII { return (0x20..<0x7F).contains(first.value) ? 1 : 0 }
        // A flag is two regional indicators; one alone is a letter in a box.
        if scalars.count > 1, Self.regionalIndicators.contains(first) { return 2 }
        let width = scalars.lazy.map { Self.columns(of: $0) }.first { $0 > 0 } ?? 0
        // A variation selector requests the emoji of a character that is text by default.
        return width > 0 && scalars.contains("\u{FE0F}") ? 2 : width
    }

    /// The columns of a text, not counting what cannot be shown.
    package static func columns(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + Self.columns(of: $1) }
    }

    /// The part of a text that fits, with an ellipsis if it is truncated.
    package static func truncated(_ text: String, to columns: Int) -> String {
        guard Self.columns(of: text) > columns else { return text }
        var result = ""
        var rest = columns - 1
        for character in text {
            let width = Self.columns(of: character)
            guard width <= rest else { break }
            result.append(character)
            rest -= width
        }
        return columns > 0 ? result + "…" : ""
    }

    /// A text, truncated or padded with spaces to a number of columns.
    package static func padded(_ text: String, to columns: Int) -> String {
        let text = Self.truncated(text, to: columns)
        return text + String(repeating: " ", count: columns - Self.columns(of: text))
    }

    private static let regionalIndicators: ClosedRange<Unicode.Scalar> = "\u{1F1E6}"..."\u{1F1FF}"

    private static func columns(of scalar: Unicode.Scalar) -> Int { max(0, Int(terminal_columns(scalar.value))) }
}
