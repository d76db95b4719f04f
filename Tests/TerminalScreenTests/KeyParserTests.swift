import Testing

@testable import TerminalScreen

@Suite("Key parser")
struct KeyParserTests {
    @Test(
        "Keys by the octets of a terminal",
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
            ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}\r", [.escape, .enter]), ("\u{1B}[99~x", [.character("x")]),
            ("\u{1B}[200~a\u{1B}[Ab\u{1B}[201~c", [.text("a\u{1B}[Ab"), .character("c")]),
        ] as [(String, [Key])]
    )
    func keys(text: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.receive(text.utf8) == keys)
        // However the octets are cut, they mean the same.
        var slow = KeyParser()
        #expect(text.utf8.flatMap { slow.receive([$0]) } == keys)
    }

    @Test("A lone Escape is one when nothing has come for a while")
    func escape() {
        var parser = KeyParser()
        #expect(parser.receive([0x1B]) == [])
        #expect(parser.isPending)
        #expect(parser.flush() == [.escape])
        #expect(!parser.isPending)
        #expect(parser.receive("[".utf8) == [.character("[")])
    }

    @Test(
        "What is not UTF-8 is left out, and what follows is read",
        arguments: [[0xFF], [0xC3, 0x28], [0xE2, 0x82], [0x80], [0xED, 0xA0, 0x80]] as [[UInt8]]
    )
    func malformed(octets: [UInt8]) {
        var parser = KeyParser()
        let keys = parser.receive(octets + Array("xy".utf8))
        #expect(keys.suffix(2) == [.character("x"), .character("y")])
        #expect(keys.dropLast(2).allSatisfy { $0 == .character("(") })
    }

    @Test("A sequence without an end is given up, and one that is pasted without an end keeps no more than its limit")
    func endless() {
        var parser = KeyParser()
        let endless = Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 100) + Array("x".utf8)
        #expect(parser.receive(endless).last == .character("x"))
        var paste = KeyParser()
        let pasted = Array("\u{1B}[200~".utf8) + Array(repeating: 0x61, count: 10_000) + Array("\u{1B}[201~".utf8)
        let keys = paste.receive(pasted)
        guard case .text(let text)? = keys.first, keys.count == 1 else {
            Issue.record("\(keys.count) keys")
            return
        }
        #expect(text.count == 4096)
    }
}
