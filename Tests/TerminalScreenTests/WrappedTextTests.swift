import TerminalScreen
import Testing

@Suite("Text in a terminal's width")
struct WrappedTextTests {
    @Test("breaks text between words, and inside of words that are too long")
    func breaking() {
        func wrapped(_ text: String, _ first: String = "", _ rest: String = "") -> [String] {
            WrappedText.lines(text, first: first, rest: rest, columns: 20)
        }
        #expect(wrapped("one two three four five six") == ["one two three four", "five six"])
        #expect(wrapped("one two three four five six", " 1  ", "    ") == [" 1  one two three", "    four five six"])
        #expect(wrapped("12345678901234567890123") == ["12345678901234567890", "123"])
        #expect(wrapped("a 12345678901234567890123", "", "  ") == ["a", "  123456789012345678", "  90123"])
        #expect(wrapped("") == [""])
    }

    @Test(
        "counts columns, of which a wide cluster takes two",
        arguments: [
            ("Will it rain today?", 8, ["Will it", "rain", "today?"]),
            ("Will it rain today?", 19, ["Will it rain today?"]),
            ("Donaudampfschiff fährt", 6, ["Donaud", "ampfsc", "hiff", "fährt"]),
            ("漢字漢", 5, ["漢字", "漢"]), ("漢字", 1, ["漢", "字"]), ("a", 0, []),
        ]
    )
    func columns(text: String, columns: Int, lines: [String]) {
        #expect(WrappedText.lines(text, columns: columns) == lines)
    }

    @Test("keeps spaces between words, and drops those at a break")
    func spaces() {
        #expect(WrappedText.lines(" a  b   c", columns: 5) == [" a  b", "c"])
    }

    @Test("keeps an indentation that leaves ten columns, and a label")
    func indentation() {
        func wrapped(_ first: String, _ rest: Int) -> [String] {
            WrappedText.lines(
                "one two three four",
                first: first,
                rest: String(repeating: ".", count: rest),
                columns: 20
            )
        }
        func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
        #expect(wrapped(spaces(10), 10) == [spaces(10) + "one two", "..........three four"])
        #expect(wrapped(spaces(11), 10) == ["one two three four"])
        #expect(wrapped(spaces(10), 11) == [spaces(10) + "one two", "  three four"])
        #expect(wrapped("Temperature: ", 2) == ["Temperature: one two", "..three four"])
        #expect(wrapped("Apparent temperature", 2) == ["Apparent temperature", "..one two three four"])
    }

    @Test("C7: continues a line that is too wide two columns farther to the right")
    func continuation() {
        let line = "  FFF1  read, notify = 66 08 \"日本語\""
        #expect(WrappedText.text(line, columns: nil) == line)
        #expect(WrappedText.text(line, columns: 37) == line)
        #expect(WrappedText.text(line, columns: 36) == "  FFF1  read, notify = 66 08\n    \"日本語\"")
        #expect(WrappedText.text("\n" + line, columns: 19) == "\n  FFF1  read,\n    notify = 66 08\n    \"日本語\"")
        #expect(WrappedText.text("    aaaa bbbbb", columns: 8) == "aaaa\n  bbbbb")
        #expect(WrappedText.text("", columns: 40) == "")
    }
}
