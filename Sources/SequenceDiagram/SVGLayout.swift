// Where everything of a diagram stands on its picture, in pixels. Text is measured by an estimate: what draws the
// picture has fonts of its own.

/// The places of a picture.
struct SVGLayout {
    /// The height of a line of text.
    static let lineHeight = 16.0
    /// The width of an average character of the text.
    static let characterWidth = 7.1
    /// Between the text of a note and its border.
    static let padding = 6.0
    /// The place of the times.
    static let timeWidth = 66.0
    /// Above the first row: title, devices and names.
    static let headHeight = 92.0

    /// A row with its place.
    struct PlacedRow {
        var top: Double
        var height: Double
        /// The text in lines that fit.
        var lines: [String]
        /// Around what the text stands.
        var center: Double
        var row: SequenceDiagram.Row
    }

    let width: Double
    let height: Double
    /// Where the participants' lines stand.
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

    /// How many characters the longest word has that stands between two neighbours.
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
                // Inside the picture, also at its edges.
                center: min(max(positions[index], timeWidth + half), width - half - 4),
                row: row
            )
        case .divider(let text):
            return PlacedRow(top: top, height: lineHeight + 24, lines: [text], center: width / 2, row: row)
        }
    }

    /// How wide a note with these lines is.
    static func noteWidth(_ lines: [String]) -> Double {
        Double(lines.map(\.count).max() ?? 0) * characterWidth + 2 * padding
    }

    /// The text in lines of at most so many characters, cut between words where that can be.
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
