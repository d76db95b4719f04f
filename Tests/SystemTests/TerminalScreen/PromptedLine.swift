// A line that is edited below a program's output, at a pseudo-terminal in place of standard input and output, and what
// it has reported. It takes these of the whole process: for tests that are processes of their own.

import Fixtures
import Foundation
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
func shownLine(_ prompt: String, _ text: String) -> String {
    #"shown("\#(prompt)\#(text)\r\u{1B}[\#(prompt.count + text.count)C")"#
}
