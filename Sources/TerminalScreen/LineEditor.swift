// A line that a person edits: the text before and after the cursor, and the history. The cursor is between two grapheme
// clusters, so an accent that is typed after its letter joins it.

/// A line of text, its cursor, and its history.
package struct LineEditor: Hashable, Sendable {
    /// The effect of a key.
    package enum Outcome: Hashable, Sendable {
        /// The line or its cursor may have changed.
        case edited
        /// The line is finished and in the history, and a new one has begun.
        case finished(String)
        /// The key has no meaning here.
        case ignored
    }

    /// The text before the cursor.
    package private(set) var before = ""
    /// The text after the cursor.
    package private(set) var behind = ""
    /// The most octets of a line in UTF-8; input that would exceed it is ignored.
    package let maximumLength: Int
    private var history: LineHistory
    /// The index of the history line that is shown; its count stands for the line being typed.
    private var place: Int
    /// The line being typed, while one of the history is shown.
    private var draft = ""

    /// The octets that a terminal takes in a line (termios(3)); a value of 512 octets in hexadecimal fits.
    package static let longestLine = 4_095

    /// Creates an empty line.
    package init(maximumLength: Int = LineEditor.longestLine, history: LineHistory = LineHistory()) {
        self.maximumLength = maximumLength
        self.history = history
        self.place = history.lines.count
    }

    /// The line.
    package var text: String { self.before + self.behind }

    /// Replaces the line.
    package mutating func set(_ text: String) {
        self.before = ""
        self.behind = ""
        self.insert(text)
    }

    /// Handles a key.
    package mutating func receive(_ key: Key) -> Outcome {
        switch key {
        case .character(let character): self.insert(String(character))
        case .text(let text): self.insert(text)
        case .enter: return self.finish()
        case .backspace, .control("h"): if !self.before.isEmpty { self.before.removeLast() }
        case .delete, .control("d"): if !self.behind.isEmpty { self.behind.removeFirst() }
        case .left, .control("b"):
            if let last = self.before.popLast() { self.behind.insert(last, at: self.behind.startIndex) }
        case .right, .control("f"): if !self.behind.isEmpty { self.before.append(self.behind.removeFirst()) }
        case .home, .control("a"): (self.before, self.behind) = ("", self.text)
        case .end, .control("e"): (self.before, self.behind) = (self.text, "")
        case .wordLeft:
            let word = self.wordBefore
            self.before.removeLast(word.count)
            self.behind = word + self.behind
        case .wordRight:
            let word = self.wordBehind
            self.behind.removeFirst(word.count)
            self.before += word
        case .control("w"): self.before.removeLast(self.wordBefore.count)
        case .control("u"): self.before = ""
        case .control("k"): self.behind = ""
        case .up, .control("p"): self.show(self.place - 1)
        case .down, .control("n"): self.show(self.place + 1)
        default: return .ignored
        }
        return .edited
    }

    /// Completes the text before the cursor as far as the candidates agree.
    ///
    /// - Returns: The candidates, if there are several and nothing could be added.
    package mutating func complete(_ completion: LineCompletion) -> [String] {
        guard let first = completion.candidates.first, completion.replacedCount <= self.before.count else { return [] }
        let isOne = completion.candidates.count == 1
        let common = completion.candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        guard isOne || common.count > completion.replacedCount else { return completion.candidates }
        self.before.removeLast(completion.replacedCount)
        self.insert(isOne ? common + " " : common)
        return []
    }

    private mutating func insert(_ text: String) {
        let line = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalar == "\t"
            default: true
            }
        }.map { $0 == "\t" ? " " : $0 }
        var room = self.maximumLength - self.before.utf8.count - self.behind.utf8.count
        for scalar in line {
            room -= UTF8.width(scalar)
            guard room >= 0 else { return }
            self.before.unicodeScalars.append(scalar)
        }
    }

    private mutating func finish() -> Outcome {
        let line = self.text
        self.history.add(line)
        self.place = self.history.lines.count
        self.draft = ""
        self.before = ""
        self.behind = ""
        return .finished(line)
    }

    private mutating func show(_ place: Int) {
        let lines = self.history.lines
        guard (0...lines.count).contains(place), place != self.place else { return }
        if self.place == lines.count { self.draft = self.text }
        self.place = place
        self.set(place == lines.count ? self.draft : lines[place])
    }

    /// The word before the cursor, with the spaces after it.
    private var wordBefore: String {
        let spaces = self.before.reversed().prefix { $0 == " " }.count
        let letters = self.before.dropLast(spaces).reversed().prefix { $0 != " " }.count
        return String(self.before.suffix(spaces + letters))
    }

    /// The word after the cursor, with the spaces before it.
    private var wordBehind: String {
        let spaces = self.behind.prefix { $0 == " " }
        return String(spaces + self.behind.dropFirst(spaces.count).prefix { $0 != " " })
    }

    /// The part of the line that fits and contains the cursor, and the number of its columns before the cursor.
    func visible(columns: Int) -> (text: String, cursor: Int) {
        // Text that does not fit before the cursor has scrolled out; at the end of the line the cursor takes the last
        // column.
        var shown: Substring = self.before[...]
        var width = ColumnWidth.columns(of: shown)
        while width > columns - 1, let first = shown.popFirst() { width -= ColumnWidth.columns(of: first) }
        var text = String(shown)
        var room = columns - width
        for character in self.behind {
            room -= ColumnWidth.columns(of: character)
            guard room >= 0 else { break }
            text.append(character)
        }
        return (text, width)
    }

    /// Draws the line in a row, scrolled so that the cursor is visible, and sets the canvas's cursor.
    package func draw(on canvas: inout Canvas, row: Int, column: Int, columns: Int, _ style: TextStyle = .plain) {
        guard columns > 1 else { return }
        let (text, cursor) = self.visible(columns: columns)
        canvas.write(text, row: row, column: column, style, columns: columns)
        canvas.cursor = ScreenPosition(row: row, column: column + cursor)
    }
}
