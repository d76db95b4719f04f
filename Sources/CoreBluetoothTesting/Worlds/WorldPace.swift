// How fast the time of a world passes: at once, as fast as real time, or so many times faster or slower.

import Dispatch
import NIOConcurrencyHelpers
import NIOCore

/// The pace of a world's time.
package final class WorldPace: Sendable {
    private struct State {
        /// When, in real time, the world would have begun at this pace, in nanoseconds of `DispatchTime`.
        var start = 0.0
        var isWaiting = false
        /// Whether a device has asked for something that who waits next may not know of.
        var isAsked = false
    }

    /// How many seconds of the world pass in one second; `nil` where nobody waits for them.
    private let factor: Double?
    private let wakeUp = DispatchSemaphore(value: 0)
    private let state = NIOLockedValueBox(State())

    /// A pace; `nil` for time that passes at once.
    package init(factor: Double?) { self.factor = factor }

    /// Time is about to pass. What the test has done since it last did so does not count.
    func begin(at now: NIODeadline) {
        guard let factor = self.factor else { return }
        let start = Double(DispatchTime.now().uptimeNanoseconds) - Double(now.uptimeNanoseconds) / factor
        self.state.withLockedValue { state in
            state.start = start
            state.isAsked = false
        }
    }

    /// Waits until an instant has come, or a device asks for something before.
    ///
    /// - Returns: Where it was early: the instant at which the waiting ended. `nil` where the instant had come.
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

    /// Whether the world's time passes in a moment.
    var isInstant: Bool { self.factor == nil }

    /// The instant of the world at which so many seconds of real time will have passed from now; `nil` where nobody
    /// waits for time to pass.
    func instant(afterRealSeconds seconds: Double) -> NIODeadline? {
        guard let factor = self.factor else { return nil }
        let start = self.state.withLockedValue { $0.start }
        let passed = (Double(DispatchTime.now().uptimeNanoseconds) + seconds * 1e9 - start) * factor
        return .uptimeNanoseconds(UInt64(min(max(passed, 0), 9e18)))
    }

    /// A device asks for something: what waits now goes on, or else what waits next does not wait.
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
