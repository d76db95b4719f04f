// Lines in: who gets which line, where one is asked for beside the one who reads them all.

import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("A reader of lines")
@MainActor
struct LineReaderTests {
    /// A reader, and what gives it lines.
    private func reader() -> (LineReader, @MainActor (String?) -> Void) {
        var take: (@MainActor (String?) -> Void)?
        let reader = LineReader { take = $0 }
        return (reader, { take?($0) })
    }

    @Test("Lines wait for who takes them, in their order; the end of input is known when it comes")
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

    @Test("Who takes a line may leave the rest to another one, or to nobody")
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

    @Test("Each awaited line is one; without a person there is no prompt")
    func next() async {
        let (reader, type) = reader()
        type("one")
        type("two")
        #expect(await reader.next() == "one")
        #expect(await reader.next() == "two")
        type(nil)
        #expect(await reader.next() == nil)
    }
}
