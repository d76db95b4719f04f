// Makes text from the air, a file name or an argument harmless for a terminal.

import BluetoothTypes

/// Text without control characters.
package enum PrintableText {
    /// The text, with U+FFFD for each scalar that would move a terminal's cursor or break the line. Trailing NULs, with
    /// which some devices pad a name, are removed.
    package static func text(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                withoutPadding(text).unicodeScalars.map { $0.isHidden ? "\u{FFFD}" : $0 }
            )
        )
    }

    /// A name without trailing NULs.
    package static func withoutPadding(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while scalars.last == "\0" { scalars.removeLast() }
        return String(scalars)
    }

    /// A name in quotation marks.
    package static func quoted(_ name: String) -> String { "\"" + text(name) + "\"" }
}
