// The line that is edited below a program's output, at a pseudo-terminal in place of standard input and output: each in
// a process of its own.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A line with a prompt at a terminal")
struct PromptLineSessionTests {
    /// A line at a terminal of 40 columns, and what it has reported.
    @MainActor
    private final class Session {
        let line: PromptLine
        private let master: CInt
        private let output: FileHandle
        private var events: [String] = []

        init(history: [String] = []) throws {
            // What the test prints does not go to the terminal.
            output = FileHandle(fileDescriptor: dup(STDOUT_FILENO))
            let pair = try PseudoTerminalPair()
            master = pair.descriptor
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            var size = winsize(ws_row: 24, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
            dup2(slave, STDIN_FILENO)
            dup2(slave, STDOUT_FILENO)
            var report: ((PromptLine.Change) -> Void)?
            let history = LineHistory(history)
            line = try #require(PromptLine(history: history, environment: ["TERM": "xterm"]) { report?($0) })
            report = { [unowned self] in self.events.append("\($0)") }
            line.onLine = { [unowned self] in self.events.append("line \($0 ?? "end")") }
            line.onCandidates = { [unowned self] in self.events.append("candidates \($0)") }
        }

        /// Types, and waits until so many events have come since the last ones were printed.
        func type(_ text: String, _ count: Int) async {
            _ = text.withCString { write(master, $0, strlen($0)) }
            let deadline = ContinuousClock.now + .seconds(60)
            while events.count < count, ContinuousClock.now < deadline { await Task.yield() }
            print()
        }

        /// Prints what has come.
        func print() {
            for event in events { output.write(Data((event.debugDescription + "\n").utf8)) }
            events = []
        }
    }

    @Test("Keys change what is shown, Enter finishes the line, and Ctrl-D is the end where nothing is written")
    func keys() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session(history: ["old"])
            session.line.open()
            session.line.ask("> ")
            session.print()
            await session.type("a", 1)
            await session.type("\u{4}", 1)
            await session.type("\r", 2)
            await session.type("\u{4}", 1)
            session.line.ask("> ")
            session.print()
            await session.type("\u{1B}[A", 1)
            await session.type("\u{1B}[A", 1)
            exit(0)
        }
        let text = { (prompt: String, text: String) in
            #""shown(\"\#(prompt)\#(text)\\r\\u{1B}[\#(prompt.count + text.count)C\")""#
        }
        #expect(
            try #require(result).lines == [
                #""shown(\"\")""#, text("> ", ""), text("> ", "a"), text("> ", "a"), #""finished(\"> a\")""#,
                #""line a""#, #""line end""#, text("> ", ""), text("> ", "a"), text("> ", "old"),
            ]
        )
    }

    @Test("Tab completes or lists, but not in an answer, which is edited beside the line and takes no part in it")
    func completion() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session()
            session.line.completion = { text in
                LineCompletion(replacedCount: text.count, candidates: ["read", "rssi"].filter { $0.hasPrefix(text) })
            }
            session.line.open()
            session.line.ask("> ")
            session.print()
            await session.type("r", 1)
            await session.type("\t", 2)
            await session.type("e\t", 2)
            session.line.ask(question: "Code: ")
            session.print()
            await session.type("\t1", 1)
            await session.type("\r", 2)
            session.line.ask("> ")
            session.print()
            // Tab completes again.
            await session.type("\u{15}rs\t", 4)
            exit(0)
        }
        let text = { (prompt: String, text: String) in
            #""shown(\"\#(prompt)\#(text)\\r\\u{1B}[\#(prompt.count + text.count)C\")""#
        }
        #expect(
            try #require(result).lines == [
                #""shown(\"\")""#, text("> ", ""), text("> ", "r"), text("> ", "r"), #""candidates read  rssi""#,
                text("> ", "re"), text("> ", "read "), text("Code: ", ""), text("Code: ", "1"),
                #""finished(\"Code: 1\")""#, #""line 1""#, text("> ", "read "), text("> ", ""), text("> ", "r"),
                text("> ", "rs"), text("> ", "rssi "),
            ]
        )
    }

    @Test("A prompt that leaves no room stands on a row of its own", arguments: [30, 31])
    func longPrompt(count: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [count] in
            let session = try Session()
            session.line.ask(String(repeating: "x", count: count))
            session.print()
            exit(0)
        }
        let prompt = String(repeating: "x", count: count)
        let shown = [#""shown(\"\#(prompt)\\r\\u{1B}[30C\")""#]
        #expect(
            try #require(result).lines == (count == 30 ? shown : [#""finished(\"\#(prompt)\")""#, #""shown(\"\")""#])
        )
    }

    @Test("Without a terminal that obeys there is no such line", arguments: [nil, "", "dumb"])
    func dumb(kind: String?) async throws {
        await #expect(processExitsWith: .success) { @MainActor [kind] in
            _ = try Session()
            #expect(PromptLine(environment: kind.map { ["TERM": $0] } ?? [:]) { _ in } == nil)
            dup2(open("/dev/null", O_RDWR), STDIN_FILENO)
            #expect(PromptLine(environment: ["TERM": "xterm"]) { _ in } == nil)
            exit(0)
        }
    }
}
