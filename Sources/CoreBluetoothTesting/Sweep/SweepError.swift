// The error of a failed sweep.

public import Foundation

/// Why a sweep failed: an invalid variable, a test that cannot be started alone, or failing seeds.
public struct SweepError: Error, CustomStringConvertible, LocalizedError, Sendable {
    /// A failed seed, or several seeds that fail only together in one process.
    public struct Failure: Sendable {
        /// The seeds, usually one.
        public var seeds: [UInt64]
        /// The lines of the test's output that say why.
        public var reason: String
        /// The folder with the trace, the captures and the output; `nil` if nothing was kept.
        public var folder: String?
    }

    /// The failures, on one line.
    public var reason: String
    /// The failed seeds in ascending order.
    public var failures: [Failure] = []
    /// The command that runs the test with the first of them.
    public var command: String?

    init(_ reason: String) { self.reason = reason }

    /// The failures, the reasons of the first ones, their folders, and the command that runs the first one again.
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
