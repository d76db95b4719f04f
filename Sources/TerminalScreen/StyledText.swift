// A line with several styles, for a canvas or a plain terminal.

/// A line with styles.
package struct StyledText: Hashable, Sendable {
    /// A run of one style.
    private struct Part: Hashable, Sendable {
        var text: String
        var style: TextStyle
    }

    private var parts: [Part] = []

    /// Creates an empty line, or one with a single style.
    package init(_ text: String = "", _ style: TextStyle = .plain) { self.append(text, style) }

    /// The text without styles.
    package var text: String { self.parts.map(\.text).joined() }

    /// Appends text.
    package mutating func append(_ text: String, _ style: TextStyle = .plain) {
        if !text.isEmpty { self.parts.append(Part(text: text, style: style)) }
    }

    /// Appends another line.
    package mutating func append(_ other: StyledText) { self.parts += other.parts }

    /// The part of the line that fits, with an ellipsis if it is truncated.
    package func truncated(to columns: Int) -> StyledText {
        guard ColumnWidth.columns(of: self.text) > columns else { return self }
        var result = StyledText()
        var room = columns
        for part in self.parts {
            let width = ColumnWidth.columns(of: part.text)
            // The ellipsis replaces what follows.
            guard width < room else {
                result.append(ColumnWidth.truncated(part.text + " ", to: room), part.style)
                return result
            }
            result.append(part.text, part.style)
            room -= width
        }
        return result
    }

    /// The line for a terminal, with control sequences; the last one resets the style.
    package func rendered(hasColors: Bool) -> String {
        self.parts.map { part in
            guard part.style != .plain else { return part.text }
            return part.style.controlSequence(hasColors: hasColors) + part.text
                + TextStyle.plain.controlSequence(hasColors: false)
        }.joined()
    }

    /// Writes the line in a row of a canvas.
    package func draw(on canvas: inout Canvas, row: Int) {
        var column = 0
        for part in self.parts { column = canvas.write(part.text, row: row, column: column, part.style) }
    }
}
