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

    /// Pieces of text of every kind.
    private static let pieces = [
        "a", "bc", "Kitchen", " ", "   ", "é", "漢", "漢字", "🚗", "👨‍👩‍👧", "❤️", "🇩🇪", "👍🏽", "-45 dBm", "▂▄▆█", "ｱ", "한",
    ]

    @Test("Whatever is drawn after whatever, the terminal shows the canvas", arguments: 1...20)
    func random(seed: UInt64) {
        var generator = Generator(state: seed)
        let size = ScreenSize(rows: 4, columns: 24)
        let terminal = self.terminal(size)
        var renderer = ScreenRenderer(hasColors: true)
        var canvas = Canvas(size: size)
        for _ in 0..<100 {
            Self.draw(on: &canvas, using: &generator)
            let octets = renderer.render(canvas)
            RunRecord.note(octets)
            terminal.receive(octets)
            #expect(terminal.text == canvas.text)
        }
    }

    @Test(
        "A terminal that thinks otherwise of a cluster's width shows all plain text behind it in its place",
        arguments: [VirtualTerminal.Opinion.narrowScalars, .wideScalars],
        1...20
    )
    func disagreement(opinion: VirtualTerminal.Opinion, seed: UInt64) {
        var generator = Generator(state: seed)
        let size = ScreenSize(rows: 4, columns: 24)
        let terminal = self.terminal(size, opinion)
        var renderer = ScreenRenderer(hasColors: true)
        var canvas = Canvas(size: size)
        for _ in 0..<100 {
            Self.draw(on: &canvas, using: &generator)
            terminal.receive(renderer.render(canvas))
            for row in 0..<size.rows {
                for (column, cell) in canvas.row(row).enumerated() where cell.text.utf8.count == 1 && cell.text != " " {
                    #expect(
                        terminal.rows[row][column] == cell.text,
                        "row \(row), column \(column): \(canvas.text[row])"
                    )
                }
            }
        }
    }

    private static func draw(on canvas: inout Canvas, using generator: inout Generator) {
        if Int.random(in: 0..<10, using: &generator) == 0 { canvas = Canvas(size: canvas.size) }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            canvas.write(
                Self.pieces.randomElement(using: &generator)!,
                row: Int.random(in: 0..<canvas.size.rows, using: &generator),
                column: Int.random(in: 0..<canvas.size.columns, using: &generator),
                Bool.random(using: &generator) ? .plain : .bold
            )
        }
    }
}

/// Equal states give equal numbers.
struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self.state ^ (self.state >> 29)
    }
}
