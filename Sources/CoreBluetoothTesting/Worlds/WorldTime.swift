// Whose time a world's time is: its own alone, at its own pace or that of real time, or the whole process's. The
// process's clocks are held by a product of their own; this is what it has to do for a world.

/// Whose time the time of a world is, and how fast it passes.
public struct WorldTime: Sendable {
    /// Holds the clocks of the process and seeds its randomness; `nil` where the process keeps its own.
    package let makeClock: (@Sendable (_ seed: UInt64) throws -> any ProcessClock)?
    /// How many seconds of the world pass in one second; `nil` where nobody waits for them.
    let factor: Double?

    /// Time that the process's clocks follow.
    package init(makeClock: @escaping @Sendable (_ seed: UInt64) throws -> any ProcessClock) {
        self.makeClock = makeClock
        self.factor = nil
    }

    private init(factor: Double?) {
        self.makeClock = nil
        self.factor = factor
    }

    /// The time of the world alone, which passes at once: clocks, timers and sleeps of the process stay real.
    public static var virtual: WorldTime { WorldTime(factor: nil) }

    /// The time of the world passes as real time does: for code with timers of its own, and for people who watch.
    ///
    /// Such a world has no two equal runs.
    public static var real: WorldTime { WorldTime(factor: 1) }

    /// The time of the world passes so many times faster than real time, or slower where `factor` is below 1; more than
    /// zero.
    ///
    /// Timers and sleeps of the process stay real.
    public static func real(timesFaster factor: Double) -> WorldTime {
        precondition(factor > 0 && factor.isFinite, "The time of a world passes forwards: give a factor above zero")
        return WorldTime(factor: factor)
    }
}

/// The clocks of a process, held by a world.
///
/// A world first lets its own tasks of an instant run, then asks for ``rest(within:)``; when all is at rest it goes on
/// to the next task of its own or the ``nextDeadline``, whichever is first.
package protocol ProcessClock: AnyObject {
    /// Nanoseconds since the world began at which the first timer, sleep or time limit of the process ends; nil for
    /// none. It may be in the past or the present: ``advance(to:)`` is due then, without time going on.
    var nextDeadline: UInt64? { get }

    /// Moves all clocks of the process on, never back, and ends the first timer, sleep or time limit that has become
    /// due.
    ///
    /// One for each call: others that are due at the same instant stay the ``nextDeadline``, so that what several
    /// owners do at one instant comes one after the other, with rest between.
    func advance(to nanoseconds: UInt64)

    /// Waits, in real time, until every thread but the caller's is at rest.
    ///
    /// - Throws: An error that says who is awake and where, if that does not come within a limit of real time.
    func rest(within limit: Duration) throws

    /// Sets from which stream of random numbers the calling thread draws, and gives the one before.
    ///
    /// A stream follows from the seed and its identifier alone, so that threads which run at the same time draw what
    /// they would have drawn in any order. At first every thread draws from stream 0.
    func setRandomStream(_ identifier: UInt64) -> UInt64

    /// Sets the place of what the calling thread waits for among what others wait for until the same instant, and gives
    /// the one before. At first every thread has place 0.
    func setPlace(_ place: UInt64) -> UInt64

    /// Runs code under test on the calling thread, such as what waits on the main queue.
    ///
    /// While it waits for a semaphore, a condition, a queue, a thread or an instant, and every other thread is at rest,
    /// `step` is called on another thread, again and again, to move the world on to its next instant. The code goes on
    /// only between two of these calls. Where `step` returns false there was nothing to do, and the wait would never
    /// end: the process ends with lines that say who waits where.
    func serve(_ work: () -> Void, step: @escaping () -> Bool)

    /// Serves the task that calls, or its thread outside of tasks, as ``serve(_:step:)`` does code under test: whenever
    /// it waits and does not move the world on itself.
    func serveTest(step: @escaping () -> Bool)

    /// The test's task is about to sleep: the world is moved on until ``testWakes()``.
    func testSleeps()

    /// The test's task is about to go on.
    func testWakes()

    /// Makes clocks and randomness real again.
    func end()
}

extension ProcessClock {
    package func serveTest(step: @escaping () -> Bool) {}
    package func testSleeps() {}
    package func testWakes() {}
}

/// How long a world waits for what does not end.
package enum WorldLimits {
    /// How long work may stay away from rest, in real time: two minutes.
    package static let rest = Duration.seconds(120)
    /// How long the test's own thread may wait for something without a time limit, in the world's time: an hour.
    package static let wait = Duration.seconds(3_600)
}
