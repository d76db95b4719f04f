// Updates a terminal from one canvas to the next, with few octets. Each run of changed cells begins with an absolute
// cursor position, and so does the text after a cluster that is not plain ASCII: if a terminal disagrees about the
// width of that cluster, only the cluster looks wrong.

/// Produces the octets that show a canvas.
package struct ScreenRenderer: Sendable {
    /// Whether colours are shown.
    package let hasColors: Bool
    private var shown: Canvas?

    /// Creates a renderer for a terminal whose content is unknown.
    package init(hasColors: Bool) { self.hasColors = hasColors }

    /// Forgets the terminal's content, so that the next canvas is drawn in full.
    package mutating func invalidate() { self.shown = nil }

    /// The octets that show a canvas.
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
        /// The position of the terminal's cursor, if it is certain.
        var place: Int?
        /// The column up to which the last cluster may extend on a terminal that disagrees about its width.
        var doubtfulEnd = 0
        for column in 0..<canvas.size.columns {
            let cell = cells[cells.startIndex + column]
            // The first half draws both.
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
            // A terminal that takes the cluster for narrow would keep the old content of its second cell.
            if isWide { output += "\u{1B}[2X" }
            output += cell.text
            place = isPlain ? column + 1 : nil
            // Some terminals show each scalar separately.
            if !isPlain { doubtfulEnd = max(doubtfulEnd, column + 2 * cell.text.unicodeScalars.count) }
        }
    }

    /// Moves the cursor (ECMA-48, 8.3.21, CUP).
    private static func position(_ row: Int, _ column: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }
}
