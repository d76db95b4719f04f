// Lines of a person at a terminal that cannot move its cursor: they come whole, and prompts and questions are written
// once each. A process of its own, with a pseudo-terminal for its input; prompts go to standard output, questions to
// standard error.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("A reader of lines at a terminal that cannot move its cursor")
struct PlainTerminalLinesTests {
    /// A reader at a terminal, which prints what it gets.
    @MainActor
    private final class Session {
        let reader: LineReader
        private let pair: PseudoTerminalPair
        private var count = 0

        init() throws {
            endProcess(after: 60)
            setenv("TERM", "dumb", 1)
            pair = try PseudoTerminalPair()
            dup2(open(pair.path, O_RDWR | O_NOCTTY), STDIN_FILENO)
            reader = LineReader()
        }

        func type(_ text: String) { _ = text.withCString { write(pair.descriptor, $0, strlen($0)) } }

        func take(_ word: String, _ line: String?) {
            count += 1
            Console.print("\(word) \(line ?? "end")")
        }

        /// Types, and waits until one more line has come.
        func send(_ text: String) async {
            let next = count + 1
            self.type(text)
            let deadline = ContinuousClock.now + .seconds(50)
            while count < next, ContinuousClock.now < deadline { await Task.yield() }
        }
    }

    @Test("A prompt is back behind a question and goes with its line; a question that is taken back ends its row")
    func lines() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            let session = try Session()
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
            session.type("three\n")
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
        let process = try #require(result)
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
