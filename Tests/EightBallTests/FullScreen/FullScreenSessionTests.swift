import Fixtures
import TerminalScreen
import Testing

@testable import eightball

@Suite("The last row of the screen")
struct FullScreenSessionTests {
    /// A screen full of characters, over which the line is drawn.
    private func screen(_ rows: Int, _ columns: Int, _ text: String = "It is late") -> String {
        drawn(rows, columns) { canvas in
            for row in 0..<rows { canvas.fill(row: row, with: "x") }
            FullScreenSession.draw(line: text, on: &canvas)
        }
    }

    @Test("shows a line in the last row, unless that is the only one")
    func rows() {
        #expect(screen(1, 14) == "|xxxxxxxxxxxxxx")
        #expect(screen(2, 14) == "|xxxxxxxxxxxxxx\n| It is late\n: yyyyyyyyyy")
        #expect(screen(3, 14) == "|xxxxxxxxxxxxxx\n|xxxxxxxxxxxxxx\n| It is late\n: yyyyyyyyyy")
    }

    @Test("cuts a line that does not fit", arguments: [9, 10, 11])
    func columns(length: Int) {
        let text = String("abcdefghijk".prefix(length))
        let end = screen(2, 12, text).split(separator: "\n").dropFirst().map { String($0) }
        #expect(end.first == "| \(ColumnWidth.truncated(text, to: 10))")
        #expect((end.first == "| \(text)") == (length <= 10))
        #expect(end.last == ": " + String(repeating: "y", count: min(length, 10)))
    }
}
