// The line that is edited below a program's output, behind an answer and before anything else is asked: keys edit the
// line again, which has its text and its history. The test is a process of its own, with a pseudo-terminal in place of
// standard input and output.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A line behind an answer")
struct LineBehindAnswerTests {
    /// A line at a terminal, and what it has reported.
    @MainActor
    private final class Session {
        let line: PromptLine
        private let master: CInt
        private let output: CInt
        private var events: [String] = []

        init(history: [String]) throws {
            // What the test prints does not go to the terminal.
            output = dup(STDOUT_FILENO)
            let pair = try PseudoTerminalPair()
            master = pair.descriptor
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            var size = winsize(ws_row: 24, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
            dup2(slave, STDIN_FILENO)
            dup2(slave, STDOUT_FILENO)
            close(slave)
            var report: ((PromptLine.Change) -> Void)?
            let lines = LineHistory(history)
            line = try #require(PromptLine(history: lines, environment: ["TERM": "xterm"]) { report?($0) })
            report = { [unowned self] in self.events.append("\($0)") }
            line.onLine = { [unowned self] in self.events.append("line \($0 ?? "end")") }
        }

        /// Types, waits until so many events have come since the last ones were printed, and prints them.
        func type(_ text: String, _ count: Int) async {
            _ = text.withCString { write(master, $0, strlen($0)) }
            let deadline = ContinuousClock.now + .seconds(60)
            while events.count < count, ContinuousClock.now < deadline { await Task.yield() }
            for event in events { _ = (event + "\n").withCString { write(output, $0, strlen($0)) } }
            events = []
        }
    }

    /// What is reported of a prompt and a text with the cursor behind it.
    private static func shown(_ prompt: String, _ text: String) -> String {
        #"shown("\#(prompt)\#(text)\r\u{1B}[\#(prompt.count + text.count)C")"#
    }

    @Test("Keys behind an answer edit the line that was being written, without a prompt, and with its history")
    func keys() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session(history: ["old"])
            session.line.open()
            session.line.ask("> ")
            await session.type("x", 3)
            session.line.ask(question: "Code: ")
            await session.type("1\r", 4)
            await session.type("y", 1)
            await session.type("\u{1B}[A", 1)
            await session.type("\r", 2)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, Self.shown("> ", ""), Self.shown("> ", "x"), Self.shown("Code: ", ""),
                Self.shown("Code: ", "1"), #"finished("Code: 1")"#, "line 1", Self.shown("", "xy"),
                Self.shown("", "old"), #"finished("old")"#, "line old",
            ]
        )
    }
}
