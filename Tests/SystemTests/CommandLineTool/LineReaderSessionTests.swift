import Fixtures
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable import CommandLineTool

@Suite("A reader of lines in a process")
struct LineReaderSessionTests {
    @Test("gives a question only the next line, or the end of the input")
    func answers() async throws {
        let process = try await #require(processExitsWith: .success, observing: .outputs) { @MainActor in
            var take: (@MainActor (String?) -> Void)?
            let reader = LineReader { take = $0 }
            // A waiting line answers a question; withdrawing a question after its answer consumes no line.
            for line in ["waiting", "second"] { take?(line) }
            reader.ask("Sure? ") { Console.print("answer \($0 ?? "end")") }
            reader.onLine = { Console.print("line \($0 ?? "end")") }
            reader.takeBack("never mind")
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
        #expect(
            process.lines == [
                "answer waiting", "line second", "answer one", "line two", "line three", "answer end", "line end",
            ]
        )
        #expect(process.errorLines == ["Sure? ", "never mind", "One?", "Two?", "never mind", "Three?"])
    }

    @Test(
        "reads lines that end with LF, CR LF or the input, and warns of what is not UTF-8",
        arguments: ["", "a\nb\r\n\nc", "\u{1}"]
    )
    func standardInput(text: String) async throws {
        let process = try await #require(processExitsWith: .success, observing: .outputs) { @MainActor [text] in
            let input = Pipe()
            dup2(input.fileHandleForReading.fileDescriptor, STDIN_FILENO)
            // A control character stands for octets that are not UTF-8.
            let octets = text.utf8.flatMap { $0 == 1 ? [0x61, 0xFF, 0x0A] : [$0] }
            input.fileHandleForWriting.write(Data(octets))
            input.fileHandleForWriting.closeFile()
            let reader = LineReader()
            while let line = await reader.next() { Console.print("[\(line)]") }
            Console.print("interactive \(reader.isInteractive), at its end \(reader.isAtEnd)")
            exit(0)
        }
        let lines: [String] =
            switch text {
            case "": []
            case "\u{1}": ["[a\u{FFFD}]"]
            default: ["[a]", "[b]", "[]", "[c]"]
            }
        #expect(process.lines == lines + ["interactive false, at its end true"])
        let warnings = process.errorLines
        #expect(warnings.contains { $0.contains("is not UTF-8: invalid octets") } == (text == "\u{1}"))
    }

    /// A reader at the terminal of the process's session; the test reports to standard error.
    @MainActor
    private final class Editor {
        let reader: LineReader
        let history: HistoryFile?
        let terminal: TestTerminal

        init(_ folder: String) throws {
            setenv("TERM", "xterm", 1)
            terminal = try TestTerminal(at: [STDIN_FILENO, STDOUT_FILENO], isControlling: true, isPlain: true)
            history = HistoryFile("test") { $0 == "XDG_STATE_HOME" ? folder : nil }
            reader = LineReader(history: history)
        }
    }

    @Test("replaces the line by a question, and shows it again after the answer")
    func questions() async throws {
        let folder = try TemporaryFolder()
        let path: String = folder.path
        let result = try await #require(
            processExitsWith: .exitCode(0),
            observing: [\.standardErrorContent]
        ) { @MainActor [path = path as String] in
            let session = try Editor(path)
            let reader = session.reader
            reader.onLine = { Console.report("line \($0 ?? "end")") }
            Console.report("\(reader.isInteractive) \(reader.isAtEnd)")
            reader.prompt("> ")
            session.terminal.type("on")
            await session.terminal.wait(for: "> on")
            reader.ask("Sure? ") { Console.report("answer \($0 ?? "end")") }
            session.terminal.type("yes\r")
            await session.terminal.wait(for: "\u{1B}[KSure? yes\n")
            await session.terminal.wait(for: "\u{1B}[K> on")
            session.terminal.type("e\r")
            await session.terminal.wait(for: "\u{1B}[K> one\n")
            // No prompt has been requested since.
            reader.ask("Again? ") { _ in Console.report("never") }
            await session.terminal.wait(for: "Again? ")
            reader.takeBack("never mind")
            session.terminal.type("two\r")
            await session.terminal.wait(for: "\u{1B}[Ktwo\n")
            reader.prompt(">> ")
            await session.terminal.wait(for: "\u{1B}[K>> ")
            reader.ask("Third? ") { _ in Console.report("never") }
            await session.terminal.wait(for: "\u{1B}[KThird? ")
            reader.takeBack("nor this")
            await session.terminal.wait(for: "\u{1B}[K>> ")
            session.terminal.type("\u{4}")
            await terminalWait(for: "the end of input") { reader.isAtEnd }
            Console.report("\(reader.isAtEnd) \(session.history?.history.lines ?? [])")
            exit(0)
        }
        #expect(
            result.errorLines == [
                "true false", "answer yes", "line one", "never mind", "line two", "nor this", "line end",
                "true [\"one\", \"two\"]",
            ]
        )
        withExtendedLifetime(folder) {}
    }

    /// A reader at a terminal, which prints what it gets.
    @MainActor
    private final class Plain {
        let reader: LineReader
        let terminal: TestTerminal
        private var count = 0

        init() throws {
            endProcess(after: 60)
            setenv("TERM", "dumb", 1)
            terminal = try TestTerminal(at: [STDIN_FILENO])
            reader = LineReader()
        }

        func take(_ word: String, _ line: String?) {
            count += 1
            Console.print("\(word) \(line ?? "end")")
        }

        /// Types, and waits for one more line.
        func send(_ text: String) async {
            let next = count + 1
            terminal.type(text)
            await terminalWait(for: "the input") { count >= next }
        }
    }

    @Test("writes prompts and questions once each at a terminal that cannot move its cursor")
    func plainLines() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            let session = try Plain()
            let reader = session.reader
            reader.onLine = { session.take("line", $0) }
            Console.print("\(reader.isInteractive) \(reader.isAtEnd)")
            reader.prompt("> ")
            reader.ask("Sure? ") { session.take("answer", $0) }
            await session.send("yes\n")
            await session.send("one\n")
            reader.ask("Again? ") { session.take("never", $0) }
            reader.takeBack("never mind")
            await session.send("two\n")
            reader.onLine = nil
            session.terminal.type("three\n")
            let three = await reader.next("? ")
            session.take("next", three)
            reader.onLine = { session.take("line", $0) }
            reader.ask("Third? ") { session.take("answer", $0) }
            await session.send("no\n")
            Console.report("done")
            await session.send("\u{4}")
            Console.print("\(reader.isAtEnd)")
            exit(0)
        }
        #expect(
            process.lines == [
                "true false", "> > answer yes", "line one", "line two", "? next three", "answer no", "line end", "true",
            ]
        )
        #expect(
            process.errorLines == ["\r\u{1B}[KSure? \r\u{1B}[KAgain? ", "never mind", "\r\u{1B}[KThird? done"]
        )
    }
}
