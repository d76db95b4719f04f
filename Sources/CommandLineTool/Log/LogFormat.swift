// The format of log lines: for a person at a terminal, for a file, and for the journal of systemd, which takes the
// priority from the line and adds the time itself (systemd.journal-fields(7), SyslogLevelPrefix= of systemd.exec(5)).

import Foundation
import Logging

/// The form of the log's lines.
enum LogFormat: Equatable {
    /// The program's name before warnings and errors, nothing before the rest.
    case person
    /// Time, level and source, for a log that the user asked for.
    case timed
    /// A priority in angle brackets, as the journal expects it.
    case journal

    /// The lines of a message; the first names the source.
    ///
    /// - Parameters:
    ///   - message: The lines of the message.
    ///   - source: The program's name, or the label of a library's logger.
    ///   - now: The current time.
    func lines(_ message: [String], _ level: Logger.Level, from source: String, now: Date) -> [String] {
        let program = Ending.program
        switch self {
        case .person:
            // Lines that --verbose adds describe progress and do not carry the program's name.
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

    /// Whether standard error is the journal: systemd passes the socket's device and inode.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor that the log is written to.
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
