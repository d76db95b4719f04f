// Lines that fit a terminal: what does not fit goes on below, farther to the right.

import TerminalScreen

/// Text in a terminal's width.
enum WrappedText {
    /// How much farther to the right a line goes on.
    private static let indent = 2

    /// The lines of a text, broken between words where they are wider than so many columns; as they are where there is
    /// no width.
    static func text(_ text: String, columns: Int?) -> String {
        guard let columns else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard ColumnWidth.columns(of: line) > columns else { return String(line) }
            let first = line.prefix { $0 == " " }
            let rest = first + String(repeating: " ", count: indent)
            return first
                + Canvas.lines(of: String(line), columns: max(10, columns - rest.count)).joined(separator: "\n" + rest)
        }.joined(separator: "\n")
    }
}
