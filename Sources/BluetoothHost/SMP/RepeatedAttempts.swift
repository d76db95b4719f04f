// The waiting interval after pairings that failed (Vol 3, Part H, 2.3.6): twice as long after each failure, so that
// nobody tries passkeys or collects answers of a private key quickly. One value for all links of a host: a peer that
// connects anew does not begin anew. It knows a limited number of peers; one that waits for longer pushes out another.

import BluetoothTypes
import NIOCore

/// The failed pairings of a host.
struct RepeatedAttempts: Sendable {
    /// The interval after the first failure.
    static let firstInterval = TimeAmount.seconds(1)
    /// The longest interval.
    static let longestInterval = TimeAmount.seconds(64)
    /// How many peers are known at most.
    static let limit = 64

    private struct Failures {
        var interval: TimeAmount
        var end: NIODeadline
    }

    private var failures: [DeviceAddress: Failures] = [:]

    init() {}

    /// Whether a pairing with a peer has to wait.
    func isWaiting(_ peer: DeviceAddress, now: NIODeadline) -> Bool {
        guard let failures = self.failures[peer] else { return false }
        return now < failures.end
    }

    /// A pairing with a peer failed.
    mutating func failed(_ peer: DeviceAddress, now: NIODeadline) {
        self.forget(now)
        var interval = Self.firstInterval
        if let earlier = self.failures[peer] {
            // As much quiet time as the interval halves it (the specification: exponentially decreased).
            var quiet = now - earlier.end
            interval = earlier.interval
            while quiet > interval, interval > Self.firstInterval {
                quiet = quiet - interval
                interval = .nanoseconds(interval.nanoseconds / 2)
            }
            interval = min(.nanoseconds(interval.nanoseconds * 2), Self.longestInterval)
        } else if self.failures.count >= Self.limit,
            let first = self.failures.min(by: { $0.value.end < $1.value.end })?.key
        {
            self.failures[first] = nil
        }
        self.failures[peer] = Failures(interval: interval, end: now + interval)
    }

    /// A pairing with a peer succeeded.
    mutating func succeeded(_ peer: DeviceAddress) { self.failures[peer] = nil }

    /// Forgets peers that have been quiet for so long that they would begin anew.
    private mutating func forget(_ now: NIODeadline) {
        self.failures = self.failures.filter { now < $0.value.end + .nanoseconds($0.value.interval.nanoseconds * 2) }
    }
}
