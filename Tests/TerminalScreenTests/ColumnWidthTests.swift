import Fixtures
import Testing

@testable import TerminalScreen

@Suite("Column width")
struct ColumnWidthTests {
    @Test(
        "has the columns of the first visible scalar",
        arguments: [
            ("a", 1), ("~", 1), (" ", 1), ("é", 1), ("e\u{301}", 1), ("ß", 1), ("漢", 2), ("ｱ", 1), ("Ａ", 2), ("🚗", 2),
            ("👨‍👩‍👧", 2), ("👍🏽", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{200D}", 0), ("\u{301}", 0),
            // A character with an emoji selector, and a flag, have two columns.
            ("\u{2764}", 1), ("\u{2764}\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2), ("🇩🇪", 2), ("🇩", 1),
        ] as [(Character, Int)]
    )
    func clusters(character: Character, columns: Int) {
        #expect(ColumnWidth.columns(of: character) == columns)
    }

    @Test("has the columns of the next scalar if the C library does not know the first")
    func unknownScalars() throws {
        // Characters that form one cluster with the letter after them (Unicode Standard Annex 29, Prepend); C libraries
        // differ in which of them they know.
        for value in [0x0600, 0x06DD, 0x0D4E, 0x110BD, 0x11A3A, 0x11F02, 0x113D1] as [UInt32] {
            let sign = try #require(Unicode.Scalar(value))
            let text = String(String.UnicodeScalarView([sign, "漢"]))
            guard text.count == 1, let cluster = text.first else { continue }
            let columns = ColumnWidth.columns(of: Character(sign))
            #expect(ColumnWidth.columns(of: cluster) == (columns > 0 ? columns : 2), "U+\(String(value, radix: 16))")
        }
    }

    @Test(
        "gives no column to characters that move a terminal's cursor",
        arguments: [
            "\u{1B}", "\n", "\r\n", "\u{7F}", "\u{85}", "\u{9B}", "\u{202E}", "\u{0}", "\u{1F}",
            // A selector without a character, and after an accent without a letter.
            "\u{FE0F}", "\u{301}\u{FE0F}",
        ] as [Character]
    )
    func controls(character: Character) {
        #expect(ColumnWidth.columns(of: character) == 0)
    }

    @Test(
        "cuts a text with an ellipsis so that it fits",
        arguments: [
            ("Kitchen", 7, "Kitchen"), ("Kitchen", 6, "Kitch…"), ("漢字漢字", 8, "漢字漢字"), ("漢字漢字", 7, "漢字漢…"),
            ("漢字漢字", 6, "漢字…"), ("Kitchen", 1, "…"), ("Kitchen", 0, ""),
        ]
    )
    func truncation(text: String, columns: Int, result: String) {
        #expect(ColumnWidth.truncated(text, to: columns) == result)
    }
}
