// How fast the time of a world passes: instantly, as fast as real time, or faster or slower by a factor.

import Dispatch
import NIOConcurrencyHelpers
import NIOCore

/// The pace of a world's time.
package final class WorldPace: Sendable {
    private struct State {
        /// When the world would have begun at this pace, in nanoseconds of `DispatchTime`.
        var start = 0.0
        var isWaiting = false
        /// Whether a device has added a task of which the next wait does not know.
        var isAsked = false
    }

    /// The seconds of the world per second of real time; `nil` for instant time.
    private let factor: Double?
    private let wakeUp = DispatchSemaphore(value: 0)
    private let state = NIOLockedValueBox(State())

    /// Creates a pace; `nil` for instant time.
    package init(factor: Double?) { self.factor = factor }

    /// Prepares for time to pass; the real time since the last time does not count.
    func begin(at now: NIODeadline) {
        guard let factor = self.factor else { return }
        let start = Double(DispatchTime.now().uptimeNanoseconds) - Double(now.uptimeNanoseconds) / factor
        self.state.withLockedValue { state in
            state.start = start
            state.isAsked = false
        }
    }

    /// Waits until an instant, or until a device adds a task.
    ///
    /// - Returns: The instant at which the wait ended, or `nil` if the instant had already passed.
    func wait(until instant: NIODeadline) -> NIODeadline? {
        guard let factor = self.factor else { return nil }
        let start = self.state.withLockedValue { $0.start }
        let due = start + Double(instant.uptimeNanoseconds) / factor
        guard due > Double(DispatchTime.now().uptimeNanoseconds), due < 9e18 else { return nil }
        let isAsked = self.state.withLockedValue { state in
            state.isWaiting = !state.isAsked
            defer { state.isAsked = false }
            return state.isAsked
        }
        if !isAsked {
            let result = self.wakeUp.wait(timeout: DispatchTime(uptimeNanoseconds: UInt64(due)))
            self.state.withLockedValue { $0.isWaiting = false }
            guard result == .success else { return instant }
        }
        let passed = (Double(DispatchTime.now().uptimeNanoseconds) - start) * factor
        return min(instant, .uptimeNanoseconds(UInt64(max(passed, 0))))
    }

    /// Whether the world's time passes instantly.
    var isInstant: Bool { self.factor == nil }

    /// The instant of the world after a number of seconds of real time; `nil` for instant time.
    func instant(afterRealSeconds seconds: Double) -> NIODeadline? {
        guard let factor = self.factor else { return nil }
        let start = self.state.withLockedValue { $0.start }
        let passed = (Double(DispatchTime.now().uptimeNanoseconds) + seconds * 1e9 - start) * factor
        return .uptimeNanoseconds(UInt64(min(max(passed, 0), 9e18)))
    }

    /// Ends the present wait, or else the next one: a device has added a task.
    func wake() {
        guard self.factor != nil else { return }
        let isWaiting = self.state.withLockedValue { state in
            state.isAsked = !state.isWaiting
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if isWaiting { self.wakeUp.signal() }
    }
}
