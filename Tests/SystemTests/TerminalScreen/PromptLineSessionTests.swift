import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

/// A line at a terminal of 40 columns, and what it has reported.
@MainActor
final class PromptedLine {
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
        line.onCandidates = { [unowned self] in self.events.append("candidates \($0)") }
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
        await terminalWait(for: "events") { events.count >= count }
        for event in events { tell(event) }
        events = []
    }

    func tell(_ text: String) { _ = (text + "\n").withCString { write(output, $0, strlen($0)) } }
}

/// What is reported of a prompt and a text with the cursor behind it.
func shownLine(_ prompt: String, _ text: String) -> String {
    #"shown("\#(prompt)\#(text)\r\u{1B}[\#(prompt.count + text.count)C")"#
}

@Suite("A line with a prompt at a terminal")
struct PromptLineSessionTests {
    @Test("shows each change, finishes with Enter, and ends with Ctrl-D if nothing is written")
    func keys() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine(history: ["old"])
            session.line.open()
            session.line.ask("> ")
            await session.type("a", 3)
            await session.type("\u{4}", 1)
            await session.type("\r", 2)
            await session.type("\u{4}", 1)
            session.line.ask("> ")
            await session.type("\u{1B}[A", 2)
            await session.type("\u{1B}[A", 1)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "a"), shownLine("> ", "a"), #"finished("> a")"#,
                "line a", "line end", shownLine("> ", ""), shownLine("> ", "a"), shownLine("> ", "old"),
            ]
        )
    }

    @Test("completes or lists with Tab, but not in an answer, which is edited beside the line")
    func completion() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine()
            session.line.completion = { text in
                LineCompletion(replacedCount: text.count, candidates: ["read", "rssi"].filter { $0.hasPrefix(text) })
            }
            session.line.open()
            session.line.ask("> ")
            await session.type("r", 3)
            await session.type("\t", 2)
            await session.type("e\t", 2)
            session.line.ask(question: "Code: ")
            await session.type("\t1", 2)
            await session.type("\r", 2)
            session.line.ask("> ")
            // Tab completes again.
            await session.type("\u{15}rs\t", 5)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "r"), shownLine("> ", "r"), "candidates read  rssi",
                shownLine("> ", "re"), shownLine("> ", "read "), shownLine("Code: ", ""), shownLine("Code: ", "1"),
                #"finished("Code: 1")"#, "line 1", shownLine("> ", "read "), shownLine("> ", ""), shownLine("> ", "r"),
                shownLine("> ", "rs"), shownLine("> ", "rssi "),
            ]
        )
    }

    @Test("puts a prompt that leaves no room on a row of its own", arguments: [30, 31])
    func longPrompt(count: Int) async throws {
        let prompt = String(repeating: "x", count: count)
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [prompt = prompt as String] in
            let session = try PromptedLine()
            session.line.ask(prompt)
            await session.wait(1)
            exit(0)
        }
        let rows = count == 30 ? [shownLine(prompt, "")] : [#"finished("\#(prompt)")"#, #"shown("")"#]
        #expect(try #require(result).lines == rows)
    }

    @Test("needs a terminal that obeys at standard input and output", arguments: [0, 1])
    func noTerminal(descriptor: Int) async {
        await #expect(processExitsWith: .success) { @MainActor [descriptor] in
            _ = try PromptedLine()
            for environment in [[:], ["TERM": ""], ["TERM": "dumb"]] {
                #expect(PromptLine(environment: environment) { _ in } == nil)
            }
            #expect(PromptLine(environment: ["TERM": "xterm"]) { _ in } != nil)
            dup2(open("/dev/null", O_RDWR), CInt(descriptor))
            #expect(PromptLine(environment: ["TERM": "xterm"]) { _ in } == nil)
            exit(0)
        }
    }

    @Test("drops the prompt with its line until it is asked for again")
    func prompt() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine()
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
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "a"), #"finished("> a")"#, "line a",
                shownLine("", "b"), shownLine("> ", "b"),
            ]
        )
    }

    @Test("drops what was typed as an answer if a prompt or another question comes")
    func answer() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine()
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
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "x"), shownLine("Code: ", ""),
                shownLine("Code: ", "1"), shownLine("Name: ", ""), shownLine("Name: ", "2"),
                shownLine("> ", "x"), shownLine("> ", "xy"), #"finished("> xy")"#, "line xy",
            ]
        )
    }

    @Test("keeps lines in the history, and no answers")
    func history() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine(history: ["old"])
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
                #"shown("")"#, shownLine("Code: ", ""), shownLine("Code: ", ""), shownLine("Code: ", "7"),
                #"finished("Code: 7")"#, "line 7", shownLine("> ", ""), shownLine("> ", "old"),
                shownLine("> ", "old"),
            ]
        )
    }

    @Test("edits the line again after an answer, with its history")
    func lineBehindAnswer() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine(history: ["old"])
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
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "x"), shownLine("Code: ", ""),
                shownLine("Code: ", "1"), #"finished("Code: 1")"#, "line 1", shownLine("", "xy"),
                shownLine("", "old"), #"finished("old")"#, "line old",
            ]
        )
    }

    @Test("takes 80 columns if the terminal does not say its size, and shows another size at once")
    func sizes() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine(columns: 0)
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
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", String(repeating: "x", count: 77)),
                shownLine("> ", String(repeating: "x", count: 17)),
            ]
        )
    }

    @Test("ends once when the terminal has gone")
    func gone() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine()
            session.line.open()
            await session.wait(1)
            close(session.master)
            await session.wait(1)
            exit(0)
        }
        #expect(try #require(result).lines == [#"shown("")"#, "line end"])
    }
}
