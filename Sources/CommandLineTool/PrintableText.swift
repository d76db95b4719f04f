// Text that came from the air, from a file name or from an argument, made harmless for a terminal.

/// Text without control characters.
package enum PrintableText {
    /// The text; what would move a terminal's cursor or break a line becomes U+FFFD. The NULs with which devices fill a
    /// name up to a length are no part of it.
    package static func text(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                withoutPadding(text).unicodeScalars.map { $0.isHidden ? "\u{FFFD}" : $0 }
            )
        )
    }

    /// A name without the NULs at its end.
    package static func withoutPadding(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while scalars.last == "\0" { scalars.removeLast() }
        return String(scalars)
    }

    /// A name as it is shown in a sentence, in quotation marks.
    package static func quoted(_ name: String) -> String { "\"" + text(name) + "\"" }
}

extension Unicode.Scalar {
    /// Whether a terminal obeys it, shows what follows it in another order, or does not show it: controls, directions
    /// of text, tags. What is only invisible in some scripts and emoji, such as a variation selector, is not among
    /// them.
    var isHidden: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
        case .unassigned: self.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }
}
