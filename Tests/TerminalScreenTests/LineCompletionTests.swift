import Fixtures
import Testing

@testable import TerminalScreen

@Suite("Completion")
struct LineCompletionTests {
    /// The line after Tab with `|` for its cursor, and the list of candidates.
    private func complete(_ text: String, _ replaced: Int, _ candidates: [String]) -> (String, [String]) {
        var editor = LineEditor()
        _ = editor.receive(.text(text))
        _ = editor.receive(.left)
        let listed = editor.complete(LineCompletion(replacedCount: replaced, candidates: candidates))
        return (editor.before + "|" + editor.behind, listed)
    }

    @Test("replaces the word by the only candidate or the common beginning, else lists the candidates")
    func candidates() {
        #expect(complete("reX", 2, ["read"]) == ("read |X", []))
        #expect(complete("reX", 2, ["READ"]) == ("READ |X", []))
        #expect(complete("readX", 4, ["read"]) == ("read |X", []), "whole already")
        #expect(complete("readX", 4, ["read", "reader"]) == ("read|X", ["read", "reader"]))
        #expect(complete("read tX", 1, ["Temperature", "Tempo"]) == ("read Temp|X", []))
        #expect(complete("rX", 1, ["read", "rssi"]) == ("r|X", ["read", "rssi"]))
        #expect(complete("X", 0, ["read", "rssi"]) == ("r|X", []))
        #expect(complete("zX", 1, []) == ("z|X", []))
        // No more than the line has can be replaced.
        #expect(complete("rX", 2, ["read"]) == ("r|X", []))
    }

    @Test("lists candidates downwards in as many columns as fit")
    func table() {
        #expect(LineCompletion.table(["a", "bb", "c", "d", "e"], columns: 11) == "a   c   e\nbb  d")
        // The last column has no spaces after it.
        #expect(LineCompletion.table(["a", "bb", "c", "d", "e"], columns: 10) == "a   d\nbb  e\nc")
        #expect(LineCompletion.table(["a", "b", "c"], columns: 8) == "a  b  c")
        #expect(LineCompletion.table(["a", "b", "c"], columns: 7) == "a  c\nb")
        #expect(LineCompletion.table(["a", "bb", "c"], columns: 3) == "a\nbb\nc")
        #expect(LineCompletion.table(["日本", "b"], columns: 20) == "日本  b")
        #expect(LineCompletion.table([], columns: 20) == "")
    }
}
