import Fixtures
import Testing

@testable import TerminalScreen

@Suite("Styled text")
struct StyledTextTests {
    private var line: StyledText {
        var line = StyledText("a日")
        line.append("bc", .plain.colored(.red))
        line.append("")
        line.append(StyledText("d", .bold))
        return line
    }

    @Test("puts control sequences around styled parts")
    func rendered() {
        #expect(line.text == "a日bcd")
        #expect(line.rendered(hasColors: true) == "a日\u{1B}[0;31mbc\u{1B}[0m\u{1B}[0;1md\u{1B}[0m")
        #expect(line.rendered(hasColors: false) == "a日\u{1B}[0mbc\u{1B}[0m\u{1B}[0;1md\u{1B}[0m")
        #expect(StyledText("a").rendered(hasColors: true) == "a")
    }

    @Test(
        "cuts with an ellipsis, counted in columns",
        arguments: [(6, "a日bcd"), (5, "a日b…"), (4, "a日…"), (3, "a…"), (2, "a…"), (1, "…"), (0, "")]
    )
    func truncated(columns: Int, text: String) {
        #expect(line.truncated(to: columns).text == text)
        #expect(ColumnWidth.columns(of: line.truncated(to: columns).text) <= columns)
    }

    @Test("draws its parts on a canvas")
    func canvas() {
        var canvas = Canvas(size: ScreenSize(rows: 1, columns: 5))
        line.draw(on: &canvas, row: 0)
        #expect(canvas.text == ["a日bc"])
    }
}
