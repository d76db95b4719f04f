import Testing

@testable import CoreBluetoothCommand

@Suite("Lines in a terminal's width")
struct WrappedTextTests {
    @Test("C7: a line that is too wide goes on between words, counted in columns; one that fits stays")
    func wrapping() {
        let line = "  FFF1  read, notify = 66 08 \"日本語\""
        #expect(WrappedText.text(line, columns: nil) == line)
        #expect(WrappedText.text(line, columns: 37) == line)
        #expect(WrappedText.text(line, columns: 36) == "  FFF1 read, notify = 66 08\n    \"日本語\"")
        #expect(WrappedText.text("\n" + line, columns: 20) == "\n  FFF1 read,\n    notify = 66 08\n    \"日本語\"")
        // At least ten columns are used.
        #expect(WrappedText.text("    aaaa bbbbb", columns: 8) == "    aaaa bbbbb")
        #expect(WrappedText.text("    aaaaa bbbbb", columns: 8) == "    aaaaa\n      bbbbb")
        #expect(WrappedText.text("", columns: 40) == "")
    }
}
