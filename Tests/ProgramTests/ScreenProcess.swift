// A program with a terminal of its own: what a person sees on the screen, and the keys that a person presses.

import Fixtures
import Foundation
import TerminalScreen

/// A process in a pseudo-terminal; its screen is brought up to date whenever the test looks.
final class ScreenProcess {
    private let process: TestProcess
    private let terminal: PseudoTerminal
    private let original: termios
    private let display: VirtualTerminal
    /// How many octets of the terminal the display has.
    private var shownCount = 0

    /// Starts a program.
    init(
        _ program: String,
        _ arguments: [String] = [],
        in testbed: ProcessTestbed,
        rows: Int = 24,
        columns: Int = 80,
        environment: [String: String] = [:]
    ) throws {
        terminal = try PseudoTerminal()
        original = terminal.settings
        display = VirtualTerminal(rows: rows, columns: columns) { ColumnWidth.columns(of: $0) }
        terminal.resize(rows: rows, columns: columns)
        // Names that are empty count as not set.
        let plain = ["TERM": "xterm-256color", "LC_ALL": "", "LC_MESSAGES": "", "LANG": "", "NO_COLOR": ""]
        process = try testbed.start(
            program,
            arguments,
            streams: .terminal(terminal),
            environment: plain.merging(environment) { $1 }
        )
    }

    /// Gives the terminal another size.
    func resize(rows: Int, columns: Int) {
        update()
        display.resize(rows: rows, columns: columns)
        terminal.resize(rows: rows, columns: columns)
        process.send(SIGWINCH)
    }

    /// Types text.
    func type(_ text: String) { terminal.type(text) }

    /// Sends a signal.
    func send(_ signal: Int32) { process.send(signal) }

    // MARK: Seeing

    /// What stands on the screen.
    var screen: [String] { update().text }
    /// Whether the program has the screen.
    var isFullScreen: Bool { update().isAlternate }
    /// Whether the cursor is seen.
    var isCursorShown: Bool { update().isCursorShown }
    /// Whether there were colours.
    var hasColors: Bool { update().hasColors }

    /// Whether the terminal's settings are those that it had.
    var isRestored: Bool {
        let settings = terminal.settings
        return settings.c_lflag == original.c_lflag && settings.c_iflag == original.c_iflag
            && settings.c_oflag == original.c_oflag && settings.c_cflag == original.c_cflag
    }

    /// Gives the display what was drawn since.
    @discardableResult
    private func update() -> VirtualTerminal {
        let octets = terminal.octets(after: shownCount)
        // The last octets may be a part of a character, of a cluster or of a sequence; what follows completes it.
        if let last = octets.lastIndex(where: { $0 < 0x80 }) {
            let whole = octets[...last]
            display.receive(String(decoding: whole, as: UTF8.self))
            shownCount += whole.count
        }
        return display
    }

    // MARK: Waiting

    /// Waits for a row that contains a text, and returns it.
    @discardableResult
    func row(with text: String) throws -> String {
        var row: String?
        try wait("the row \"\(text)\"") {
            row = $0.first { $0.contains(text) }
            return row != nil
        }
        return row ?? ""
    }

    /// Waits for the end; returns the exit status, or the negative number of the signal that killed the process.
    func end() throws -> Int32 { try process.end() }

    private func wait(_ what: String, _ condition: ([String]) -> Bool) throws {
        do {
            try eventually(what) { condition(screen) }
        } catch is Missing {
            throw Missing("\(what); on the screen:\n\(screen.joined(separator: "\n"))")
        }
    }
}
