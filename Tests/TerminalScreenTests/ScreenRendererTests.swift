import Fixtures
import Testing

@testable import TerminalScreen

@Suite("Screen renderer")
struct ScreenRendererTests {
    private func terminal(_ size: ScreenSize, _ opinion: VirtualTerminal.Opinion = .agrees) -> VirtualTerminal {
        VirtualTerminal(rows: size.rows, columns: size.columns, opinion) { ColumnWidth.columns(of: $0) }
    }

    @Test("The same canvas again costs no cell")
    func unchanged() {
        var canvas = Canvas(size: ScreenSize(rows: 2, columns: 10))
        canvas.write("Hello", row: 1, column: 2, .bold)
        var renderer = ScreenRenderer(hasColors: true)
        #expect(renderer.render(canvas).contains("\u{1B}[2;3H\u{1B}[0;1mHello"))
        #expect(renderer.render(canvas) == "\u{1B}[?25l")
    }

    @Test("A change costs its own cells")
    func change() {
        var canvas = Canvas(size: ScreenSize(rows: 2, columns: 20))
        canvas.write("-45 dBm  Kitchen", row: 0, column: 0)
        var renderer = ScreenRenderer(hasColors: true)
        _ = renderer.render(canvas)
        canvas.write("-46", row: 0, column: 0)
        #expect(renderer.render(canvas) == "\u{1B}[?25l\u{1B}[1;3H\u{1B}[0m6\u{1B}[0m")
    }

    @Test("Without colours there are none, and the rest of a style stays")
    func noColors() {
        var canvas = Canvas(size: ScreenSize(rows: 1, columns: 4))
        canvas.write("a", row: 0, column: 0, TextStyle(color: .red, isBold: true))
        var plain = ScreenRenderer(hasColors: false)
        #expect(plain.render(canvas).contains("\u{1B}[0;1ma"))
        var colored = ScreenRenderer(hasColors: true)
        #expect(colored.render(canvas).contains("\u{1B}[0;1;31ma"))
    }

    @Test("Another size clears the screen")
    func size() {
        var renderer = ScreenRenderer(hasColors: false)
        _ = renderer.render(Canvas(size: ScreenSize(rows: 1, columns: 4)))
        #expect(renderer.render(Canvas(size: ScreenSize(rows: 1, columns: 5))).contains("\u{1B}[2J"))
    }

    @Test("The cursor is where the canvas has it, and hidden where it has none")
    func cursor() {
        let terminal = self.terminal(ScreenSize(rows: 3, columns: 10))
        var renderer = ScreenRenderer(hasColors: false)
        var canvas = Canvas(size: ScreenSize(rows: 3, columns: 10))
        canvas.cursor = ScreenPosition(row: 2, column: 4)
        terminal.receive(renderer.render(canvas))
        #expect(terminal.isCursorShown && terminal.cursor == (2, 4))
        canvas.cursor = nil
        terminal.receive(renderer.render(canvas))
        #expect(!terminal.isCursorShown)
    }

    @Test("A cursor outside of the screen is hidden", arguments: [(2, 9, true), (3, 9, false), (2, 10, false)])
    func cursorAtTheEdge(row: Int, column: Int, isShown: Bool) {
        var canvas = Canvas(size: ScreenSize(rows: 3, columns: 10))
        canvas.cursor = ScreenPosition(row: row, column: column)
        var renderer = ScreenRenderer(hasColors: false)
        #expect(renderer.render(canvas).contains("\u{1B}[?25h") == isShown)
    }

    @Test("What is forgotten is drawn again, and a run of cells in one style has one beginning")
    func forgotten() {
        var canvas = Canvas(size: ScreenSize(rows: 1, columns: 10))
        canvas.write("ab", row: 0, column: 1)
        canvas.write("cd", row: 0, column: 3, .bold)
        let octets = "\u{1B}[1;2H\u{1B}[0mab\u{1B}[0;1mcd\u{1B}[0m"
        var renderer = ScreenRenderer(hasColors: true)
        #expect(renderer.render(canvas) == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J" + octets)
        #expect(renderer.render(canvas) == "\u{1B}[?25l")
        renderer.invalidate()
        #expect(renderer.render(canvas) == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J" + octets)
    }
}
