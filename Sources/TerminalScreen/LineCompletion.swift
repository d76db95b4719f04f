// Completions of the Tab key for the word at the cursor.

/// Completions of the end of a line.
package struct LineCompletion: Hashable, Sendable {
    /// The number of characters before the cursor that a candidate replaces.
    package var replacedCount: Int
    /// The candidates.
    package var candidates: [String]

    /// Creates a completion.
    package init(replacedCount: Int, candidates: [String]) {
        self.replacedCount = replacedCount
        self.candidates = candidates
    }

    /// The candidates in columns, as many as fit side by side, read downwards.
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
