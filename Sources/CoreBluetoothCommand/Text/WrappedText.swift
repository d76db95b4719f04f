// Wraps lines at a terminal's width, with an indent.

import TerminalScreen

/// Text wrapped at a terminal's width.
enum WrappedText {
    /// The indent of continued lines.
    private static let indent = 2

    /// A text whose lines are broken between words to fit so many columns; unchanged if there is
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
