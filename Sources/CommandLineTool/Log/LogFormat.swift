// What a line of the log looks like: for a person at a terminal, in a file, and in the journal of systemd, which takes
// the priority from the line and has the time itself (systemd.journal-fields(7), SyslogLevelPrefix= of
// systemd.exec(5)).

import Foundation
import Logging

/// The form of the log's lines.
enum LogFormat: Equatable {
    /// The program's name, where something is to be said beside what the user asked to see.
    case person
    /// Time, level and source: for a log that somebody asked for.
    case timed
    /// A priority in angle brackets, as the journal takes it.
    case journal

    /// The lines of a message, whose first has the source.
    ///
    /// - Parameters:
    ///   - message: The message, a line each.
    ///   - source: The program's name, or the label of a library's logger.
    ///   - now: The present time.
    func lines(_ message: [String], _ level: Logger.Level, from source: String, now: Date) -> [String] {
        let program = Ending.program
        switch self {
        case .person:
            // What --verbose adds is what happens, and not a message of the program.
            guard level >= .notice, let first = message.first else { return message }
            return ["\(program): \(first)"] + message.dropFirst()
        case .timed:
            let time = now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            return message.map { "\(time) \(level) \(source): \($0)" }
        case .journal:
            let mark = source == program ? "" : "\(source): "
            return message.map { "<\(level.priority)>\(mark)\($0)" }
        }
    }

    /// Whether standard error leads into the journal, as systemd says with the socket's device and inode.
    ///
    /// - Parameters:
    ///   - stream: The value of `JOURNAL_STREAM` (systemd.exec(5)).
    ///   - descriptor: Where the lines go.
    static func isJournal(_ stream: String?, _ descriptor: CInt = STDERR_FILENO) -> Bool {
        let parts = (stream ?? "").split(separator: ":").map { UInt64($0) }
        var status = stat()
        guard parts.count == 2, fstat(descriptor, &status) == 0 else { return false }
        return parts[0] == UInt64(status.st_dev) && parts[1] == UInt64(status.st_ino)
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
