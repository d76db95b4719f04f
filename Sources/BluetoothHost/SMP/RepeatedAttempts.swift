// The waiting interval after failed pairings (Vol 3, Part H, 2.3.6): it doubles with each failure, so that nobody can
// try passkeys or probe a private key quickly. All links of a host share it: connecting again does not reset it. The
// number of peers is limited; a new one evicts the one whose interval ends first.

import BluetoothTypes
import NIOCore

/// The failed pairings of a host.
struct RepeatedAttempts: Sendable {
    /// The interval after the first failure.
    static let firstInterval = TimeAmount.seconds(1)
    /// The longest interval.
    static let longestInterval = TimeAmount.seconds(64)
    /// The largest number of peers.
    static let limit = 64

    private struct Failures {
        var interval: TimeAmount
        var end: NIODeadline
    }

    private var failures: [DeviceAddress: Failures] = [:]

    init() {}

    /// Whether a peer has to wait before it may pair.
    func isWaiting(_ peer: DeviceAddress, now: NIODeadline) -> Bool {
        guard let failures = self.failures[peer] else { return false }
        return now < failures.end
    }

    /// A pairing with a peer failed.
    mutating func failed(_ peer: DeviceAddress, now: NIODeadline) {
        self.forget(now)
        var interval = Self.firstInterval
        if let earlier = self.failures[peer] {
            // Each time as long as the interval without a failure halves it (the specification: exponentially
            // decreased).
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

    /// Forgets peers whose intervals have decreased to the first one.
    private mutating func forget(_ now: NIODeadline) {
        self.failures = self.failures.filter { now < $0.value.end + .nanoseconds($0.value.interval.nanoseconds * 2) }
    }
}
