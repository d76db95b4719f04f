import Testing

@testable import TerminalScreen

@Suite("Screen renderer")
struct ScreenRendererTests {
    @Test("writes the cells that have changed")
    func change() {
        var canvas = Canvas(size: ScreenSize(rows: 2, columns: 20))
        canvas.write("-45 dBm  Kitchen", row: 0, column: 0)
        var renderer = ScreenRenderer(hasColors: true)
        _ = renderer.render(canvas)
        canvas.write("-46", row: 0, column: 0)
        #expect(renderer.render(canvas) == "\u{1B}[?25l\u{1B}[1;3H\u{1B}[0m6\u{1B}[0m")
    }

    @Test("omits only colours if there are none")
    func noColors() {
        var canvas = Canvas(size: ScreenSize(rows: 1, columns: 4))
        canvas.write("a", row: 0, column: 0, TextStyle(color: .red, isBold: true))
        var plain = ScreenRenderer(hasColors: false)
        #expect(plain.render(canvas).contains("\u{1B}[0;1ma"))
        var colored = ScreenRenderer(hasColors: true)
        #expect(colored.render(canvas).contains("\u{1B}[0;1;31ma"))
    }

    @Test("clears the screen for another size")
    func size() {
        var renderer = ScreenRenderer(hasColors: false)
        _ = renderer.render(Canvas(size: ScreenSize(rows: 1, columns: 4)))
        #expect(renderer.render(Canvas(size: ScreenSize(rows: 1, columns: 5))).contains("\u{1B}[2J"))
    }

    @Test("hides a cursor outside the screen", arguments: [(2, 9, true), (3, 9, false), (2, 10, false)])
    func cursorAtTheEdge(row: Int, column: Int, isShown: Bool) {
        var canvas = Canvas(size: ScreenSize(rows: 3, columns: 10))
        canvas.cursor = ScreenPosition(row: row, column: column)
        var renderer = ScreenRenderer(hasColors: false)
        #expect(renderer.render(canvas).contains("\u{1B}[?25h") == isShown)
    }

    @Test("draws everything again once invalidated, one sequence for a run of cells")
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
