// What went wrong, as it is said in the last row of the screen, at the sizes at which there is room for it or not.

import Fixtures
import TerminalScreen
import Testing

@testable import eightball

@Suite("The last row of the screen")
struct LastRowTests {
    /// A screen full of signs, over which the line is drawn.
    private func screen(_ rows: Int, _ columns: Int, _ text: String = "It is late") -> String {
        let screen = drawn(rows, columns) { canvas in
            for row in 0..<rows { canvas.fill(row: row, with: "x") }
            FullScreenSession.draw(line: text, on: &canvas)
        }
        RunRecord.note("\(rows) × \(columns): \(screen)")
        return screen
    }

    @Test("A line of text takes the whole last row; the only row of a screen is left to the page")
    func rows() {
        #expect(screen(1, 14) == "|xxxxxxxxxxxxxx")
        #expect(screen(2, 14) == "|xxxxxxxxxxxxxx\n| It is late\n: yyyyyyyyyy")
        #expect(screen(3, 14) == "|xxxxxxxxxxxxxx\n|xxxxxxxxxxxxxx\n| It is late\n: yyyyyyyyyy")
    }

    @Test("A line that is as long as the row without its edges is whole; one sign more is cut", arguments: [9, 10, 11])
    func columns(length: Int) {
        let text = String("abcdefghijk".prefix(length))
        let end = screen(2, 12, text).split(separator: "\n").dropFirst().map { String($0) }
        #expect(end.first == "| \(ColumnWidth.truncated(text, to: 10))")
        #expect((end.first == "| \(text)") == (length <= 10))
        #expect(end.last == ": " + String(repeating: "y", count: min(length, 10)))
    }
}
