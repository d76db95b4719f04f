import CommandLineTool
import Testing

@Suite("Text in lines")
struct BrokenTextTests {
    @Test("breaks text between words, and inside of words that are too long")
    func breaking() {
        func broken(_ text: String, _ first: String = "", _ rest: String = "") -> [String] {
            BrokenText.lines(text, first: first, rest: rest, 20)
        }
        #expect(broken("one two three four five six") == ["one two three four", "five six"])
        #expect(broken("one two three four five six", " 1  ", "    ") == [" 1  one two three", "    four five six"])
        #expect(broken("12345678901234567890123") == ["12345678901234567890", "123"])
        #expect(broken("a 12345678901234567890123", "", "  ") == ["a", "  123456789012345678", "  90123"])
        #expect(broken("") == [""])
        #expect(broken("a", String(repeating: " ", count: 40)) == ["a"])
    }

    @Test("keeps an indentation that leaves twelve columns, and gives up one that leaves eleven")
    func indentation() {
        func broken(_ first: Int, _ rest: Int) -> [String] {
            BrokenText.lines(
                "one two three four",
                first: String(repeating: "-", count: first),
                rest: String(repeating: ".", count: rest),
                20
            )
        }
        #expect(broken(8, 8) == ["--------one two", "........three four"])
        #expect(broken(9, 8) == ["one two three four"])
        #expect(broken(8, 9) == ["--------one two", "  three four"])
    }
}
