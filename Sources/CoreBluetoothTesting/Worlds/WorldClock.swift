// The time of a world as a Swift clock.

import NIOCore

/// A clock with the time of a world.
///
/// Code that takes a clock sleeps and measures with it; its sleeps end as the world's time passes.
///
/// ```swift
/// let poller = device.run { Poller(clock: world.clock) }
/// ```
public struct WorldClock: Clock, Sendable {
    /// An instant of a world: the time since it began.
    public struct Instant: InstantProtocol, Hashable, Sendable {
        /// The time since the world began.
        public var offset: Duration

        /// Creates an instant from the time since the world began.
        public init(offset: Duration) { self.offset = offset }

        /// The instant after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: self.offset + duration) }

        /// The time from this instant to another one.
        public func duration(to other: Instant) -> Duration { other.offset - self.offset }

        /// Whether an instant is before another one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    let loop: WorldLoop

    /// The present instant.
    public var now: Instant { Instant(offset: .nanoseconds(Int64(self.loop.now.uptimeNanoseconds))) }

    /// The smallest difference of two instants: 1 ns.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until an instant of the world's time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before, or the world ends.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let instant = NIODeadline.uptimeNanoseconds(0) + TimeAmount(deadline.offset)
        let scheduled = self.loop.scheduleTask(deadline: instant) {}
        try await withTaskCancellationHandler {
            do {
                try await scheduled.futureResult.get()
            } catch {
                throw CancellationError()
            }
        } onCancel: {
            scheduled.cancel()
        }
    }
}

extension World {
    /// The time of the world as a clock, for code that takes one.
    public var clock: WorldClock { WorldClock(loop: self.loop) }
}
