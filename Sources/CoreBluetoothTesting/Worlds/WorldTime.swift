// The source of a world's time: its own, instantly or in real time, or the whole process's. A separate product controls
// the clocks of the process; this file declares what a world needs from it.

/// The source of a world's time, and how fast it passes.
public struct WorldTime: Sendable {
    /// Takes over the clocks of the process and seeds its randomness; `nil` if the process keeps its own.
    package let makeClock: (@Sendable (_ seed: UInt64) throws -> any ProcessClock)?
    /// The number of a world's seconds that pass in one second; `nil` for virtual time.
    let factor: Double?

    /// Creates time that the process's clocks follow.
    package init(makeClock: @escaping @Sendable (_ seed: UInt64) throws -> any ProcessClock) {
        self.makeClock = makeClock
        self.factor = nil
    }

    private init(factor: Double?) {
        self.makeClock = nil
        self.factor = factor
    }

    /// Virtual time for the world only, which passes instantly: clocks, timers and sleeps of the process stay real.
    public static var virtual: WorldTime { WorldTime(factor: nil) }

    /// The world's time passes as real time: for code with its own timers, and for people who watch.
    ///
    /// Runs are not repeatable.
    public static var real: WorldTime { WorldTime(factor: 1) }

    /// The world's time passes faster than real time by a factor above zero, or slower if it is below 1.
    ///
    /// Timers and sleeps of the process stay real.
    public static func real(timesFaster factor: Double) -> WorldTime {
        precondition(factor > 0 && factor.isFinite, "The time of a world passes forwards: give a factor above zero")
        return WorldTime(factor: factor)
    }
}

/// The clocks of a process, controlled by a world.
///
/// A world first runs its own tasks of an instant, then calls ``rest(within:)``; when all threads are at rest it
/// advances to its next task or the ``nextDeadline``, whichever is first.
package protocol ProcessClock: AnyObject {
    /// When the first timer, sleep or time limit of the process ends, in nanoseconds since the world began; `nil` for
    /// none. If it is not in the future, ``advance(to:)`` is due without time passing.
    var nextDeadline: UInt64? { get }

    /// Advances all clocks of the process, never back, and ends the first timer, sleep or time limit that has become
    /// due.
    ///
    /// Only one per call: others that are due at the same instant remain the ``nextDeadline``, so that several owners
    /// act one after the other, with rest in between.
    func advance(to nanoseconds: UInt64)

    /// Waits, in real time, until every thread but the caller's is at rest.
    ///
    /// - Throws: An error that says which threads are awake and where, if that takes longer than a limit of real time.
    func rest(within limit: Duration) throws

    /// Sets the stream of random numbers from which the calling thread draws, and returns the previous one.
    ///
    /// A stream depends only on the seed and its identifier, so that concurrent threads draw the same numbers in any
    /// order. At first every thread draws from stream 0.
    func setRandomStream(_ identifier: UInt64) -> UInt64

    /// Sets the order of the calling thread's timers among those of the same instant, and returns the previous one. At
    /// first every thread has place 0.
    func setPlace(_ place: UInt64) -> UInt64

    /// Runs code under test on the calling thread, such as work of the main queue.
    ///
    /// While it waits for a semaphore, a condition, a queue, a thread or an instant, and every other thread is at rest,
    /// another thread calls `step` repeatedly to advance the world to its next instant. The code continues only between
    /// two of these calls. If `step` returns `false`, there is nothing to do and the wait would never end: the process
    /// ends with lines that say which threads wait where.
    func serve(_ work: () -> Void, step: @escaping () -> Bool)

    /// Does the same for the calling task, or for its thread outside of tasks, whenever it waits without advancing the
    /// world itself.
    func serveTest(step: @escaping () -> Bool)

    /// The test's task is about to sleep: the world advances until ``testWakes()``.
    func testSleeps()

    /// The test's task is about to continue.
    func testWakes()

    /// Makes clocks and randomness real again.
    func end()
}

extension ProcessClock {
    package func serveTest(step: @escaping () -> Bool) {}
    package func testSleeps() {}
    package func testWakes() {}
}

/// Time limits of a world.
package enum WorldLimits {
    /// The time limit for work to come to rest, in real time.
    package static let rest = Duration.seconds(120)
    /// The limit of waits without a time limit on the test's thread, in the world's time.
    package static let wait = Duration.seconds(3_600)
}
