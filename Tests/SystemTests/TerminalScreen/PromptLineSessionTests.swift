import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

/// A line at a terminal of 40 columns, and its reports.
@MainActor
final class PromptedLine {
    let line: PromptLine
    let terminal: TestTerminal
    private var events: [String] = []

    init(history: [String] = [], columns: Int = 40, isControlling: Bool = false) throws {
        terminal = try TestTerminal(
            at: [STDIN_FILENO, STDOUT_FILENO],
            columns: columns,
            isControlling: isControlling
        )
        var report: ((PromptLine.Change) -> Void)?
        let lines = LineHistory(history)
        line = try #require(PromptLine(history: lines, environment: ["TERM": "xterm"]) { report?($0) })
        report = { [unowned self] in self.events.append("\($0)") }
        line.onCandidates = { [unowned self] in self.events.append("candidates \($0)") }
        line.onLine = { [unowned self] in self.events.append("line \($0 ?? "end")") }
    }

    /// Opens the line, with a prompt.
    func begin() {
        line.open()
        line.ask("> ")
    }

    /// Types, and waits until a number of events have come since the last ones were printed.
    func type(_ text: String, _ count: Int) async {
        terminal.type(text)
        await wait(count)
    }

    /// Waits for a number of events, and prints them.
    func wait(_ count: Int) async {
        await terminalWait(for: "events") { events.count >= count }
        for event in events { terminal.tell(event) }
        events = []
    }
}

/// The report of a prompt, and of a text with the cursor after it.
private func shown(_ prompt: String, _ text: String) -> String {
    #"shown("\#(prompt)\#(text)\r\u{1B}[\#(prompt.count + text.count)C")"#
}

@Suite("A line with a prompt at a terminal")
struct PromptLineSessionTests {
    private static let opened = [#"shown("")"#, shown("> ", "")]

    /// The reports of some steps: a text to type with its number of events, a prompt after `ask`, or a question after
    /// `question`. Tab completes to two commands.
    private static func events(of steps: [String]) async throws -> [String] {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [steps] in
            let session = try PromptedLine(history: ["old"])
            session.line.completion = { text in
                LineCompletion(replacedCount: text.count, candidates: ["read", "rssi"].filter { $0.hasPrefix(text) })
            }
            session.begin()
            for step in steps {
                let parts = step.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                if let count = Int(parts[0]) {
                    await session.type(parts[1], count)
                } else if parts[0] == "ask" {
                    session.line.ask(parts[1])
                } else {
                    session.line.ask(question: parts[1])
                }
            }
            exit(0)
        }
        return result.lines
    }

    @Test("shows each change, finishes with Enter, and ends with Ctrl-D if the line is empty")
    func keys() async throws {
        let steps = ["3 a", "1 \u{4}", "2 \r", "1 \u{4}", "1 b", "ask > ", "2 \u{1B}[A", "1 c"]
        #expect(
            try await Self.events(of: steps) == Self.opened + [
                shown("> ", "a"), shown("> ", "a"), #"finished("> a")"#, "line a", "line end",
                // The prompt disappears with its line, until it is requested again.
                shown("", "b"), shown("> ", "b"), shown("> ", "a"), shown("> ", "ac"),
            ]
        )
    }

    @Test("completes or lists with Tab, but not in an answer, which has its own editor")
    func completion() async throws {
        let steps = [
            "3 r", "2 \t", "2 e\t", "question Code: ", "2 \t1", "2 \r", "ask > ", "5 \u{15}rs\t",
        ]
        #expect(
            try await Self.events(of: steps) == Self.opened + [
                shown("> ", "r"), shown("> ", "r"), "candidates read  rssi", shown("> ", "re"), shown("> ", "read "),
                shown("Code: ", ""), shown("Code: ", "1"), #"finished("Code: 1")"#, "line 1", shown("> ", "read "),
                shown("> ", ""), shown("> ", "r"), shown("> ", "rs"), shown("> ", "rssi "),
            ]
        )
    }

    @Test("drops an unfinished answer if a prompt or another question comes; answers are in no history")
    func answer() async throws {
        let steps = [
            "3 x", "question Code: ", "2 1", "question Name: ", "2 2", "ask > ", "2 y", "question Code: ",
            "5 \u{1B}[A1\r", "1 z", "1 \u{1B}[A", "2 \r",
        ]
        #expect(
            try await Self.events(of: steps) == Self.opened + [
                shown("> ", "x"), shown("Code: ", ""), shown("Code: ", "1"), shown("Name: ", ""),
                shown("Name: ", "2"), shown("> ", "x"), shown("> ", "xy"), shown("Code: ", ""), shown("Code: ", ""),
                shown("Code: ", "1"), #"finished("Code: 1")"#, "line 1", shown("", "xyz"), shown("", "old"),
                #"finished("old")"#, "line old",
            ]
        )
    }

    @Test("puts a prompt that leaves no room on a separate row")
    func longPrompt() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let session = try PromptedLine()
            for (count, events) in [(30, 1), (31, 2)] {
                session.line.ask(String(repeating: "x", count: count))
                await session.wait(events)
            }
            exit(0)
        }
        let prompt = String(repeating: "x", count: 30)
        #expect(result.lines == [shown(prompt, ""), #"finished("x\#(prompt)")"#, #"shown("")"#])
    }

    @Test("needs a terminal that can move its cursor at standard input and output, and the foreground")
    func noTerminal() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let terminal = try TestTerminal(at: [STDIN_FILENO, STDOUT_FILENO], isControlling: true)
            @MainActor func found(_ environment: [String: String] = ["TERM": "xterm"]) -> [Bool] {
                [PromptLine(environment: environment) { _ in } != nil, Screen(environment: environment) != nil]
            }
            for environment in [[:], ["TERM": ""], ["TERM": "dumb"]] { #expect(found(environment) == [false, false]) }
            #expect(found() == [true, true])
            for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
                dup2(open("/dev/null", O_RDWR), descriptor)
                #expect(found() == [false, false])
                dup2(terminal.slave, descriptor)
            }
            try terminal.giveForegroundAway()
            #expect(found() == [false, true])
            exit(0)
        }
    }

    @Test("takes 80 columns if the terminal does not say its size, and shows another size at once")
    func sizes() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let session = try PromptedLine(columns: 0)
            session.begin()
            await session.type("\u{1B}[200~\(String(repeating: "x", count: 100))\u{1B}[201~", 3)
            session.terminal.resize(columns: 20)
            kill(getpid(), SIGWINCH)
            await session.wait(1)
            exit(0)
        }
        let lines = [77, 17].map { shown("> ", String(repeating: "x", count: $0)) }
        #expect(result.lines == Self.opened + lines)
    }

    @Test("ends once when the terminal is gone")
    func gone() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let session = try PromptedLine()
            session.line.open()
            await session.wait(1)
            close(session.terminal.master)
            await session.wait(1)
            exit(0)
        }
        #expect(result.lines == [#"shown("")"#, "line end"])
    }

    // MARK: The terminal

    @Test("reads keys one by one, leaves Ctrl-C a signal, and restores the settings at its end")
    func settings() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let session = try PromptedLine()
            session.terminal.tell(session.terminal.settings)
            session.line.open()
            session.terminal.tell(session.terminal.settings)
            Screen.restoreTerminal()
            session.terminal.tell(session.terminal.settings)
            exit(0)
        }
        let original = "1111 11 26 3 true"
        #expect(result.lines == [original, "0001 00 0 3 true", original])
    }

    @Test("restores the terminal and stops the program on Ctrl-Z, and takes it again when continued")
    func suspension() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            // A process group without job control is not stopped, although it gets the signal.
            signal(SIGTSTP, countSignal)
            for number in [SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
            let session = try PromptedLine(isControlling: true)
            let terminal = session.terminal
            session.begin()
            await session.type("a", 3)
            terminal.tell("\(signalCount)")
            await session.type("\u{1A}", 1)
            await terminalWait(for: "a signal") { signalCount != 0 }
            terminal.tell("\(signalCount) \(terminal.settings)")
            kill(getpid(), SIGCONT)
            await session.wait(1)
            terminal.tell(terminal.settings)
            exit(0)
        }
        #expect(
            result.lines == Self.opened + [
                shown("> ", "a"), "0", #"shown("")"#, "1 1111 11 26 3 true", shown("> ", "a"), "0001 00 0 3 true",
            ]
        )
    }
}
