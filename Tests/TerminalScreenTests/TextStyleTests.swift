import Testing

@testable import TerminalScreen

@Suite("Text style")
struct TextStyleTests {
    @Test(
        "selects bold, dim, reversed and the colour by one control sequence, which omits the colour if there are none",
        arguments: [
            (TextStyle.plain, "0", "0"), (.bold, "0;1", "0;1"), (.dim, "0;2", "0;2"), (.reversed, "0;7", "0;7"),
            (.plain.colored(.red), "0;31", "0"), (TextStyle(color: .cyan, isBold: true), "0;1;36", "0;1"),
            (TextStyle(color: .green, isBold: true, isDim: true, isReversed: true), "0;1;2;7;32", "0;1;2;7"),
        ]
    )
    func sequences(style: TextStyle, colored: String, plain: String) {
        #expect(style.controlSequence(hasColors: true) == "\u{1B}[\(colored)m")
        #expect(style.controlSequence(hasColors: false) == "\u{1B}[\(plain)m")
    }
}

@Suite("Line history")
struct LineHistoryTests {
    @Test(
        "keeps the last hundred lines, none of them empty, and none twice in a row",
        arguments: [0, 1, 100, 101, 250]
    )
    func limit(count: Int) {
        let lines = (0..<count).map { "line \($0)" }
        #expect(LineHistory(lines.flatMap { [$0, $0, ""] }).lines == lines.suffix(100))
    }
}
