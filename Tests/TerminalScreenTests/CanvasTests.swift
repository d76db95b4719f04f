import Fixtures
import Testing

@testable import TerminalScreen

@Suite("Canvas")
struct CanvasTests {
    private func canvas(_ rows: Int, _ columns: Int) -> Canvas {
        Canvas(size: ScreenSize(rows: rows, columns: columns))
    }

    @Test("ignores rows and columns outside", arguments: [(-1, 0), (2, 0), (0, -1), (0, 5), (0, .max)])
    func outside(row: Int, column: Int) {
        var canvas = self.canvas(2, 5)
        canvas.write("a", row: row, column: column)
        #expect(canvas == self.canvas(2, 5))
    }

    @Test("leaves out a wide cluster that does not fit whole")
    func wideAtTheEdge() {
        var canvas = self.canvas(1, 5)
        #expect(canvas.write("abc漢字", row: 0, column: 0) == 5)
        #expect(canvas.text == ["abc漢"])
        canvas.write("abcd漢", row: 0, column: 0)
        #expect(canvas.text == ["abcd"])
    }

    @Test("removes both halves of a wide cluster")
    func halves() {
        var canvas = self.canvas(1, 6)
        canvas.write("漢字漢", row: 0, column: 0)
        canvas.write("x", row: 0, column: 1)
        #expect(canvas.text == [" x字漢"])
        canvas.write("y", row: 0, column: 2)
        #expect(canvas.text == [" xy 漢"])
        canvas.write("字", row: 0, column: 3)
        #expect(canvas.text == [" xy字"])
    }

    @Test("leaves out characters that move the cursor")
    func controls() {
        var canvas = self.canvas(1, 20)
        canvas.write("a\u{1B}[2Jb\u{202E}c\nd\u{9B}e", row: 0, column: 0)
        #expect(canvas.text == ["a[2Jbcde"])
    }

    @Test("limits the accents of a cell")
    func accents() {
        var canvas = self.canvas(1, 3)
        canvas.write("a" + String(repeating: "\u{301}", count: 1000) + "b", row: 0, column: 0)
        #expect(canvas.text[0].unicodeScalars.count == 17)
        #expect(canvas.text[0].last == "b")
    }

    @Test("fills a row from a column on, with a character of one column")
    func filling() {
        for (column, character, expected) in [
            (0, "-", "-----"), (3, "-", "abc--"), (4, "-", "abcd-"), (5, "-", "abcde"), (6, "-", "abcde"),
            (-2, "-", "-----"), (0, "漢", "abcde"), (1, " ", "a"),
        ] as [(Int, Character, String)] {
            var canvas = self.canvas(2, 5)
            canvas.write("abcde", row: 0, column: 0)
            canvas.fill(row: 0, from: column, with: character)
            #expect(canvas.text == [expected, ""], "\(column) \(character)")
        }
    }

    @Test("writes a text that fits in full, and cuts another one at the edge or after its columns")
    func exactFit() {
        var canvas = self.canvas(2, 5)
        #expect(canvas.write("abcdefg", row: 0, column: 2) == 5)
        #expect(canvas.write("abcdefg", row: 1, column: 1, columns: 2) == 3)
        #expect(canvas.text == ["  abc", " ab"])
        canvas = self.canvas(2, 5)
        #expect(canvas.write("ab", row: 0, column: 3) == 5)
        #expect(canvas.write("漢", row: 1, column: 3) == 5)
        #expect(canvas.write("x", row: 0, column: 0, columns: 0) == 0)
        #expect(canvas.write("xyz", row: 0, column: 0, columns: 3) == 3)
        #expect(canvas.text == ["xyzab", "   漢"])
        #expect(self.canvas(-1, -1).text == [] && self.canvas(1, -1).text == [""])
    }

    @Test("writes a paragraph that just fits in full, and ends one that is too long with an ellipsis")
    func exactParagraph() {
        var canvas = self.canvas(3, 8)
        #expect(canvas.write(paragraph: "Will it rain today?", row: 0, column: 1, columns: 7, rows: 2) == 2)
        #expect(canvas.text == [" Will it", " rain…", ""])
        canvas = self.canvas(3, 8)
        #expect(canvas.write(paragraph: "Will it rain today?", row: 0, column: 0, columns: 7, rows: 3) == 3)
        #expect(canvas.text == ["Will it", "rain", "today?"])
        canvas = self.canvas(2, 8)
        #expect(canvas.write(paragraph: "Will it rain", row: 0, column: 0, columns: 7, rows: 0) == 0)
        #expect(canvas.write(paragraph: "Will it", row: 1, column: 0, columns: 7) == 2)
        #expect(canvas.text == ["", "Will it"])
    }
}
