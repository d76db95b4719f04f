// How much of a line the word at its end has, as it was typed, and whether a quotation mark is open: what the Tab key
// replaces.

import Fixtures
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The word at the end of a line of a session")
struct SessionLineLengthTests {
    @Test(
        "Its length counts quotation marks and backslashes, and the spaces in it; behind a space it is none",
        arguments: [
            ("", 0, false, []), ("a", 1, false, ["a"]), ("ab ", 0, false, ["ab"]), ("ab  c", 1, false, ["ab", "c"]),
            ("\"a b\"", 5, false, ["a b"]), ("\"a b", 4, true, ["a b"]), ("a\\ b", 4, false, ["a b"]),
            ("x a\\ b", 4, false, ["x", "a b"]), ("a \"", 1, true, ["a", ""]), ("a \"\"", 2, false, ["a", ""]),
            ("'a\"b", 4, true, ["a\"b"]), ("'a\"b'", 5, false, ["a\"b"]), ("a\\", 2, false, ["a"]),
            ("a\\\"b", 4, false, ["a\"b"]), ("\"a\\\"", 4, true, ["a\""]), ("a' 'b", 5, false, ["a b"]),
        ] as [(String, Int, Bool, [String])]
    )
    func lengths(text: String, length: Int, isOpen: Bool, words: [String]) {
        let line = SessionLine(text)
        #expect(line.lastLength == length)
        #expect(line.isOpen == isOpen)
        #expect(line.words == words)
    }

    @Test("What stands before it is given with it, in its own spelling")
    func completion() {
        for (text, before, word) in [
            ("", [], ""), ("re", [], "re"), ("read ", ["read"], ""), ("read FF", ["read"], "FF"),
            ("read \"Battery L", ["read"], "Battery L"), ("read \"a b\" c\\ d", ["read", "a b"], "c d"),
            ("read a ", ["read", "a"], ""),
        ] as [(String, [String], String)] {
            var given: [String] = []
            let completion = SessionLine(text).completion { before, word in
                given = before + [word]
                return []
            }
            #expect(given == before + [word], "\(text)")
            #expect(completion.candidates.isEmpty)
            #expect(completion.replacedCount == SessionLine(text).lastLength)
        }
    }
}
