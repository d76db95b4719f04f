// A terminal without a window: it carries out what programs send and knows what stands on its screen. Terminals differ
// in what they think of the width of a cluster; this one thinks what a test wants it to.

/// What a terminal shows.
package final class VirtualTerminal {
    /// What the terminal thinks of text.
    package enum Opinion: CaseIterable {
        /// A cluster takes the columns that the program expects.
        case agrees
        /// Every scalar takes a cell of its own, and emoji take one column.
        case narrowScalars
        /// Every scalar beyond Latin-1 takes two columns.
        case wideScalars
    }

    package private(set) var rows: [[String]]
    package private(set) var isCursorShown = true
    package private(set) var isAlternate = false
    package private(set) var cursor = (row: 0, column: 0)
    /// Whether a colour was asked for.
    package private(set) var hasColors = false
    private let opinion: Opinion
    private let columns: (Character) -> Int
    private var pending: [Character] = []
    private var primary: [[String]] = []
    private var primaryCursor = (row: 0, column: 0)

    package init(rows: Int, columns: Int, _ opinion: Opinion = .agrees, width: @escaping (Character) -> Int) {
        self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        self.opinion = opinion
        self.columns = width
    }

    /// The rows as text, without the spaces at their ends.
    package var text: [String] {
        self.rows.map { String($0.joined().reversed().drop { $0 == " " }.reversed()) }
    }

    package func receive(_ text: String) {
        for character in text { self.receive(character) }
    }

    /// Another size: everything is drawn anew by the program.
    package func resize(rows: Int, columns: Int) {
        self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    private func receive(_ character: Character) {
        guard self.pending.isEmpty else { return self.receiveSequence(character) }
        switch character {
        case "\u{1B}": self.pending = [character]
        case "\r": self.cursor.column = 0
        case "\n": self.feedLine()
        case "\r\n":
            self.feedLine()
            self.cursor.column = 0
        default: self.show(character)
        }
    }

    private func receiveSequence(_ character: Character) {
        self.pending.append(character)
        guard self.pending.count > 2, let octet = character.asciiValue, (0x40...0x7E).contains(octet) else { return }
        let parameters = String(self.pending[2..<(self.pending.count - 1)])
        self.pending = []
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        switch character {
        case "H":
            self.cursor = ((numbers.first ?? 1) - 1, (numbers.count > 1 ? numbers[1] : 1) - 1)
        case "A": self.cursor.row = max(0, self.cursor.row - (numbers.first ?? 1))
        case "C": self.cursor.column = min(self.rows[0].count - 1, self.cursor.column + (numbers.first ?? 1))
        case "J" where numbers.first == 2: self.rows = self.rows.map { $0.map { _ in " " } }
        case "J":
            self.eraseToEndOfRow()
            for row in self.rows.indices.dropFirst(self.cursor.row + 1) {
                self.rows[row] = self.rows[row].map { _ in " " }
            }
        case "K": self.eraseToEndOfRow()
        case "X": for column in 0..<(numbers.first ?? 1) { self.set(" ", self.cursor.column + column) }
        case "m": if numbers.contains(where: { (30...37).contains($0) }) { self.hasColors = true }
        case "h", "l": self.setMode(parameters, character == "h")
        default: break
        }
    }

    private func feedLine() {
        if self.cursor.row < self.rows.count - 1 { return self.cursor.row += 1 }
        self.rows.append(self.rows.removeFirst().map { _ in " " })
    }

    private func eraseToEndOfRow() {
        for column in self.rows[self.cursor.row].indices.dropFirst(self.cursor.column) { self.set(" ", column) }
    }

    private func setMode(_ mode: String, _ isOn: Bool) {
        switch mode {
        case "?25": self.isCursorShown = isOn
        case "?1049" where isOn != self.isAlternate:
            self.isAlternate = isOn
            swap(&self.rows, &self.primary)
            swap(&self.cursor, &self.primaryCursor)
            if isOn { self.rows = self.primary.map { $0.map { _ in " " } } }
        default: break
        }
    }

    private func show(_ character: Character) {
        switch self.opinion {
        case .agrees: self.put(String(character), self.columns(character))
        case .narrowScalars: for scalar in character.unicodeScalars { self.put(String(scalar), 1) }
        case .wideScalars:
            for scalar in character.unicodeScalars { self.put(String(scalar), scalar.value > 0xFF ? 2 : 1) }
        }
    }

    private func put(_ text: String, _ width: Int) {
        guard width > 0 else { return }
        self.set(text, self.cursor.column)
        if width == 2 { self.set("", self.cursor.column + 1, isSecondHalf: true) }
        self.cursor.column = min(self.cursor.column + width, self.rows[0].count - 1)
    }

    private func set(_ text: String, _ column: Int, isSecondHalf: Bool = false) {
        let row = self.cursor.row
        guard self.rows.indices.contains(row), self.rows[row].indices.contains(column) else { return }
        // Half of a wide cluster is none.
        if !isSecondHalf, self.rows[row][column].isEmpty { self.rows[row][column - 1] = " " }
        self.rows[row][column] = text
        if column + 1 < self.rows[row].count, self.rows[row][column + 1].isEmpty { self.rows[row][column + 1] = " " }
    }
}
