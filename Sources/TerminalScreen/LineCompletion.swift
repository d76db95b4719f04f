// What the Tab key may put in place of the word at the cursor.

/// What may stand in place of the end of what was typed.
package struct LineCompletion: Hashable, Sendable {
    /// How many characters before the cursor a candidate takes the place of.
    package var replacedCount: Int
    /// What may stand there.
    package var candidates: [String]

    /// Creates a completion.
    package init(replacedCount: Int, candidates: [String]) {
        self.replacedCount = replacedCount
        self.candidates = candidates
    }

    /// The candidates in columns, as many as fit beside each other, read downwards.
    static func table(_ candidates: [String], columns: Int) -> String {
        let width = (candidates.map { ColumnWidth.columns(of: $0) }.max() ?? 0) + 2
        let perRow = max(1, (columns + 1) / width)
        let rows = (candidates.count + perRow - 1) / perRow
        return (0..<rows).map { row in
            let cells = stride(from: row, to: candidates.count, by: rows).map { candidates[$0] }
            return cells.dropLast().map { ColumnWidth.padded($0, to: width) }.joined() + (cells.last ?? "")
        }.joined(separator: "\n")
    }
}
