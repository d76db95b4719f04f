import Fixtures
import Testing

@testable import TerminalScreen

@Suite("Key parser")
struct KeyParserTests {
    @Test(
        "reads keys from the octets of a terminal",
        arguments: [
            ("a", [.character("a")]), ("é", [.character("é")]), ("漢", [.character("漢")]), ("🚗", [.character("🚗")]),
            ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]),
            ("\u{3}", [.control("c")]), ("\u{1A}", [.control("z")]), ("\u{1C}", [.control("\\")]), ("\u{0}", []),
            ("\u{1B}[A", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}[C", [.right]), ("\u{1B}[D", [.left]),
            ("\u{1B}OA", [.up]), ("\u{1B}OH", [.home]), ("\u{1B}[H", [.home]), ("\u{1B}[F", [.end]),
            ("\u{1B}[1~", [.home]), ("\u{1B}[7~", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[3~", [.delete]),
            ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1B}[Z", [.backTab]),
            ("\u{1B}[1;5C", [.wordRight]), ("\u{1B}[1;3D", [.wordLeft]), ("\u{1B}[1;2C", [.right]),
            ("\u{1B}b", [.wordLeft]), ("\u{1B}f", [.wordRight]), ("\u{1B}x", [.alt("x")]),
            ("\u{1}", [.control("a")]), ("\u{1D}", []), ("\u{1F}", []), (" ", [.character(" ")]),
            ("~", [.character("~")]), ("\u{1B}[8~", [.end]), ("\u{1B}[2~", []), ("\u{1B}[~", []),
            ("\u{1B}OB", [.down]), ("\u{1B}OC", [.right]), ("\u{1B}OD", [.left]), ("\u{1B}OF", [.end]),
            ("\u{1B}OPx", [.character("x")]), ("\u{1B}[1;3C", [.wordRight]), ("\u{1B}[1;5D", [.wordLeft]),
            ("\u{1B}[1;2D", [.left]), ("\u{1B}[1D", [.left]), ("\u{1B}[;3C", [.wordRight]),
            ("\u{1B}\u{7F}", [.control("w")]), ("\u{1B}\u{8}", [.control("w")]), ("\u{1B} ", [.alt(" ")]),
            ("\u{1B}~", [.alt("~")]), ("\u{1B}\u{1F}x", [.escape, .character("x")]),
            ("\u{1B}é", [.escape, .character("é")]),
            ("\u{1B}[?25h", []), ("\u{1B}[ @x", [.character("x")]), ("\u{1B}[1\u{1B}[A", [.up]),
            ("\u{1B}[1\u{7F}x", [.character("x")]), ("\u{1B}[200~\u{1B}[201~x", [.character("x")]),
            ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}\r", [.escape, .enter]), ("\u{1B}[99~x", [.character("x")]),
            ("\u{1B}[200~a\u{1B}[Ab\u{1B}[201~c", [.text("a\u{1B}[Ab"), .character("c")]),
        ] as [(String, [Key])]
    )
    func keys(text: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.receive(text.utf8) == keys)
        // The result does not depend on how the octets are split.
        var slow = KeyParser()
        #expect(text.utf8.flatMap { slow.receive([$0]) } == keys)
    }

    @Test(
        "reads the first and the last character of each length in UTF-8 (RFC 3629)",
        arguments: ["\u{80}", "\u{7FF}", "\u{800}", "\u{FFFD}", "\u{10000}", "\u{10FFFF}"] as [Character]
    )
    func lengths(character: Character) {
        var parser = KeyParser()
        for octet in character.utf8.dropLast() { #expect(parser.receive([octet]) == []) }
        #expect(parser.receive(character.utf8.suffix(1)) == [.character(character)])
        #expect(parser.flush() == [] && !parser.isPending)
        // An incomplete one is dropped at the next one.
        #expect(parser.receive(character.utf8.dropLast() + Array("é".utf8)) == [.character("é")])
    }

    @Test("takes a control sequence of up to 32 octets", arguments: [32, 33])
    func sequenceLength(count: Int) {
        var parser = KeyParser()
        let keys = parser.receive(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: count) + Array("A".utf8))
        #expect(keys == (count == 32 ? [.up] : [.character("A")]))
    }

    @Test(
        "keeps 4,096 octets of a pasted text",
        arguments: [4095, 4096, 4097, 10_000]
    )
    func pasteLength(count: Int) {
        let text = String((0..<count).map { Character(UnicodeScalar(UInt8(0x61 + $0 % 26))) })
        var parser = KeyParser()
        #expect(
            parser.receive("\u{1B}[200~\(text)\u{1B}[201~x".utf8) == [
                .text(String(text.prefix(4096))), .character("x"),
            ]
        )
    }

    @Test("takes a lone Escape when it is flushed")
    func escape() {
        var parser = KeyParser()
        #expect(parser.receive([0x1B]) == [])
        #expect(parser.isPending)
        #expect(parser.flush() == [.escape])
        #expect(!parser.isPending)
        #expect(parser.receive("[".utf8) == [.character("[")])
    }

    @Test(
        "leaves out octets that are not UTF-8",
        arguments: [[0xFF], [0xC3, 0x28], [0xE2, 0x82], [0x80], [0xED, 0xA0, 0x80]] as [[UInt8]]
    )
    func malformed(octets: [UInt8]) {
        var parser = KeyParser()
        let keys = parser.receive(octets + Array("xy".utf8))
        #expect(keys.suffix(2) == [.character("x"), .character("y")])
        #expect(keys.dropLast(2).allSatisfy { $0 == .character("(") })
    }
}
