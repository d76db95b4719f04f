import Fixtures
import Testing

@testable import TerminalScreen

@Suite("A line with a prompt")
@MainActor
struct PromptLineTests {
    private static func octets(_ prompt: String, _ keys: [Key], columns: Int = 80) -> String {
        var editor = LineEditor()
        for key in keys { _ = editor.receive(key) }
        return PromptLine.octets(prompt, editor, columns: columns)
    }

    @Test("puts the cursor at the next character, counted in columns")
    func cursor() {
        #expect(Self.octets("> ", []) == "> \r\u{1B}[2C")
        #expect(Self.octets("> ", [.text("ab"), .left]) == "> ab\r\u{1B}[3C")
        #expect(Self.octets("> ", [.text("日本"), .left]) == "> 日本\r\u{1B}[4C")
        #expect(Self.octets("", [.text("a"), .home]) == "a\r")
    }

    @Test("shows nothing for an empty line without a prompt")
    func nothing() { #expect(Self.octets("", []) == "") }

    @Test("shows the cursor and what fits before it")
    func narrow() {
        // Twelve columns: two for the prompt, nine characters, and the cursor's.
        #expect(Self.octets("> ", [.text("abcdefghijkl")], columns: 12) == "> defghijkl\r\u{1B}[11C")
        #expect(Self.octets("> ", [.text("abcdefghijkl"), .home], columns: 12) == "> abcdefghij\r\u{1B}[2C")
        // A prompt that leaves fewer than ten columns gives way to the line.
        #expect(Self.octets("long: ", [.text("abc")], columns: 16) == "long: abc\r\u{1B}[9C")
        #expect(Self.octets("long: ", [.text("abc")], columns: 15) == "abc\r\u{1B}[3C")
        // The last character and the cursor are visible in any terminal.
        for columns in [-1, 0, 1, 2] { #expect(Self.octets("> ", [.text("abc")], columns: columns) == "c\r\u{1B}[1C") }
        #expect(Self.octets("> ", [.text("abc")], columns: 3) == "bc\r\u{1B}[2C")
    }
}
