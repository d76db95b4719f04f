// What a sweep over seeds ends with where something fails.

public import Foundation

/// Why a sweep failed: a wrong variable, a test that cannot be started by itself, or seeds that fail.
public struct SweepError: Error, CustomStringConvertible, LocalizedError, Sendable {
    /// A seed that failed, or several that fail one after the other in one process and not alone.
    public struct Failure: Sendable {
        /// The seeds, in most cases one.
        public var seeds: [UInt64]
        /// What the process of the test wrote, as far as it says why.
        public var reason: String
        /// Where the trace, the captures and all that the process wrote are; `nil` where nothing was kept.
        public var folder: String?
    }

    /// What happened, on one line.
    public var reason: String
    /// The seeds that fail, in ascending order.
    public var failures: [Failure] = []
    /// The command that runs the test with the first of them.
    public var command: String?

    init(_ reason: String) { self.reason = reason }

    /// What happened, the reasons of the first failures, where their files are, and how to run the first one again.
    public var description: String {
        var lines = [self.reason]
        if let command = self.command { lines.append("Again: \(command)") }
        for failure in self.failures.prefix(5) {
            lines.append("Seed \(SeedSet(failure.seeds)): \(failure.reason)")
            if let folder = failure.folder { lines.append("Trace and captures: \(folder)") }
        }
        if self.failures.count > 5 {
            let seeds = SeedSet(self.failures.dropFirst(5).flatMap(\.seeds))
            lines.append("Further seeds that fail: \(seeds)")
        }
        return lines.joined(separator: "\n")
    }

    /// The same text.
    public var errorDescription: String? { self.description }
}
