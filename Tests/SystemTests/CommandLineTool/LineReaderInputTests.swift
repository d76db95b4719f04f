import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("A reader of lines of a process")
struct LineReaderInputTests {
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
