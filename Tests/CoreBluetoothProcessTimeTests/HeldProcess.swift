// Moves the time of the process on from deadline to deadline, as a world does.

import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Foundation

/// The clocks of this process, moved on as a world does.
final class HeldProcess {
    private let clock: any ProcessClock
    /// How often time was moved on.
    private(set) var steps = 0

    init(seed: UInt64 = 1) throws {
        self.clock = try WorldTime.process.makeClock!(seed)
    }

    /// Lets time pass until an instant, in seconds since the beginning, or until a condition is true.
    func run(until seconds: Double, or condition: () -> Bool = { false }) throws {
        let end = UInt64(seconds * 1e9)
        try self.clock.rest(within: .seconds(60))
        while !condition(), let deadline = self.clock.nextDeadline, deadline <= end {
            self.clock.advance(to: deadline)
            self.steps += 1
            try self.clock.rest(within: .seconds(60))
        }
        guard !condition() else { return }
        self.clock.advance(to: end)
    }

    /// Waits until all has come to rest.
    func rest(within limit: Duration = .seconds(60)) throws { try self.clock.rest(within: limit) }

    /// Runs code on this thread that may wait.
    func serve(_ work: () -> Void) {
        self.clock.serve(work) {
            guard let deadline = self.clock.nextDeadline else { return false }
            self.clock.advance(to: deadline)
            self.steps += 1
            return true
        }
    }

    func end() { self.clock.end() }
}

/// The seconds since the beginning of the world.
func now() -> Double { Date().timeIntervalSince(TimersTests.beginning) }

/// What several threads write down, one after the other.
final class Lines: @unchecked Sendable {
    // Unchecked: the lock protects the lines.
    private let lock = NSLock()
    private var lines: [String] = []

    func callAsFunction(_ line: String) {
        self.lock.withLock { self.lines.append(line) }
    }

    var all: [String] { self.lock.withLock { self.lines } }
}
