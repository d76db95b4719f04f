// A logger for a test that looks at what is logged, or wants to see nothing of it.

package import Logging

/// Log lines, kept instead of printed.
package final class LogLines: Sendable {
    /// What was logged, without metadata.
    package let lines = Watched<[String]>([])
    private let level: Logger.Level

    /// Keeps lines of `level` and above.
    package init(level: Logger.Level = .trace) { self.level = level }

    /// A logger whose lines come here.
    package var logger: Logger { Logger(label: "test") { _ in Handler(lines: self.lines, logLevel: self.level) } }

    private struct Handler: LogHandler {
        var lines: Watched<[String]>
        var metadata = Logger.Metadata()
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = event.message.description
            self.lines.update { $0.append(line) }
        }
    }
}
