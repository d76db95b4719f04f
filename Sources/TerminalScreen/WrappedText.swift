// Breaks text into lines that fit a terminal.

/// Text broken between words, and inside words that are longer than a line.
package enum WrappedText {
    /// The least number of columns that an indentation leaves to the text.
    private static let leastColumns = 10

    /// The lines of a text.
    ///
    /// - Parameters:
    ///   - text: The text, without line breaks. Spaces at a break are dropped.
    ///   - first: What the first line begins with: a label, or an indentation, which is dropped if the terminal is too
    ///     narrow for it.
    ///   - rest: The indentation of the other lines; two spaces if the terminal is too narrow for it.
    ///   - columns: The number of columns; `nil` if lines may have any length.
    package static func lines(
        _ text: some StringProtocol,
        first: String = "",
        rest: String = "",
        columns: Int?
    ) -> [String] {
        guard let columns else { return [first + text] }
        guard columns > 0 else { return [] }
        let widest = max(0, columns - leastColumns)
        let isLabel = first.contains { $0 != " " }
        let rest = ColumnWidth.columns(of: rest) > widest ? "  " : rest
        var line = isLabel || first.count <= widest ? first : ""
        var used = ColumnWidth.columns(of: line)
        var hasWord = false
        var lines: [String] = []
        func breakLine() {
            lines.append(line)
            (line, used, hasWord) = (rest, ColumnWidth.columns(of: rest), false)
        }
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if hasWord {
                let width = ColumnWidth.columns(of: word)
                if used + 1 + width <= columns {
                    line += " " + word
                    used += 1 + width
                    continue
                }
                guard !word.isEmpty else { continue }
                breakLine()
            }
            for character in word {
                let width = ColumnWidth.columns(of: character)
                if used + width > columns, hasWord || isLabel && lines.isEmpty { breakLine() }
                line.append(character)
                used += width
                hasWord = true
            }
            hasWord = true
        }
        return lines + [line]
    }

    /// The lines of a text with line breaks; a line that is too long continues two columns farther to the right.
    package static func text(_ text: String, columns: Int?) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let indent = String(line.prefix { $0 == " " })
            return lines(line.dropFirst(indent.count), first: indent, rest: indent + "  ", columns: columns)
        }.joined(separator: "\n")
    }
}
