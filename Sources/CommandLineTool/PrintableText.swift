// Text that came from the air, from a file name or from an argument, made harmless for a terminal.

/// Text without control characters.
package enum PrintableText {
    /// The text; what would move a terminal's cursor or break a line becomes U+FFFD.
    package static func text(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: "\u{FFFD}"
                    default: scalar
                    }
                }
            )
        )
    }

    /// A name as it is shown in a sentence, in quotation marks.
    package static func quoted(_ name: String) -> String { "\"" + text(name) + "\"" }
}
