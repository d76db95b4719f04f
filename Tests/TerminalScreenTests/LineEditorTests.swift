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
        "Keys edit the line",
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
        ] as [([Key], String)]
    )
    func editing(keys: [Key], line: String) {
        #expect(self.line(self.typed("Will it rain?") + keys) == line)
    }

    @Test("An accent that comes after its letter joins it, and both are deleted together")
    func clusters() {
        #expect(self.line(self.typed("ne") + [.character("\u{301}")]) == "ne\u{301}|")
        #expect(self.line(self.typed("ne") + [.character("\u{301}"), .left]) == "n|e\u{301}")
        #expect(self.line(self.typed("ne") + [.character("\u{301}"), .backspace]) == "n|")
    }

    @Test("A line takes as many octets as fit, and no half of a character")
    func limit() {
        #expect(self.line(self.typed("abcd"), LineEditor(maximumLength: 3)) == "abc|")
        #expect(self.line(self.typed("aéé"), LineEditor(maximumLength: 4)) == "aé|")
        #expect(self.line(self.typed("aéé"), LineEditor(maximumLength: 5)) == "aéé|")
    }

    @Test("The history goes back and forth and keeps what is being written")
    func history() {
        var editor = LineEditor()
        for line in ["One?", "Two?", "Two?"] {
            editor.set(line)
            #expect(editor.receive(.enter) == .finished(line))
        }
        editor.set("Thr")
        let shown = [Key.up, .up, .up, .down, .down, .down].map { key in
            _ = editor.receive(key)
            return editor.text
        }
        #expect(shown == ["Two?", "One?", "One?", "Two?", "Thr", "Thr"])
    }

    @Test("An empty line is finished and is not in the history")
    func emptyLine() {
        var editor = LineEditor()
        #expect(editor.receive(.enter) == .finished(""))
        #expect(editor.receive(.up) == .edited)
        #expect(editor.text.isEmpty)
    }

    @Test(
        "The cursor is always in sight",
        arguments: [
            ("Will it rain?", [], 20, "Will it rain?", 13), ("Will it rain?", [], 8, "t rain?", 7),
            ("Will it rain?", [.home], 8, "Will it", 0), ("漢字漢字", [], 6, "漢字", 4),
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
}
