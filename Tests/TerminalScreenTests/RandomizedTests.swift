// What a terminal's screen is made of, on record: all octets into the reader of keys, random keys into a line, random text
// into a canvas, and each canvas on a terminal after the one before, also one of another size.

import Fixtures
import Testing

@testable import TerminalScreen

@Suite("A screen at random")
struct RandomizedTests {
    /// Pieces of text of every kind.
    static let pieces = [
        "a", "bc", "Kitchen", " ", "   ", "é", "漢", "漢字", "🚗", "👨‍👩‍👧", "❤️", "🇩🇪", "👍🏽", "-45 dBm", "▂▄▆█", "ｱ", "한", "~",
        "\u{7F}", "\u{1B}[2J", "\u{301}", "e\u{301}", "a\tb", "x y  z", "",
        "c" + String(repeating: "\u{301}", count: 20),
    ]

    static let keys: [Key] =
        [
            .character("a"), .character("b"), .character("é"), .character("漢"), .character(" "), .character("\u{301}"),
            .character(" "), .character("?"), .text("one two  three"), .text("漢字 kanji"), .text("\u{1B}a\tb\u{2028}"),
            .text(""),
            .enter, .tab, .backTab, .backspace, .delete, .escape, .up, .down, .left, .right, .wordLeft, .wordRight,
            .home,
            .end, .pageUp, .pageDown, .left, .left, .wordLeft, .backspace, .up, .up, .down, .alt("x"),
        ] + "abcdefghknpuwz\\".map { .control($0) }

    private static func words(_ style: TextStyle) -> String {
        "\(style.color.map { String($0.rawValue) } ?? "-")\(style.isBold ? "b" : "")\(style.isDim ? "d" : "")\(style.isReversed ? "r" : "")"
    }

    private static func words(_ canvas: Canvas) -> String {
        let cells = canvas.cells.map { "\($0.text):\(Self.words($0.style))" }.joined(separator: "|")
        return "\(canvas.text) \(canvas.cursor.map { "\($0.row),\($0.column)" } ?? "-") \(cells)"
    }

    private static func style(_ generator: inout Generator) -> TextStyle {
        var style = [TextStyle.plain, .bold, .dim, .reversed].randomElement(using: &generator)!
        if Bool.random(using: &generator) {
            style = style.colored(TextColor(rawValue: .random(in: 0...7, using: &generator))!)
        }
        return style
    }

    // MARK: Keys

    @Test("Each octet behind each beginning of a sequence")
    func octets() {
        let beginnings: [[UInt8]] = [
            [], [0x1B], Array("\u{1B}[".utf8), Array("\u{1B}[1".utf8), Array("\u{1B}[1;".utf8),
            Array("\u{1B}[1;5".utf8),
            Array("\u{1B}O".utf8), Array("\u{1B}[200~".utf8), Array("\u{1B}[200~a\u{1B}[201".utf8),
            Array("\u{1B}[200".utf8),
            [0xC3], [0xE2], [0xE2, 0x82], [0xF0], [0xF0, 0x9F], [0xF0, 0x9F, 0x9A], [0x1B, 0x1B], [0x1B, 0xC3],
        ]
        for beginning in beginnings {
            for octet in 0...255 as ClosedRange<UInt8> {
                var parser = KeyParser()
                var keys = parser.receive(beginning + [octet])
                let isPending = parser.isPending
                keys += parser.flush()
                let behind = parser.receive("x\u{1B}[201~y".utf8)
                RunRecord.note("\(beginning.hex) \(octet) \(keys) \(isPending) \(behind)")
                #expect(!parser.isPending)
            }
        }
    }

    @Test("Each control sequence with up to two numbers")
    func sequences() {
        let numbers = (0...10).map(String.init) + ["", "20", "200", "201", "99999999999999999999"]
        for first in numbers {
            for second in ["-", ""] + (0...6).map({ ";\($0)" }) {
                for final in 0x40...0x7E as ClosedRange<UInt8> {
                    var parser = KeyParser()
                    let octets = Array("\u{1B}[\(first)\(second == "-" ? "" : second)".utf8) + [final]
                    RunRecord.note("\(octets.hex) \(parser.receive(octets)) \(parser.receive("x".utf8))")
                }
            }
        }
    }

    @Test(
        "Octets of every kind in pieces of every length mean what they mean at once",
        arguments: 1...10 as ClosedRange<UInt64>
    )
    func streams(seed: UInt64) {
        var generator = Generator(state: seed)
        let parts: [[UInt8]] = [
            Array("\u{1B}".utf8), Array("[".utf8), Array("O".utf8), Array("1;5".utf8), Array("~".utf8), Array("A".utf8),
            Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8), Array("text".utf8), Array("漢é🚗".utf8), [0xC3], [0x80],
            [0xFF],
            [0xF0, 0x9F], Array("\r\t\u{7F}\u{3}".utf8), Array("\u{1B}b".utf8), Array(repeating: 0x31, count: 31),
        ]
        for _ in 0..<60 {
            let octets = (0..<12).flatMap { _ in parts.randomElement(using: &generator)! }
            var whole = KeyParser()
            let keys = whole.receive(octets)
            var slow = KeyParser()
            var rest = octets[...]
            var pieces: [Key] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...5, using: &generator)
                pieces += slow.receive(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(keys == pieces && whole.isPending == slow.isPending)
            RunRecord.note("\(octets.hex) \(keys) \(whole.isPending) \(whole.flush())")
        }
    }

    // MARK: Lines

    @Test("A line and its history after each key, and what of it is seen", arguments: [0, 1, 5, 6, 20, 512])
    func editing(maximumLength: Int) {
        for seed in 1...8 as ClosedRange<UInt64> {
            var generator = Generator(state: seed)
            var editor = LineEditor(maximumLength: maximumLength, history: LineHistory(["older", "old 漢字"]))
            for _ in 0..<120 {
                let key = Self.keys.randomElement(using: &generator)!
                let outcome = editor.receive(key)
                let columns = Int.random(in: 0...24, using: &generator)
                let (seen, cursor) = editor.visible(columns: columns)
                RunRecord.note("\(key) \(outcome) \(editor.before)|\(editor.behind) \(columns) \(seen) \(cursor)")
                #expect(editor.text.utf8.count <= maximumLength)
                guard Int.random(in: 0..<8, using: &generator) == 0 else { continue }
                let candidates = [["read"], ["read", "rssi"], ["read", "reads"], [], ["漢字", "漢"], ["re", "re"]]
                let completion = LineCompletion(
                    replacedCount: Int.random(in: 0...3, using: &generator),
                    candidates: candidates.randomElement(using: &generator)!
                )
                RunRecord.note("\(completion) \(editor.complete(completion)) \(editor.before)|\(editor.behind)")
            }
        }
    }

    @Test("A line with its prompt in each number of columns")
    @MainActor
    func prompts() {
        for prompt in ["", "> ", "long: ", "日本> "] {
            for keys in [
                [], [.text("a")], [.text("abcdefghijklmnop")], [.text("日本語日本語"), .left, .left], [.text("ab"), .home],
            ]
                as [[Key]]
            {
                var editor = LineEditor()
                for key in keys { _ = editor.receive(key) }
                for columns in -1...24 {
                    RunRecord.note(
                        "\(prompt) \(keys) \(columns) \(PromptLine.octets(prompt, editor, columns: columns))"
                    )
                }
            }
        }
    }

    @Test("Candidates in columns, in each width")
    func tables() {
        let words = ["a", "read", "rssi", "漢字", "notify", "z"]
        for count in 0...words.count {
            for columns in 0...40 {
                RunRecord.note(
                    "\(count) \(columns) \(LineCompletion.table(Array(words.prefix(count)), columns: columns))"
                )
            }
        }
        #expect(LineCompletion.table(["ab", "cd", "e"], columns: 6) == "ab\ncd\ne")
        #expect(LineCompletion.table(["ab", "cd", "e"], columns: 7) == "ab  e\ncd")
    }

    // MARK: Text

    @Test("Text in too few columns, in as many as it needs, and in more")
    func widths() {
        for piece in Self.pieces + ["Magic 8-Ball 漢字 two", "漢a漢"] {
            for columns in 0...12 {
                let truncated = ColumnWidth.truncated(piece, to: columns)
                let padded = ColumnWidth.padded(piece, to: columns)
                #expect(ColumnWidth.columns(of: truncated) <= columns && ColumnWidth.columns(of: padded) == columns)
                RunRecord.note(
                    "\(piece) \(columns) \(truncated) \(padded) \(Canvas.lines(of: piece, columns: columns))"
                )
            }
            RunRecord.note("\(piece) \(ColumnWidth.columns(of: piece)) \(piece.map { ColumnWidth.columns(of: $0) })")
        }
        for columns in -1...30 {
            RunRecord.note(
                "\(columns) \(Canvas.lines(of: "Will the sun  shine 漢字漢字漢字 on all-of-us?", columns: columns))"
            )
        }
    }

    @Test("Lines with styles, cut, with and without colours, and on a canvas", arguments: 1...4 as ClosedRange<UInt64>)
    func styledLines(seed: UInt64) {
        var generator = Generator(state: seed)
        for _ in 0..<40 {
            var line = StyledText(Self.pieces.randomElement(using: &generator)!, Self.style(&generator))
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let piece = Self.pieces.randomElement(using: &generator)!
                if Bool.random(using: &generator) {
                    line.append(piece, Self.style(&generator))
                } else {
                    line.append(StyledText(piece, Self.style(&generator)))
                }
            }
            for columns in [0, 1, 2, 3, 5, 8, 13, 30] {
                let cut = line.truncated(to: columns)
                var canvas = Canvas(size: ScreenSize(rows: 2, columns: 8))
                cut.draw(on: &canvas, row: Int.random(in: 0...2, using: &generator))
                #expect(ColumnWidth.columns(of: cut.text) <= columns)
                RunRecord.note(
                    "\(columns) \(cut.rendered(hasColors: true)) \(cut.rendered(hasColors: false)) \(Self.words(canvas))"
                )
            }
        }
    }

    @Test("Each style as its control sequence, with and without colours")
    func styles() {
        for color in [nil] + (0...7).map({ TextColor(rawValue: $0) }) {
            for bits in 0..<8 {
                let style = TextStyle(
                    color: color,
                    isBold: bits & 1 != 0,
                    isDim: bits & 2 != 0,
                    isReversed: bits & 4 != 0
                )
                RunRecord.note(
                    "\(Self.words(style)) \(style.controlSequence(hasColors: true)) \(style.controlSequence(hasColors: false))"
                )
            }
        }
    }

    // MARK: Canvases

    @Test(
        "A canvas after each drawing, inside of it and across its edges, and on a terminal",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func drawing(seed: UInt64) {
        var generator = Generator(state: seed)
        var renderer = ScreenRenderer(hasColors: seed % 2 == 0)
        var canvas = Canvas(size: ScreenSize(rows: 3, columns: 12))
        for _ in 0..<60 {
            if Int.random(in: 0..<12, using: &generator) == 0 {
                let (rows, columns) = (
                    Int.random(in: -1...4, using: &generator), Int.random(in: -1...16, using: &generator)
                )
                canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
                #expect(canvas.size == ScreenSize(rows: max(0, rows), columns: max(0, columns)))
            }
            if Int.random(in: 0..<12, using: &generator) == 0 { renderer.invalidate() }
            let result = Self.draw(on: &canvas, using: &generator)
            RunRecord.note("\(result) \(Self.words(canvas)) \(renderer.render(canvas)) \(renderer.render(canvas))")
        }
    }

    private static func draw(on canvas: inout Canvas, using generator: inout Generator) -> Int {
        let piece = Self.pieces.randomElement(using: &generator)!
        let row = Int.random(in: -1...canvas.size.rows, using: &generator)
        let column = Int.random(in: -1...canvas.size.columns, using: &generator)
        let style = Self.style(&generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: return canvas.write(piece, row: row, column: column, style)
        case 1, 2:
            let columns = Int.random(in: -1...6, using: &generator)
            return canvas.write(piece + piece, row: row, column: column, style, columns: columns)
        case 3:
            let signs: [Character] = [" ", "─", "漢", "\u{7F}", "x"]
            canvas.fill(row: row, from: column, with: signs.randomElement(using: &generator)!, style)
        case 4:
            let text = "Will it rain \(piece) today, and tomorrow 漢字?"
            let (columns, rows) = (Int.random(in: 0...9, using: &generator), Int.random(in: 0...3, using: &generator))
            return canvas.write(paragraph: text, row: row, column: column, columns: columns, rows: rows, style)
        case 5:
            var editor = LineEditor()
            editor.set(piece + " " + piece)
            if Bool.random(using: &generator) { _ = editor.receive(.wordLeft) }
            editor.draw(
                on: &canvas,
                row: row,
                column: column,
                columns: Int.random(in: -1...8, using: &generator),
                style
            )
        default:
            canvas.cursor =
                Bool.random(using: &generator) ? ScreenPosition(row: max(0, row), column: max(0, column)) : nil
        }
        return 0
    }

    @Test("A history keeps the last hundred lines, none of them empty and none twice in a row")
    func history() {
        for count in [0, 1, 99, 100, 101, 250] {
            let lines = (0..<count).flatMap { ["line \($0 / 2)", $0 % 5 == 0 ? "" : "odd \($0)"] }
            let history = LineHistory(lines)
            RunRecord.note("\(count) \(history.lines)")
            #expect(history.lines.count <= 100 && !history.lines.contains(""))
        }
    }
}
