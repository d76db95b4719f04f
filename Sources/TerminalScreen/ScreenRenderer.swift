// Brings a terminal from one canvas to the next with as few octets as is simple. Each run of changed cells begins with
// an absolute position, and so does what stands behind a cluster that is not plain ASCII: a terminal that thinks
// otherwise of the width of that cluster shows it wrong, and nothing else.

/// Makes the octets that show a canvas.
package struct ScreenRenderer: Sendable {
    /// Whether colours are shown.
    package let hasColors: Bool
    private var shown: Canvas?

    /// Creates a renderer of a terminal whose screen is unknown.
    package init(hasColors: Bool) { self.hasColors = hasColors }

    /// Forgets what the terminal shows: all of it is drawn with the next canvas.
    package mutating func invalidate() { self.shown = nil }

    /// The octets that make the terminal show a canvas.
    package mutating func render(_ canvas: Canvas) -> String {
        var output = "\u{1B}[?25l"
        if self.shown?.size != canvas.size {
            self.shown = nil
            output += "\u{1B}[0m\u{1B}[2J"
        }
        let previous = self.shown ?? Canvas(size: canvas.size)
        var style: TextStyle?
        for row in 0..<canvas.size.rows {
            self.render(canvas, previous, row, &style, &output)
        }
        if style != nil { output += TextStyle.plain.controlSequence(hasColors: false) }
        if let cursor = canvas.cursor, cursor.row < canvas.size.rows, cursor.column < canvas.size.columns {
            output += Self.position(cursor.row, cursor.column) + "\u{1B}[?25h"
        }
        self.shown = canvas
        return output
    }

    private func render(
        _ canvas: Canvas,
        _ previous: Canvas,
        _ row: Int,
        _ style: inout TextStyle?,
        _ output: inout String
    ) {
        let cells = canvas.row(row)
        let before = previous.row(row)
        guard cells != before else { return }
        /// Where the terminal's cursor is, if that is certain.
        var place: Int?
        /// Up to which column a cluster that was just drawn may have gone, for a terminal that thinks otherwise of it.
        var doubtfulEnd = 0
        for column in 0..<canvas.size.columns {
            let cell = cells[cells.startIndex + column]
            // The second half comes with the first.
            if cell.isContinuation { continue }
            let isWide = column + 1 < canvas.size.columns && cells[cells.startIndex + column + 1].isContinuation
            let old = before[before.startIndex + column]
            let isChanged =
                cell != old || column < doubtfulEnd
                || isWide && cells[cells.startIndex + column + 1] != before[before.startIndex + column + 1]
            guard isChanged else { continue }
            if place != column { output += Self.position(row, column) }
            if cell.style != style {
                style = cell.style
                output += cell.style.controlSequence(hasColors: self.hasColors)
            }
            let isPlain = cell.text.utf8.count == 1
            // A terminal for which the cluster is narrow would leave there what was in its second cell.
            if isWide { output += "\u{1B}[2X" }
            output += cell.text
            place = isPlain ? column + 1 : nil
            // Some terminals show each scalar for itself.
            if !isPlain { doubtfulEnd = max(doubtfulEnd, column + 2 * cell.text.unicodeScalars.count) }
        }
    }

    /// The cursor goes there (ECMA-48, 8.3.21, CUP).
    private static func position(_ row: Int, _ column: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }
}
