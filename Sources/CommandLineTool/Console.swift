// Lines out: what the user asked for on standard output, everything else on standard error. Each line is written at
// once, so that a reader at the other end of a pipe gets it without delay.

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

    /// Logs that something is wrong and the program goes on.
    package static func warn(_ line: String) { logger.warning("\(line)") }

    /// Logs what happens in between, which `--verbose` shows.
    package static func inform(_ line: @autoclosure () -> String) { logger.info("\(line())") }

    private static let logger = Logger(label: Ending.program)

    /// Writes a line of the log on standard error. A program whose log nobody takes any more goes on without.
    static func log(_ line: String) {
        let isWritten: Void? = below.withLockIfAvailable { below in
            let isTerminal = Terminal.error.isTerminal
            let text = below.draft.isEmpty ? line + "\n" : erasing + line + "\n" + below.draft
            let all = below.status.isEmpty ? text : erasing + text + below.status
            try? FileHandle.standardError.write(contentsOf: Data((isTerminal ? all : line + "\n").utf8))
        }
        // A thread that prints and waits for a reader does not keep others from logging.
        if isWritten == nil { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
    }

    /// Prints a line on standard error that a person has asked for, or is asked.
    package static func report(_ line: String) {
        write(line + "\n", to: .standardError)
    }

    /// Prints on standard error without ending the line.
    static func report(prompt text: String) {
        write(text, to: .standardError)
    }

    // MARK: What stands below the lines

    /// What stands in the cursor's row; empty where there is none. It is taken away for each line that is printed, and
    /// shown again below it.
    private struct Below {
        /// What shows the line that a person is writing, on standard output.
        var draft = ""
        /// How far something has come, on standard error.
        var status = ""
        /// Whether a question has the row, until it is answered.
        var isAsking = false
    }

    private static let below = Mutex(Below())
    /// Takes away what stands in the cursor's row.
    private static let erasing = "\r\u{1B}[K"

    /// Shows the line that a person is writing.
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

    /// Leaves the cursor's row to a question, or takes it back.
    static func reserveRow(forQuestion isAsking: Bool) {
        below.withLock { below in
            if isAsking, !below.status.isEmpty { put(erasing, to: .standardError) }
            if isAsking { below.status = "" }
            below.isAsking = isAsking
        }
    }

    /// Leaves the line that a person was writing, when the program ends.
    static func endDraft() {
        // A thread that prints and waits for a reader does not keep the program.
        below.withLockIfAvailable { below in
            if !below.draft.isEmpty { put("\n", to: .standardOutput) }
            below.draft = ""
        }
    }

    /// Shows how far something has come, on standard error, which is a terminal; an empty text takes it away. The line
    /// that a person is writing comes first.
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
            // The reader is gone, and an error could not be written, either.
            exit(1)
        }
    }
}
