// The line that is edited below a program's output, in its second use: what is left of a prompt, of an answer and of
// the history when another one comes, and what another size and the end of the terminal do. Each test is a process of
// its own, with a pseudo-terminal in place of standard input and output.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A line with a prompt behind another one")
struct PromptAnswerTests {
    /// A line at a terminal of 40 columns, and what it has reported.
    @MainActor
    private final class Session {
        let line: PromptLine
        let master: CInt
        private let output: CInt
        private var events: [String] = []

        init(history: [String] = [], columns: Int = 40) throws {
            // What the test prints does not go to the terminal.
            output = dup(STDOUT_FILENO)
            let pair = try PseudoTerminalPair()
            master = pair.descriptor
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            dup2(slave, STDIN_FILENO)
            dup2(slave, STDOUT_FILENO)
            close(slave)
            var report: ((PromptLine.Change) -> Void)?
            let lines = LineHistory(history)
            line = try #require(PromptLine(history: lines, environment: ["TERM": "xterm"]) { report?($0) })
            report = { [unowned self] in self.events.append("\($0)") }
            line.onLine = { [unowned self] in self.events.append("line \($0 ?? "end")") }
            resize(columns)
        }

        func resize(_ columns: Int) {
            var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(STDIN_FILENO, UInt(TIOCSWINSZ), &size)
        }

        /// Types, and waits until so many events have come since the last ones were printed.
        func type(_ text: String, _ count: Int) async {
            _ = text.withCString { write(master, $0, strlen($0)) }
            await wait(count)
        }

        /// Waits until so many events have come, and prints them.
        func wait(_ count: Int) async {
            let deadline = ContinuousClock.now + .seconds(60)
            while events.count < count, ContinuousClock.now < deadline { await Task.yield() }
            for event in events { tell(event) }
            events = []
        }

        func tell(_ text: String) { _ = (text + "\n").withCString { write(output, $0, strlen($0)) } }
    }

    /// What is reported of a prompt and a text with the cursor behind it.
    private static func shown(_ prompt: String, _ text: String) -> String {
        #"shown("\#(prompt)\#(text)\r\u{1B}[\#(prompt.count + text.count)C")"#
    }

    @Test("A prompt goes with its line, and the next line stands without one until it is asked for again")
    func prompt() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session()
            session.line.open()
            session.line.ask("> ")
            await session.type("a", 3)
            await session.type("\r", 2)
            await session.type("b", 1)
            session.line.ask("> ")
            await session.wait(1)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, Self.shown("> ", ""), Self.shown("> ", "a"), #"finished("> a")"#, "line a",
                Self.shown("", "b"), Self.shown("> ", "b"),
            ]
        )
    }

    @Test("What was typed as an answer is gone where a prompt or another question takes its place")
    func answer() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session()
            session.line.open()
            session.line.ask("> ")
            await session.type("x", 3)
            session.line.ask(question: "Code: ")
            await session.type("1", 2)
            session.line.ask(question: "Name: ")
            await session.type("2", 2)
            session.line.ask("> ")
            await session.type("y", 2)
            await session.type("\r", 2)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, Self.shown("> ", ""), Self.shown("> ", "x"), Self.shown("Code: ", ""),
                Self.shown("Code: ", "1"), Self.shown("Name: ", ""), Self.shown("Name: ", "2"),
                Self.shown("> ", "x"), Self.shown("> ", "xy"), #"finished("> xy")"#, "line xy",
            ]
        )
    }

    @Test("An answer has no history, and is in none; lines are")
    func history() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session(history: ["old"])
            session.line.open()
            session.line.ask(question: "Code: ")
            await session.type("\u{1B}[A", 3)
            await session.type("7", 1)
            await session.type("\r", 2)
            session.line.ask("> ")
            await session.type("\u{1B}[A", 2)
            await session.type("\u{1B}[A", 1)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, Self.shown("Code: ", ""), Self.shown("Code: ", ""), Self.shown("Code: ", "7"),
                #"finished("Code: 7")"#, "line 7", Self.shown("> ", ""), Self.shown("> ", "old"),
                Self.shown("> ", "old"),
            ]
        )
    }

    @Test("A key that means nothing in a line shows nothing, and Ctrl-D in an empty answer is the end")
    func ends() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session()
            session.line.open()
            session.line.ask("> ")
            await session.type("x", 3)
            session.line.ask(question: "Code: ")
            await session.type("\u{1B}[5~\u{4}", 2)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, Self.shown("> ", ""), Self.shown("> ", "x"), Self.shown("Code: ", ""), "line end",
            ]
        )
    }

    @Test("A terminal that does not say its size has 80 columns; another size is shown at once")
    func sizes() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session(columns: 0)
            session.line.open()
            session.line.ask("> ")
            await session.type("\u{1B}[200~\(String(repeating: "x", count: 100))\u{1B}[201~", 3)
            session.resize(20)
            kill(getpid(), SIGWINCH)
            await session.wait(1)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, Self.shown("> ", ""), Self.shown("> ", String(repeating: "x", count: 77)),
                Self.shown("> ", String(repeating: "x", count: 17)),
            ]
        )
    }

    @Test("The end of the terminal is the end of lines, once")
    func gone() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session()
            session.line.open()
            await session.wait(1)
            close(session.master)
            await session.wait(1)
            exit(0)
        }
        #expect(try #require(result).lines == [#"shown("")"#, "line end"])
    }

    @Test("Where standard output or standard input is no terminal there is no such line", arguments: [0, 1])
    func noTerminal(descriptor: Int) async throws {
        await #expect(processExitsWith: .success) { @MainActor [descriptor] in
            _ = try Session()
            #expect(PromptLine(environment: ["TERM": "xterm"]) { _ in } != nil)
            dup2(open("/dev/null", O_RDWR), CInt(descriptor))
            #expect(PromptLine(environment: ["TERM": "xterm"]) { _ in } == nil)
            exit(0)
        }
    }
}
