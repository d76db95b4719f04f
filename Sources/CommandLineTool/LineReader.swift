// Lines in. A thread of its own reads standard input, whatever that is (terminal, pipe, file), and hands the lines to
// the main thread one after the other.

import Dispatch
import Foundation

/// The lines of standard input.
@MainActor
package final class LineReader {
    /// Called with each line, and with `nil` at the end of input.
    package var onLine: ((String?) -> Void)? {
        didSet { deliver() }
    }

    /// Whether input is a terminal, so that a person may be prompted.
    package let isInteractive = isatty(STDIN_FILENO) == 1

    /// Whether input has ended.
    package private(set) var isAtEnd = false

    /// Gets one line in place of ``onLine``.
    private var onNextLine: ((String?) -> Void)?
    private var waiting: [String?] = []
    private var isDelivering = false

    /// Starts reading.
    package init() {
        let thread = Thread { [self] in
            while let line = readLine() {
                // The main thread takes a line before the next one is read: a file cannot fill the memory.
                DispatchQueue.main.sync { self.receive(line) }
            }
            DispatchQueue.main.async { self.receive(nil) }
        }
        thread.name = Ending.program + ".lines"
        thread.start()
    }

    /// Whether a line asks for the program's end: "quit", "exit" or "q".
    package nonisolated static func isQuit(_ line: String) -> Bool {
        ["quit", "exit", "q"].contains(line.trimmingCharacters(in: .whitespaces).lowercased())
    }

    /// Lets the next line be an answer, and not one of ``onLine``'s; `nil` calls it off.
    ///
    /// The end of input is reported to both.
    package func takeNextLine(_ take: ((String?) -> Void)?) {
        onNextLine = take
        deliver()
    }

    private func receive(_ line: String?) {
        if line == nil { isAtEnd = true }
        waiting.append(line)
        deliver()
    }

    private func deliver() {
        // A handler may install another one; the lines that are left are for that.
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while let line = waiting.first {
            if let take = onNextLine {
                onNextLine = nil
                if line != nil { waiting.removeFirst() }
                take(line)
            } else if let onLine {
                onLine(waiting.removeFirst())
            } else {
                break
            }
        }
    }
}
