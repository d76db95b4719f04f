// The recipe "Logger, os_log" of the page "Porting an app".

#if canImport(os)
import os
#else
import Foundation

/// As much of `os.Logger` as the app uses. Where its lines go is decided here.
struct Logger: Sendable {
    let subsystem: String
    let category: String

    func debug(_ message: LogMessage) { self.write("debug", message) }
    func info(_ message: LogMessage) { self.write("info", message) }
    func error(_ message: LogMessage) { self.write("error", message) }

    private func write(_ level: String, _ message: LogMessage) {
        let line = "\(level) \(self.subsystem).\(self.category): \(message.text)\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}

/// A message with `\(value, privacy: .private)` in it.
struct LogMessage: ExpressibleByStringInterpolation, StringInterpolationProtocol {
    enum Privacy { case `public`, `private` }

    var text = ""

    init(stringLiteral value: String) { self.text = value }
    init(literalCapacity: Int, interpolationCount: Int) {}
    init(stringInterpolation: LogMessage) { self = stringInterpolation }

    mutating func appendLiteral(_ literal: String) { self.text += literal }
    mutating func appendInterpolation(_ value: Any, privacy: Privacy = .public) {
        self.text += privacy == .public ? "\(value)" : "<private>"
    }
}
#endif

let log = Logger(subsystem: "com.example.app", category: "bluetooth")
