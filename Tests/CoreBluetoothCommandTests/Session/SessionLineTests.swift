import CommandLineTool
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("A line of a session")
struct SessionLineTests {
    @Test(
        "has words, the length of the last one as it was typed, and perhaps an open quotation mark",
        arguments: [
            ("", 0, false, []), ("a", 1, false, ["a"]), ("ab ", 0, false, ["ab"]), ("ab  c", 1, false, ["ab", "c"]),
            ("\"a b\"", 5, false, ["a b"]), ("\"a b", 4, true, ["a b"]), ("a\\ b", 4, false, ["a b"]),
            ("x a\\ b", 4, false, ["x", "a b"]), ("a \"", 1, true, ["a", ""]), ("a \"\"", 2, false, ["a", ""]),
            ("'a\"b", 4, true, ["a\"b"]), ("'a\"b'", 5, false, ["a\"b"]), ("a\\", 2, false, ["a"]),
            ("   ", 0, false, []), ("read  FFF1 ", 0, false, ["read", "FFF1"]),
            ("read \"Battery Level\"", 15, false, ["read", "Battery Level"]), ("\"it's\"", 6, false, ["it's"]),
            ("write FFF1 \"\"", 2, false, ["write", "FFF1", ""]), ("read 'Battery", 8, true, ["read", "Battery"]),
            ("a\\\"b", 4, false, ["a\"b"]), ("\"a\\\"", 4, true, ["a\""]), ("a' 'b", 5, false, ["a b"]),
        ] as [(String, Int, Bool, [String])]
    )
    func lengths(text: String, length: Int, isOpen: Bool, words: [String]) {
        let line = SessionLine(text)
        #expect(line.lastLength == length)
        #expect(line.isOpen == isOpen)
        #expect(line.words == words)
    }

    @Test("quotes a word so that it can be typed", arguments: ["a b", "\"", "\\", "", "plain", "it's"])
    func quotation(word: String) {
        #expect(SessionLine(SessionLine.quoted(word)).words == [word])
        #expect((SessionLine.quoted(word) == word) == (word == "plain"))
    }

    @Test("completes the last word in any case, quoted if it has to be")
    func completion() {
        func completion(_ text: String) -> LineCompletion {
            SessionLine(text).completion { before, _ in
                before == ["read"] ? ["Battery Level", "2A19", "Bottom", "2A19"] : ["read", "rssi"]
            }
        }
        #expect(completion("R") == LineCompletion(replacedCount: 1, candidates: ["read", "rssi"]))
        #expect(completion("read ba") == LineCompletion(replacedCount: 2, candidates: ["\"Battery Level\""]))
        #expect(completion("read \"Ba") == LineCompletion(replacedCount: 3, candidates: ["\"Battery Level\""]))
        let all = ["\"Battery Level\"", "2A19", "Bottom"]
        #expect(completion("read ") == LineCompletion(replacedCount: 0, candidates: all))
        #expect(completion("read x").candidates.isEmpty)
    }
}
