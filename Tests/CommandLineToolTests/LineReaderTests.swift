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

    private static func lines(_ octets: [UInt8]) -> [String] {
        // What is no line is of the test's own runner.
        String(decoding: octets, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    @Test("A question takes the next line alone; the end of input answers it, and is there for the reader, too")
    func questions() async throws {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            var take: (@MainActor (String?) -> Void)?
            let reader = LineReader { take = $0 }
            reader.onLine = { Console.print("line \($0 ?? "end")") }
            reader.prompt("a prompt")
            reader.ask("One?") { Console.print("answer \($0 ?? "end")") }
            take?("one")
            take?("two")
            reader.ask("Two?") { _ in Console.print("taken back") }
            reader.takeBack("never mind")
            take?("three")
            reader.ask("Three?") { Console.print("answer \($0 ?? "end")") }
            take?(nil)
            exit(0)
        }
        let process = try #require(result)
        #expect(
            Self.lines(process.standardOutputContent) == [
                "answer one", "line two", "line three", "answer end", "line end",
            ]
        )
        #expect(Self.lines(process.standardErrorContent) == ["One?", "Two?", "never mind", "Three?"])
    }

    @Test(
        "Of standard input, lines end with LF or CR LF, the last one also with the input; what is not UTF-8 is marked",
        arguments: ["", "a\nb\r\n\nc", "a\n", "\u{1}"]
    )
    func standardInput(text: String) async throws {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [text] in
            let input = Pipe()
            dup2(input.fileHandleForReading.fileDescriptor, STDIN_FILENO)
            // A control character stands for octets that are no text.
            let octets = text.utf8.flatMap { $0 == 1 ? [0x61, 0xFF, 0x0A] : [$0] }
            input.fileHandleForWriting.write(Data(octets))
            input.fileHandleForWriting.closeFile()
            let reader = LineReader()
            while let line = await reader.next() { Console.print("[\(line)]") }
            Console.print("interactive \(reader.isInteractive), at its end \(reader.isAtEnd)")
            exit(0)
        }
        let process = try #require(result)
        let lines: [String] =
            switch text {
            case "": []
            case "a\n": ["[a]"]
            case "\u{1}": ["[a\u{FFFD}]"]
            default: ["[a]", "[b]", "[]", "[c]"]
            }
        #expect(Self.lines(process.standardOutputContent) == lines + ["interactive false, at its end true"])
        let warnings = Self.lines(process.standardErrorContent)
        #expect(warnings.contains { $0.contains("is not UTF-8: U+FFFD stands for") } == (text == "\u{1}"))
    }
}
