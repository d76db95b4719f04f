// Clocks that are those of no process and do nothing, for tests of a world's work; those that note all that is asked of
// them are in NotedClock.swift.

@testable import CoreBluetoothTesting

/// Clocks with which all is at rest and no deadline comes; what a test looks at, its own clock does.
protocol IdleClock: ProcessClock {}

extension IdleClock {
    var nextDeadline: UInt64? { nil }

    func advance(to nanoseconds: UInt64) {}
    func rest(within limit: Duration) throws {}
    func setRandomStream(_ identifier: UInt64) -> UInt64 { 0 }
    func setPlace(_ place: UInt64) -> UInt64 { 0 }
    func serve(_ work: () -> Void, step: @escaping () -> Bool) { work() }
    func end() {}
}

/// Clocks that call a function once when rest is waited for.
final class TurningClock: IdleClock, @unchecked Sendable {
    // Unchecked: the test alone sets the function and waits for rest; what other threads call changes nothing.

    var atRest: (() -> Void)?

    func rest(within limit: Duration) throws {
        let body = self.atRest
        self.atRest = nil
        body?()
    }
}
