import Fixtures
import Testing

@testable import TerminalScreen

@Suite("Line editor")
struct LineEditorTests {
    /// The line with `|` for its cursor, after keys.
    private func line(_ keys: [Key], _ editor: LineEditor = LineEditor()) -> String {
        var editor = editor
        for key in keys { _ = editor.receive(key) }
        return editor.before + "|" + editor.behind
    }

    private func typed(_ text: String) -> [Key] { text.map { .character($0) } }

    @Test(
        "edits the line by keys",
        arguments: [
            ([], "Will it rain?|"), ([.left, .left], "Will it rai|n?"), ([.home], "|Will it rain?"),
            ([.home, .right], "W|ill it rain?"), ([.home, .left], "|Will it rain?"), ([.backspace], "Will it rain|"),
            ([.home, .delete], "|ill it rain?"), ([.delete], "Will it rain?|"),
            ([.home, .backspace], "|Will it rain?"),
            ([.wordLeft], "Will it |rain?"), ([.wordLeft, .wordLeft], "Will |it rain?"),
            ([.home, .wordRight], "Will| it rain?"), ([.home, .wordRight, .wordRight], "Will it| rain?"),
            ([.control("w")], "Will it |"), ([.control("u")], "|"), ([.wordLeft, .control("u")], "|rain?"),
            ([.wordLeft, .control("k")], "Will it |"), ([.home, .end], "Will it rain?|"),
            ([.text("\nNow\u{1B}[2J?")], "Will it rain?Now[2J?|"), ([.tab], "Will it rain?|"),
            ([.text("a\tb\u{2028}c\u{2029}d\u{85}")], "Will it rain?a bcd|"),
            ([.control("a")], "|Will it rain?"), ([.home, .control("e")], "Will it rain?|"),
            ([.control("b")], "Will it rain|?"), ([.home, .control("f")], "W|ill it rain?"),
            ([.control("h")], "Will it rain|"), ([.home, .control("d")], "|ill it rain?"),
            ([.control("d")], "Will it rain?|"), ([.right], "Will it rain?|"), ([.control("k")], "Will it rain?|"),
            ([.wordRight], "Will it rain?|"), ([.home, .wordLeft], "|Will it rain?"),
            ([.character(" "), .character(" "), .wordLeft], "Will it |rain?  "),
            ([.character(" "), .control("w")], "Will it |"), ([.home, .control("w")], "|Will it rain?"),
            ([.wordLeft, .wordLeft, .left, .wordRight], "Will it| rain?"),
            ([.wordLeft, .left, .wordRight], "Will it rain?|"),
        ] as [([Key], String)]
    )
    func editing(keys: [Key], line: String) {
        #expect(self.line(self.typed("Will it rain?") + keys) == line)
    }

    @Test("joins an accent to its letter, and deletes both together")
    func clusters() {
        #expect(self.line(self.typed("ne") + [.character("\u{301}")]) == "ne\u{301}|")
        #expect(self.line(self.typed("ne") + [.character("\u{301}"), .left]) == "n|e\u{301}")
        #expect(self.line(self.typed("ne") + [.character("\u{301}"), .backspace]) == "n|")
    }

    @Test("takes as many octets as fit, and never half a character")
    func limit() {
        #expect(self.line(self.typed("abcd"), LineEditor(maximumLength: 3)) == "abc|")
        #expect(self.line(self.typed("aéé"), LineEditor(maximumLength: 4)) == "aé|")
        #expect(self.line(self.typed("aéé"), LineEditor(maximumLength: 5)) == "aéé|")
    }

    @Test("has space for a command with a value of 512 octets in hexadecimal")
    func longValue() {
        let line = "write FFF1 " + String(repeating: "0A", count: 512)
        var editor = LineEditor()
        editor.set(line)
        #expect(editor.text == line)
    }

    @Test("goes through the history, which has no empty lines, and keeps the line being typed")
    func history() {
        var editor = LineEditor()
        for line in ["One?", "Two?", "Two?", ""] {
            editor.set(line)
            #expect(editor.receive(.enter) == .finished(line))
        }
        editor.set("Thr")
        let shown = [Key.up, .control("p"), .up, .down, .control("n"), .down].map { key in
            _ = editor.receive(key)
            return editor.text
        }
        #expect(shown == ["Two?", "One?", "One?", "Two?", "Thr", "Thr"])
    }

    @Test(
        "ignores other keys",
        arguments: [.escape, .tab, .backTab, .pageUp, .pageDown, .control("c"), .alt("x")] as [Key]
    )
    func ignored(key: Key) {
        var editor = LineEditor()
        editor.set("Rain?")
        #expect(editor.receive(key) == .ignored)
        #expect(editor.text == "Rain?")
    }

    @Test(
        "keeps the cursor in sight",
        arguments: [
            ("Will it rain?", [], 20, "Will it rain?", 13), ("Will it rain?", [], 8, "t rain?", 7),
            ("Will it rain?", [.home], 8, "Will it", 0), ("漢字漢字", [], 6, "漢字", 4),
            ("Will", [], 5, "Will", 4), ("Will", [], 4, "ill", 3), ("Will", [], 2, "l", 1),
        ] as [(String, [Key], Int, String, Int)]
    )
    func drawing(text: String, keys: [Key], columns: Int, shown: String, cursor: Int) {
        var editor = LineEditor()
        editor.set(text)
        for key in keys { _ = editor.receive(key) }
        var canvas = Canvas(size: ScreenSize(rows: 1, columns: 30))
        editor.draw(on: &canvas, row: 0, column: 2, columns: columns)
        #expect(canvas.text == ["  " + shown])
        #expect(canvas.cursor == ScreenPosition(row: 0, column: 2 + cursor))
    }

    @Test("draws nothing without a column beside the cursor", arguments: [-1, 0, 1])
    func noColumns(columns: Int) {
        var editor = LineEditor()
        editor.set("Will")
        var canvas = Canvas(size: ScreenSize(rows: 1, columns: 30))
        editor.draw(on: &canvas, row: 0, column: 2, columns: columns)
        #expect(canvas.text == [""])
        #expect(canvas.cursor == nil)
    }
}
