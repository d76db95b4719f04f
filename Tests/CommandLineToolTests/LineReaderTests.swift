import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("A reader of lines")
@MainActor
struct LineReaderTests {
    /// A reader, and a function that gives it lines.
    private func reader() -> (LineReader, @MainActor (String?) -> Void) {
        var take: (@MainActor (String?) -> Void)?
        let reader = LineReader { take = $0 }
        return (reader, { take?($0) })
    }

    @Test("keeps lines in order until they are handled, and reports the end of the input")
    func waiting() {
        let (reader, type) = reader()
        type("one")
        type("two")
        #expect(!reader.isAtEnd)
        var taken: [String?] = []
        reader.onLine = { taken.append($0) }
        #expect(taken == ["one", "two"])
        type("three")
        type(nil)
        #expect(taken == ["one", "two", "three", nil] && reader.isAtEnd)
    }

    @Test("gives the remaining lines to the next handler, or to none")
    func others() {
        let (reader, type) = reader()
        for line in ["one", "two", "three", "four"] { type(line) }
        var taken: [String] = []
        reader.onLine = { line in
            taken.append("first \(line ?? "")")
            reader.onLine = { line in
                taken.append("second \(line ?? "")")
                if line == "three" { reader.onLine = nil }
            }
        }
        #expect(taken == ["first one", "second two", "second three"])
        reader.onLine = { taken.append("third \($0 ?? "")") }
        #expect(taken.last == "third four" && taken.count == 4)
    }

    @Test("returns one line for each awaited one")
    func next() async {
        let (reader, type) = reader()
        type("one")
        type("two")
        #expect(await reader.next() == "one")
        #expect(await reader.next() == "two")
        type(nil)
        #expect(await reader.next() == nil)
    }

    @Test("delivers lines one by one, including those that arrive meanwhile")
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
        // Lines that arrive later are delivered, too.
        type("three")
        #expect(calls.suffix(2) == ["begin three", "done three"])
    }

    @Test(
        "recognizes a line that asks for the end",
        arguments: [
            ("quit", true), ("exit", true), ("q", true), (" Q ", true), ("QUIT", true), ("quit?", false), ("", false),
            ("qu", false),
        ]
    )
    func quitting(line: String, isQuit: Bool) {
        #expect(LineReader.isQuit(line) == isQuit)
    }
}
