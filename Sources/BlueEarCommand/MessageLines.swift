// The lines that both halves of the messenger read: a message of one pair each, or the request to quit.

import CommandLineTool
import Foundation

/// Reads messages from standard input.
@MainActor
final class MessageLines {
    /// The meaning of a line.
    enum Input {
        /// Send this.
        case message([String: String])
        /// Quit.
        case quit
        /// There are no more lines.
        case end
    }

    private let reader: LineReader

    /// Reads lines; one that is not KEY=VALUE is reported on standard error and skipped.
    ///
    /// - Parameters:
    ///   - reader: The source of the lines.
    ///   - conversation: Asks the user while devices pair; the answers come from the same lines.
    ///   - receive: Gets the meaning of each line.
    init(_ reader: LineReader, _ conversation: PairingConversation, _ receive: @escaping (Input) -> Void) {
        self.reader = reader
        conversation.lines = reader
        reader.onLine = { line in
            guard let line = line?.trimmingCharacters(in: .whitespaces) else { return receive(.end) }
            if line.isEmpty { return }
            if LineReader.isQuit(line) { return receive(.quit) }
            guard let pair = MessagePair(line) else {
                return Console.warn("\(PrintableText.quoted(line)) is not KEY=VALUE")
            }
            receive(.message([pair.key: pair.value]))
        }
    }
}
