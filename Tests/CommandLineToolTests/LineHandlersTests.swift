// Who gets a line while a handler of lines still runs: lines are handed over one after the other, never one inside of
// another.

import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("Handlers of lines that change while they run")
@MainActor
struct LineHandlersTests {
    /// A reader, and what gives it lines.
    private func reader() -> (LineReader, @MainActor (String?) -> Void) {
        var take: (@MainActor (String?) -> Void)?
        let reader = LineReader { take = $0 }
        return (reader, { take?($0) })
    }

    @Test("A handler that installs another one has returned before that gets the next line")
    func installing() {
        let (reader, type) = reader()
        for line in ["one", "two", "three"] { type(line) }
        var calls: [String] = []
        reader.onLine = { line in
            calls.append("first \(line ?? "end")")
            reader.onLine = { calls.append("second \($0 ?? "end")") }
            calls.append("first returns")
        }
        #expect(calls == ["first one", "first returns", "second two", "second three"])
    }

    @Test("A line that comes while one is handled waits until that is done")
    func coming() {
        let (reader, type) = reader()
        var calls: [String] = []
        reader.onLine = { line in
            calls.append("begin \(line ?? "end")")
            if line == "one" {
                type("two")
                type(nil)
            }
            calls.append("done \(line ?? "end")")
        }
        type("one")
        #expect(calls == ["begin one", "done one", "begin two", "done two", "begin end", "done end"])
        #expect(reader.isAtEnd)
        // The reader hands over what comes later, too.
        type("three")
        #expect(calls.suffix(2) == ["begin three", "done three"])
    }
}
