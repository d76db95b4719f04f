// The log of a program. Its own lines and those of the modules below go through swift-log to standard error, in one
// form and at one level: that of `--log-level`, else of `COREBLUETOOTH_LOG_LEVEL`, else `notice`. `--verbose` means
// `info`.

public import ArgumentParser
import Foundation
public import Logging
import Synchronization

/// The log of this process.
package enum ProgramLog {
    /// The user's choice.
    private struct Choice {
        var level: Logger.Level?
        var isVerbose = false
    }

    private static let choice = Mutex(Choice())
    private static let variable = "COREBLUETOOTH_LOG_LEVEL"
    private static let environment = ProcessInfo.processInfo.environment
    private static let level = environment[variable].flatMap { Logger.Level(rawValue: $0.lowercased()) }
    private static let isJournal = LogFormat.isJournal(environment["JOURNAL_STREAM"])

    /// Installs this log for the whole process. Called once, before anything is logged.
    static func begin() {
        LoggingSystem.bootstrap { Handler(label: $0) }
        if let text = environment[variable], !text.isEmpty, level == nil {
            Console.warn("\(variable) is \"\(text)\"; write \(Logger.Level.names)")
        }
    }

    /// Applies a user's choice.
    static func choose(_ level: Logger.Level?, isVerbose: Bool) {
        choice.withLock { $0 = Choice(level: level, isVerbose: isVerbose) }
    }

    /// The lowest level that is shown.
    static var shownLevel: Logger.Level {
        let choice = choice.withLock { $0 }
        if let level = choice.level { return level }
        let level = level ?? .notice
        return choice.isVerbose ? min(level, .info) : level
    }

    /// Writes a message of several lines.
    static func write(_ message: [String], _ level: Logger.Level, from source: String = Ending.program) {
        for line in format.lines(message, level, from: source, now: Date()) { Console.log(line) }
    }

    private static var format: LogFormat {
        guard !isJournal else { return .journal }
        return level == nil && choice.withLock { $0.level } == nil ? .person : .timed
    }

    /// The destination of every logger of this process.
    private struct Handler: LogHandler {
        let label: String
        var metadata = Logger.Metadata()
        private var chosen: Logger.Level?

        init(label: String) { self.label = label }

        var logLevel: Logger.Level {
            get { chosen ?? ProgramLog.shownLevel }
            set { chosen = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let details = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            ProgramLog.write([PrintableText.text(event.message.description + details)], event.level, from: label)
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {
    /// The levels, listed for a sentence.
    fileprivate static var names: String {
        allCases.dropLast().map(\.rawValue).joined(separator: ", ") + " or " + Self.critical.rawValue
    }
}
