// The layout of a diagram's picture, in pixels. Text widths are estimates, since the fonts of the viewer are unknown.

/// The layout of a picture.
struct SVGLayout {
    /// The height of a line of text.
    static let lineHeight = 16.0
    /// The width of an average character of the text.
    static let characterWidth = 7.1
    /// The distance between the text of a note and its border.
    static let padding = 6.0
    /// The width of the column of times.
    static let timeWidth = 66.0
    /// The height above the first row, with title, devices and names.
    static let headHeight = 92.0

    /// A row with its place.
    struct PlacedRow {
        var top: Double
        var height: Double
        /// The text in fitting lines.
        var lines: [String]
        /// The horizontal center of the text.
        var center: Double
        var row: SequenceDiagram.Row
    }

    let width: Double
    let height: Double
    /// The positions of the participants' lines.
    let positions: [Double]
    let rows: [PlacedRow]

    init(_ diagram: SequenceDiagram) {
        var positions: [Double] = []
        var x = Self.timeWidth + 72
        for (index, participant) in diagram.participants.enumerated() {
            if index > 0 {
                let isSameDevice = diagram.participants[index - 1].device == participant.device
                let word = Self.longestWord(between: index - 1, and: index, in: diagram)
                x += max(isSameDevice ? 150 : 264, min(Double(word) * Self.characterWidth + 20, 264))
            }
            positions.append(x)
        }
        self.positions = positions
        width = max(x + 88, 480)
        var top = Self.headHeight
        var rows: [PlacedRow] = []
        for row in diagram.rows {
            let placed = Self.place(row, at: top, positions, width: width)
            top += placed.height
            rows.append(placed)
        }
        self.rows = rows
        height = top + 24
    }

    /// The length of the longest word between two neighbours.
    private static func longestWord(between left: Int, and right: Int, in diagram: SequenceDiagram) -> Int {
        var longest = 0
        for row in diagram.rows {
            guard case .message(let from, let to, let text, _) = row.content, min(from, to) == left,
                max(from, to) == right
            else { continue }
            longest = max(longest, text.split(whereSeparator: \.isWhitespace).map(\.count).max() ?? 0)
        }
        return longest
    }

    private static func place(
        _ row: SequenceDiagram.Row,
        at top: Double,
        _ positions: [Double],
        width: Double
    ) -> PlacedRow {
        switch row.content {
        case .message(let from, let to, let text, _):
            let room = from == to ? 160 : abs(positions[from] - positions[to]) - 14
            let lines = wrapped(text, characters: Int(room / characterWidth))
            return PlacedRow(
                top: top,
                height: Double(lines.count) * lineHeight + 14,
                lines: lines,
                center: from == to ? positions[from] + 90 : (positions[from] + positions[to]) / 2,
                row: row
            )
        case .note(let index, let text):
            let lines = wrapped(text, characters: 24)
            let half = noteWidth(lines) / 2
            return PlacedRow(
                top: top,
                height: Double(lines.count) * lineHeight + 2 * padding + 6,
                lines: lines,
                // Keep notes at the edges inside the picture.
                center: min(max(positions[index], timeWidth + half), width - half - 4),
                row: row
            )
        case .divider(let text):
            return PlacedRow(top: top, height: lineHeight + 24, lines: [text], center: width / 2, row: row)
        }
    }

    /// The width of a note with these lines.
    static func noteWidth(_ lines: [String]) -> Double {
        Double(lines.map(\.count).max() ?? 0) * characterWidth + 2 * padding
    }

    /// The text in lines of limited length, broken between words if possible.
    static func wrapped(_ text: String, characters: Int) -> [String] {
        let limit = max(characters, 8)
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            var word = word
            if !line.isEmpty, line.count + 1 + word.count > limit {
                lines.append(line)
                line = ""
            }
            while word.count > limit {
                lines.append(String(word.prefix(limit)))
                word = word.dropFirst(limit)
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        if !line.isEmpty || lines.isEmpty { lines.append(line) }
        return lines
    }
}
