// The protocol of the full-screen app's pages. Pages are values that handle keys and draw themselves, and return
// actions. Each has a title bar, its own rows, and the keys at the bottom.

import TerminalScreen

/// Draws what all pages share.
struct PageFrame {
    /// The texts.
    let texts: Texts

    /// Draws the title bar, and the keys at the bottom.
    func draw(on canvas: inout Canvas, title: String, state: String, keys: [TextKey]) {
        let columns = canvas.size.columns
        canvas.fill(row: 0, .reversed)
        let place = canvas.write(" " + title, row: 0, column: 0, TextStyle(isBold: true, isReversed: true))
        let room = columns - place - 3
        if room > 3 {
            let state = ColumnWidth.truncated(state, to: room)
            canvas.write(
                state,
                row: 0,
                column: columns - 1 - ColumnWidth.columns(of: state),
                .reversed
            )
        }
        self.drawKeys(keys, on: &canvas)
    }

    /// Draws the keys in the last row, as many as fit.
    func drawKeys(_ keys: [TextKey], on canvas: inout Canvas) {
        let text = KeyLine.text(keys.map { self.texts($0) }, columns: canvas.size.columns - 2)
        canvas.write(text, row: canvas.size.rows - 1, column: 1, .dim)
    }

    /// Draws a line from edge to edge.
    static func rule(on canvas: inout Canvas, row: Int) { canvas.fill(row: row, with: "─", .dim) }
}
