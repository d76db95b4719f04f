// The content of a screen: a grid of cells, each with a grapheme cluster or the second half of a wide one. Drawing
// never leaves the grid, and no cell can move the terminal's cursor.

/// A position on the screen, counted from 0.
package struct ScreenPosition: Hashable, Sendable {
    /// The row, from the top.
    package var row: Int
    /// The column, from the left.
    package var column: Int

    /// Creates a position.
    package init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }
}

/// The size of a screen.
package struct ScreenSize: Hashable, Sendable {
    /// The number of rows.
    package var rows: Int
    /// The number of columns.
    package var columns: Int

    /// Creates a size.
    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }
}

/// The content of a screen.
package struct Canvas: Hashable, Sendable {
    /// One cell.
    struct Cell: Hashable, Sendable {
        /// An empty cell.
        static let empty = Cell(text: " ", style: .plain)

        /// A cluster; empty for the second half of a wide one.
        var text: String
        var style: TextStyle

        /// Whether this is the second half of the preceding cluster.
        var isContinuation: Bool { self.text.isEmpty }
    }

    /// The longest cluster that is shown in full, in scalars: a family of four with skin tones has eleven.
    private static let maximumScalarCount = 16

    /// The size of the screen.
    package let size: ScreenSize
    /// The position of the terminal's cursor; `nil` hides it.
    package var cursor: ScreenPosition?
    private(set) var cells: [Cell]

    /// Creates an empty canvas.
    package init(size: ScreenSize) {
        self.size = ScreenSize(rows: max(0, size.rows), columns: max(0, size.columns))
        self.cells = Array(repeating: .empty, count: self.size.rows * self.size.columns)
    }

    /// The cells of a row.
    func row(_ row: Int) -> ArraySlice<Cell> {
        self.cells[row * self.size.columns..<(row + 1) * self.size.columns]
    }

    /// Writes text in one row, cut at the edge of the screen or after some columns.
    ///
    /// Characters that cannot be shown are left out.
    /// - Returns: The column after the text.
    @discardableResult
    package mutating func write(
        _ text: String,
        row: Int,
        column: Int,
        _ style: TextStyle = .plain,
        columns: Int = .max
    ) -> Int {
        guard (0..<self.size.rows).contains(row), (0..<self.size.columns).contains(column) else { return column }
        let end = columns < self.size.columns - column ? column + columns : self.size.columns
        var column = column
        for character in text {
            let width = ColumnWidth.columns(of: character)
            guard width > 0 else { continue }
            guard column + width <= end else { break }
            // Accents can be stacked without limit.
            let text = String(String.UnicodeScalarView(character.unicodeScalars.prefix(Self.maximumScalarCount)))
            self.set(Cell(text: text, style: style), row, column)
            // The preceding write has already removed the second half of a cluster there.
            if width == 2 { self.set(Cell(text: "", style: style), row, column + 1) }
            column += width
        }
        return column
    }

    /// Fills a row from a column on.
    package mutating func fill(
        row: Int,
        from column: Int = 0,
        with character: Character = " ",
        _ style: TextStyle = .plain
    ) {
        guard ColumnWidth.columns(of: character) == 1, column < self.size.columns else { return }
        let text = String(repeating: character, count: self.size.columns - max(0, column))
        self.write(text, row: row, column: max(0, column), style)
    }

    /// Writes text, broken between words, in several rows.
    /// - Returns: The row after the last one that was written.
    @discardableResult
    package mutating func write(
        paragraph text: String,
        row: Int,
        column: Int,
        columns: Int,
        rows: Int = .max,
        _ style: TextStyle = .plain
    ) -> Int {
        var lines = WrappedText.lines(text, columns: columns)
        if lines.count > rows {
            lines = Array(lines.prefix(rows))
            if let last = lines.popLast() { lines.append(ColumnWidth.truncated(last + "…", to: columns)) }
        }
        for (offset, line) in lines.enumerated() {
            self.write(line, row: row + offset, column: column, style, columns: columns)
        }
        return row + lines.count
    }

    /// The rows as text, without trailing spaces.
    package var text: [String] {
        (0..<self.size.rows).map { row in
            let text = self.row(row).map(\.text).joined()
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Sets a cell; a wide cluster that loses one half loses both.
    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) {
        let index = row * self.size.columns + column
        if self.cells[index].isContinuation { self.cells[index - 1].text = " " }
        self.cells[index] = cell
        let next = index + 1
        if column + 1 < self.size.columns, self.cells[next].isContinuation { self.cells[next].text = " " }
    }
}
