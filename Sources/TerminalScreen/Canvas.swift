// What a screen shows: a grid of cells, each with a grapheme cluster or the second half of a wide one. Drawing never
// leaves the grid, and nothing gets into a cell that could move the terminal's cursor.

/// A place on the screen, from 0.
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

/// How large a screen is.
package struct ScreenSize: Hashable, Sendable {
    /// The rows.
    package var rows: Int
    /// The columns.
    package var columns: Int

    /// Creates a size.
    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }
}

/// What a screen shows.
package struct Canvas: Hashable, Sendable {
    /// One cell.
    struct Cell: Hashable, Sendable {
        /// An empty cell.
        static let empty = Cell(text: " ", style: .plain)

        /// A cluster; empty in the second half of a wide one.
        var text: String
        var style: TextStyle

        /// Whether this is the second half of the cluster before.
        var isContinuation: Bool { self.text.isEmpty }
    }

    /// The longest cluster that is shown whole, in scalars: a family of four with skin tones has eleven.
    private static let maximumScalarCount = 16

    /// How large the screen is.
    package let size: ScreenSize
    /// Where the terminal shows its cursor; `nil` hides it.
    package var cursor: ScreenPosition?
    private(set) var cells: [Cell]

    /// An empty canvas.
    package init(size: ScreenSize) {
        self.size = ScreenSize(rows: max(0, size.rows), columns: max(0, size.columns))
        self.cells = Array(repeating: .empty, count: self.size.rows * self.size.columns)
    }

    /// The cells of a row.
    func row(_ row: Int) -> ArraySlice<Cell> {
        self.cells[row * self.size.columns..<(row + 1) * self.size.columns]
    }

    /// Writes text on one row, cut at the edge of the screen, or after some columns.
    ///
    /// What cannot be shown is left out.
    /// - Returns: The column behind the text.
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
            // Accents can be piled up without end.
            let text = String(String.UnicodeScalarView(character.unicodeScalars.prefix(Self.maximumScalarCount)))
            self.set(Cell(text: text, style: style), row, column)
            // Whatever had its second half there has lost it with its first.
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

    /// Writes text, broken between words, over several rows.
    /// - Returns: The row behind the last one that was written.
    @discardableResult
    package mutating func write(
        paragraph text: String,
        row: Int,
        column: Int,
        columns: Int,
        rows: Int = .max,
        _ style: TextStyle = .plain
    ) -> Int {
        var lines = Self.lines(of: text, columns: columns)
        if lines.count > rows {
            lines = Array(lines.prefix(rows))
            if let last = lines.popLast() { lines.append(ColumnWidth.truncated(last + "…", to: columns)) }
        }
        for (offset, line) in lines.enumerated() {
            self.write(line, row: row + offset, column: column, style, columns: columns)
        }
        return row + lines.count
    }

    /// The lines of a text in so many columns: broken between words, and inside of those that are longer than a line.
    package static func lines(of text: String, columns: Int) -> [String] {
        guard columns > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ") {
            let width = ColumnWidth.columns(of: word)
            if used > 0, used + 1 + width <= columns {
                line += " " + word
                used += 1 + width
                continue
            }
            if used > 0 { lines.append(line) }
            (line, used) = ("", 0)
            for character in word {
                let width = ColumnWidth.columns(of: character)
                if used + width > columns {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                line.append(character)
                used += width
            }
        }
        if used > 0 { lines.append(line) }
        return lines
    }

    /// The rows as text, without the spaces at their ends.
    package var text: [String] {
        (0..<self.size.rows).map { row in
            let text = self.row(row).map(\.text).joined()
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Sets a cell; a wide cluster that loses one of its halves loses both.
    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) {
        let index = row * self.size.columns + column
        if self.cells[index].isContinuation { self.cells[index - 1].text = " " }
        self.cells[index] = cell
        let next = index + 1
        if column + 1 < self.size.columns, self.cells[next].isContinuation { self.cells[next].text = " " }
    }
}
