// Text in lines that are not longer than a terminal is wide. All characters here take one column.

/// Text that is broken between words.
package enum BrokenText {
    /// The text in lines of at most so many columns, broken between words where there are some.
    package static func lines(_ text: String, first: String, rest: String, _ columns: Int?) -> [String] {
        guard let columns else { return [first + text] }
        // Where next to nothing would be left, the indentation is given up.
        let rest = rest.count > columns - 12 ? "  " : rest
        var line = first.count > columns - 12 ? "" : first
        var isEmpty = true
        var lines: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            var word = word
            while line.count + (isEmpty ? 0 : 1) + word.count > columns {
                if !isEmpty {
                    lines.append(line)
                    (line, isEmpty) = (rest, true)
                } else {
                    let space = columns - line.count
                    lines.append(line + word.prefix(space))
                    word = word.dropFirst(space)
                    line = rest
                }
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
