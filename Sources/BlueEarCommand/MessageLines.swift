// The lines that both halves of the messenger read: a message of one pair each, or the request to end.

import CommandLineTool
import Foundation

/// Reads messages from standard input.
@MainActor
final class MessageLines {
    /// What a line asks for.
    enum Input {
        /// Send this.
        case message([String: String])
        /// End.
        case quit
        /// There are no more lines.
        case end
    }

    private let reader: LineReader

    /// Takes lines; one that is no KEY=VALUE is reported on standard error and skipped.
    ///
    /// - Parameters:
    ///   - reader: Where they come from.
    ///   - conversation: Where the user is asked while devices pair; the answers come from the same lines.
    ///   - receive: Gets what the lines ask for.
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
