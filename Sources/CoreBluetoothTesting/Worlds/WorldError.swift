// The error of a test in a world.

public import Foundation

/// The condition that a test waited for did not become true, or the test made a mistake.
///
/// Its text says what happened, where and when, and has the last calls of apps and the last lines of the trace.
public struct WorldError: Error, CustomStringConvertible, LocalizedError, Sendable {
    /// The number of lines of the trace in the text.
    static let lineCount = 20
    /// The number of the latest calls of apps in the text, some of which may be older than these lines.
    static let callCount = 5

    /// The failure, on one line.
    public var reason: String
    /// The last calls of apps that are older than ``lastLines``.
    public var earlierCalls: [String]
    /// The last lines of the trace.
    public var lastLines: [String]
    /// The paths of the captures; see `withWorld`.
    public var captures: [String] = []
    /// The error that ended the test, if it was another one.
    public var underlying: (any Error)?

    init(_ reason: String, trace: Trace, underlying: (any Error)? = nil) {
        self.reason = reason
        let last = trace.suffix(Self.lineCount)
        let callCount = max(0, Self.callCount - last.count { $0.layer == .app })
        let calls = trace[..<last.startIndex].reversed().lazy.filter { $0.layer == .app }.prefix(callCount)
        self.earlierCalls = calls.reversed().map(\.description)
        self.lastLines = last.map(\.description)
        self.underlying = underlying
    }

    /// The failure, the last calls of apps and lines of the trace, and the folder of the captures.
    public var description: String {
        var lines = [self.reason]
        if self.lastLines.isEmpty {
            lines.append("Nothing has passed between any host and its controller.")
        } else {
            if !self.earlierCalls.isEmpty { lines += ["Earlier calls of apps:"] + self.earlierCalls }
            lines.append("The last lines of the trace:")
            lines += self.lastLines
        }
        for path in self.captures { lines.append("Capture: \(path)") }
        return lines.joined(separator: "\n")
    }

    /// The same text.
    public var errorDescription: String? { self.description }
}
