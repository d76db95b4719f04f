// Output lines: what the user asked for on standard output, everything else on standard error. Each line is written at
// once, so a reader at the other end of a pipe gets it without delay.

import Foundation
import Logging
import Synchronization
import TerminalScreen

/// Standard output and standard error.
package enum Console {
    /// Prints a line on standard output.
    package static func print(_ line: String) {
        write(line + "\n", to: .standardOutput)
    }

    /// Prints without ending the line.
    package static func prompt(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Logs a problem after which the program goes on.
    package static func warn(_ line: String) { logger.warning("\(line)") }

    /// Logs progress, which `--verbose` shows.
    package static func inform(_ line: @autoclosure () -> String) { logger.info("\(line())") }

    private static let logger = Logger(label: Ending.program)

    /// Writes a line of the log on standard error. If that is closed, the program goes on.
    static func log(_ line: String) {
        let isWritten: Void? = below.withLockIfAvailable { below in
            let isTerminal = Terminal.error.isTerminal
            let text = below.draft.isEmpty ? line + "\n" : erasing + line + "\n" + below.draft
            let all = below.status.isEmpty ? text : erasing + text + below.status
            try? FileHandle.standardError.write(contentsOf: Data((isTerminal ? all : line + "\n").utf8))
        }
        // Logging does not wait for a thread that is blocked on a slow reader.
        if isWritten == nil { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
    }

    /// Prints a line that a person requested, or a question, on standard error.
    package static func report(_ line: String) {
        write(line + "\n", to: .standardError)
    }

    /// Prints on standard error without ending the line.
    static func report(prompt text: String) {
        write(text, to: .standardError)
    }

    // MARK: The cursor's row

    /// The text in the cursor's row; empty if there is none. Printing a line removes it and shows it again below the
    /// line.
    private struct Below {
        /// The line that a person is typing, on standard output.
        var draft = ""
        /// The progress of the program, on standard error.
        var status = ""
        /// Whether a question occupies the row until it is answered.
        var isAsking = false
    }

    private static let below = Mutex(Below())
    /// Erases the cursor's row.
    private static let erasing = "\r\u{1B}[K"

    /// Shows the line that a person is typing.
    static func show(_ change: PromptLine.Change) {
        below.withLock { below in
            switch change {
            case .shown(let text):
                guard !(text.isEmpty && below.draft.isEmpty) else { return }
                put(erasing + text, to: .standardOutput)
                below.draft = text
                below.status = ""
            case .finished(let text):
                put(erasing + text + "\n", to: .standardOutput)
                below.draft = ""
                below.status = ""
            }
        }
    }

    /// Reserves the cursor's row for a question, or releases it.
    static func reserveRow(forQuestion isAsking: Bool) {
        below.withLock { below in
            if isAsking, !below.status.isEmpty { put(erasing, to: .standardError) }
            if isAsking { below.status = "" }
            below.isAsking = isAsking
        }
    }

    /// Leaves the line that a person was typing, when the program ends.
    static func endDraft() {
        // The end does not wait for a thread that is blocked on a slow reader.
        below.withLockIfAvailable { below in
            if !below.draft.isEmpty { put("\n", to: .standardOutput) }
            below.draft = ""
        }
    }

    /// Shows progress on standard error, which is a terminal; an empty text removes it. The line that a person is
    /// typing takes precedence.
    static func show(status: String) {
        _ = statusRemoval
        below.withLock { below in
            guard below.draft.isEmpty, !below.isAsking, !(status.isEmpty && below.status.isEmpty) else { return }
            put(erasing + status, to: .standardError)
            below.status = status
        }
    }

    private static let statusRemoval: Void = {
        atexit {
            Console.below.withLockIfAvailable { below in
                if !below.status.isEmpty { Console.put(erasing, to: .standardError) }
                below.status = ""
            }
        }
    }()

    private static func write(_ text: String, to file: FileHandle) {
        below.withLock { below in
            let isTerminal = Terminal(file.fileDescriptor).isTerminal
            if isTerminal, !below.status.isEmpty { put(erasing, to: .standardError) }
            put(isTerminal && !below.draft.isEmpty ? erasing + text + below.draft : text, to: file)
            if isTerminal, !below.status.isEmpty { put(below.status, to: .standardError) }
        }
    }

    private static func put(_ text: String, to file: FileHandle) {
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            // Nobody reads the output, so an error could not be reported either.
            exit(1)
        }
    }
}
