import Fixtures
import Testing

@testable import TerminalScreen

@Suite("A screen at random")
struct ScreenSimulationTests {
    /// Pieces of text of every kind.
    private static let pieces = [
        "a", "bc", "Kitchen", " ", "   ", "é", "漢", "漢字", "🚗", "👨‍👩‍👧", "❤️", "🇩🇪", "👍🏽", "-45 dBm", "▂▄▆█", "ｱ", "한",
    ]

    private static func draw(on canvas: inout Canvas, _ choices: inout SeededChoices) {
        if choices.once(in: 10) { canvas = Canvas(size: canvas.size) }
        for _ in 0...choices.below(4) {
            let (row, column) = (choices.below(canvas.size.rows + 2) - 1, choices.below(canvas.size.columns + 2) - 1)
            let style = choices.pick([TextStyle.plain, .bold, .dim, .reversed, .plain.colored(.red)])
            switch choices.below(6) {
            case 0: canvas.write(paragraph: "Will it rain 漢字?", row: row, column: column, columns: 7, rows: 2, style)
            case 1: canvas.fill(row: row, from: column, with: choices.pick([" ", "─", "漢", "x"]), style)
            case 2:
                var editor = LineEditor()
                editor.set(choices.pick(pieces) + " " + choices.pick(pieces))
                editor.draw(on: &canvas, row: row, column: column, columns: choices.below(10) - 1, style)
            default: canvas.write(choices.pick(pieces), row: row, column: column, style)
            }
        }
    }

    @Test(
        "A terminal shows each canvas that is drawn over the one before, even of another size",
        arguments: simulationSeeds(20)
    )
    func rendering(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var size = ScreenSize(rows: 4, columns: 24)
        let terminal = VirtualTerminal(rows: 4, columns: 24) { ColumnWidth.columns(of: $0) }
        var renderer = ScreenRenderer(hasColors: choices.once(in: 2))
        var canvas = Canvas(size: size)
        for _ in 0..<100 {
            if choices.once(in: 20) {
                size = ScreenSize(rows: 1 + choices.below(5), columns: 1 + choices.below(30))
                canvas = Canvas(size: size)
                terminal.resize(rows: size.rows, columns: size.columns)
            }
            Self.draw(on: &canvas, &choices)
            terminal.receive(renderer.render(canvas))
            #expect(terminal.text == canvas.text)
            // Drawing the same canvas again changes no cell.
            let again = renderer.render(canvas)
            #expect(!again.contains("H\u{1B}[0") && !again.contains("[2J"))
        }
    }

    @Test(
        "A terminal that disagrees about a cluster's width still shows the plain text after it in its place",
        arguments: [VirtualTerminal.Opinion.narrowScalars, .wideScalars],
        simulationSeeds(10)
    )
    func disagreement(opinion: VirtualTerminal.Opinion, seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let terminal = VirtualTerminal(rows: 4, columns: 24, opinion) { ColumnWidth.columns(of: $0) }
        var renderer = ScreenRenderer(hasColors: true)
        var canvas = Canvas(size: ScreenSize(rows: 4, columns: 24))
        for _ in 0..<100 {
            for _ in 0...choices.below(4) {
                let style = choices.pick([TextStyle.plain, .bold])
                canvas.write(choices.pick(Self.pieces), row: choices.below(4), column: choices.below(24), style)
            }
            terminal.receive(renderer.render(canvas))
            for row in 0..<4 {
                for (column, cell) in canvas.row(row).enumerated() where cell.text.utf8.count == 1 && cell.text != " " {
                    #expect(terminal.rows[row][column] == cell.text, "row \(row), column \(column)")
                }
            }
        }
    }

    @Test(
        "Octets mean the same keys however they are cut, and nothing is pending once flushed",
        arguments: simulationSeeds(10)
    )
    func keys(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let parts: [[UInt8]] = [
            Array("\u{1B}".utf8), Array("[".utf8), Array("O".utf8), Array("1;5".utf8), Array("~".utf8), Array("A".utf8),
            Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8), Array("text漢é🚗".utf8), [0xC3], [0x80], [0xFF],
            [0xF0, 0x9F], Array("\r\t\u{7F}\u{3}".utf8), Array("\u{1B}b".utf8), Array(repeating: 0x31, count: 31),
        ]
        for _ in 0..<60 {
            let octets = (0..<12).flatMap { _ in choices.pick(parts) }
            var (whole, cut) = (KeyParser(), KeyParser())
            let keys = whole.receive(octets)
            var rest = octets[...]
            var pieces: [Key] = []
            while !rest.isEmpty {
                let count = 1 + choices.below(5)
                pieces += cut.receive(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(keys == pieces && whole.isPending == cut.isPending)
            #expect(whole.flush() == cut.flush() && !whole.isPending)
        }
    }

    @Test("A line keeps its limit and shows its cursor, whatever keys come", arguments: simulationSeeds(10))
    func editing(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let keys: [Key] = [
            .character("a"), .character("é"), .character("漢"), .character(" "), .character("\u{301}"), .text("one two"),
            .text("漢字 kanji"), .text("\u{1B}a\tb\u{2028}"), .enter, .backspace, .delete, .up, .down, .left, .right,
            .wordLeft, .wordRight, .home, .end, .control("w"), .control("u"), .control("k"), .alt("x"),
        ]
        for maximumLength in [0, 1, 5, 20, 512] {
            var editor = LineEditor(maximumLength: maximumLength, history: LineHistory(["older", "old 漢字"]))
            for _ in 0..<120 {
                _ = editor.receive(choices.pick(keys))
                #expect(editor.text.utf8.count <= maximumLength && editor.text == editor.before + editor.behind)
                let columns = 2 + choices.below(24)
                let (seen, cursor) = editor.visible(columns: columns)
                #expect(ColumnWidth.columns(of: seen) <= columns && cursor < columns)
            }
        }
    }

    @Test("Text is cut, filled up and broken to its columns", arguments: 0...12)
    func widths(columns: Int) {
        for piece in Self.pieces + ["Magic 8-Ball 漢字 two", "漢a漢", "a" + String(repeating: "\u{301}", count: 20)] {
            #expect(ColumnWidth.columns(of: ColumnWidth.truncated(piece, to: columns)) <= columns)
            #expect(ColumnWidth.columns(of: ColumnWidth.padded(piece, to: columns)) == columns)
            // A wide cluster does not fit into one column.
            guard columns != 1 else { continue }
            #expect(WrappedText.lines(piece, columns: columns).allSatisfy { ColumnWidth.columns(of: $0) <= columns })
        }
    }

    @Test("A list keeps its chosen row in sight", arguments: simulationSeeds(10))
    func scrolledList(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var list = ScrolledList()
        for _ in 0..<100 {
            let (count, rows) = (choices.below(9), choices.below(7))
            let chosen = count > 0 && !choices.once(in: 6) ? choices.below(count) : nil
            list.show(chosen, of: count, rows: rows)
            #expect(list.first >= 0)
            if let chosen, rows > 0 { #expect((list.first..<list.first + rows).contains(chosen)) }
        }
    }
}
