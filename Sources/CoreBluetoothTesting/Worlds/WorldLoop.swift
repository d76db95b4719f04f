// The event loop of a world: time stands still until the world says how far it goes on.
//
// NIO's embedded loop belongs to the thread that made it. A world belongs to the code that holds it, one piece after
// the other: on Linux the main actor's work moves from thread to thread, and with it a test that awaits. Tasks may come
// from any thread and run when the world's time goes on.

package import Dispatch
import Foundation
import HeapModule
import NIOConcurrencyHelpers
package import NIOCore

/// An event loop in virtual time.
///
/// What runs at one instant runs in the order in which it was asked for.
package final class WorldLoop: EventLoop, @unchecked Sendable {
    // Unchecked, as NIO's embedded loop is: tasks leave the lock to run, in turns of the one who lets time pass.

    /// A task's place: by time, then by number.
    fileprivate struct Place: Comparable {
        let time: NIODeadline
        let number: UInt64
        let task: TaskID

        static func < (left: Self, right: Self) -> Bool { (left.time, left.number) < (right.time, right.number) }
    }

    /// Which task it is: nothing follows from the number but that.
    fileprivate struct TaskID: Hashable, Comparable {
        let number: UInt64

        static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    fileprivate struct Entry {
        let run: () -> Void
        let cancel: () -> Void
    }

    fileprivate struct State {
        var now: NIODeadline = .uptimeNanoseconds(0)
        /// How many tasks were asked for.
        var taskCount: UInt64 = 0
        /// How many have got a place.
        var placeCount: UInt64 = 0
        var places = Heap<Place>()
        /// The tasks; a cancelled one is here no more, though its place may be.
        var entries: [TaskID: Entry] = [:]
        var isOver = false
        var rate = TaskRate()
        /// When tasks of devices that only wait for time to pass went on last.
        var lastTurn: NIODeadline = .uptimeNanoseconds(0)
        /// What counted work has asked for since the last rest.
        var arrivals: [Arrival] = []
        /// How many steps are under way: one may be made while the code of another waits. Waiting for rest is one, too.
        var stepCount = 0
    }

    /// A task that counted work has asked for, which gets its place when all is at rest.
    fileprivate struct Arrival {
        let order: WorkOrder
        let task: TaskID
        /// When it is due; `nil` for the present instant.
        let deadline: NIODeadline?
    }

    private let lock = NIOLock()
    private var state = State()
    /// What the code of the world's devices has started, which comes to rest before time goes on.
    let work = WorldWork()
    /// The clocks of the process, where they follow this loop's time.
    var clock: (any ProcessClock)? {
        didSet {
            self.work.clock = self.clock
            self.work.step = { [unowned self] in self.step(until: .distantFuture) }
        }
    }
    /// Called when the code of the world's devices has come to rest.
    var atRest: (() -> Void)?
    /// How fast time passes.
    let pace: WorldPace

    /// A loop at time zero.
    package init(pace: WorldPace = WorldPace(factor: nil)) {
        self.pace = pace
        self.work.pace = pace
    }

    /// The time since the beginning.
    package var now: NIODeadline { self.lock.withLock { self.state.now } }

    /// Always true: the code that holds the world runs it.
    package var inEventLoop: Bool { true }

    /// Does nothing.
    package func preconditionInEventLoop(file: StaticString, line: UInt) {}

    // MARK: Tasks

    /// Adds a task; `nil` after the end.
    ///
    /// What the loop's own turns and the test ask for gets its place at once. Counted work runs on several threads that
    /// come in an order which no seed decides: theirs waits until all is at rest.
    private func add(_ entry: Entry, at deadline: NIODeadline?) -> TaskID? {
        let order = WorkOwner.ofThread?.order
        return self.lock.withLock {
            guard !self.state.isOver else { return nil }
            let task = self.state.add(entry)
            if let order {
                self.state.arrivals.append(Arrival(order: order, task: task, deadline: deadline))
            } else {
                self.state.place(task, at: deadline)
            }
            return task
        }
    }

    /// Adds a task for the present instant.
    package func execute(_ task: @escaping @Sendable () -> Void) {
        _ = self.add(Entry(run: task, cancel: {}), at: nil)
        self.pace.wake()
    }

    /// Adds a task for an instant; one that has passed is the present.
    @discardableResult
    package func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        let promise = self.makePromise(of: T.self)
        let entry = Entry(
            run: {
                do {
                    promise.assumeIsolated().succeed(try task())
                } catch {
                    promise.fail(error)
                }
            },
            cancel: { promise.fail(EventLoopError.cancelled) }
        )
        guard let task = self.add(entry, at: deadline) else {
            promise.fail(EventLoopError.cancelled)
            return Scheduled(promise: promise, cancellationTask: {})
        }
        self.pace.wake()
        return Scheduled(
            promise: promise,
            cancellationTask: { [weak self] in
                guard let self else { return }
                let cancelled = self.lock.withLock { self.state.entries.removeValue(forKey: task) }
                withExtendedLifetime(cancelled) {}
            }
        )
    }

    /// Adds a task for later.
    @discardableResult
    package func scheduleTask<T>(in delay: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        self.scheduleTask(deadline: self.now + delay, task)
    }

    // MARK: Time

    /// Runs what is due, and what that asks for at once.
    package func run() { self.advanceTime(to: self.now) }

    /// Lets time pass.
    package func advanceTime(by amount: TimeAmount) { self.advanceTime(to: self.now + amount) }

    /// Lets time pass until an instant, and everything happen that falls into it.
    package func advanceTime(to end: NIODeadline) {
        self.pace.begin(at: self.now)
        self.rest()
        while self.step(until: end) {}
        self.lock.withLock { self.state.now = max(self.state.now, end) }
        self.clock?.advance(to: end.uptimeNanoseconds)
        self.work.timeHasPassed()
    }

    /// Does the one thing that comes next until an instant, if there is any, and waits for rest.
    func step(until end: NIODeadline) -> Bool {
        guard !self.work.hasGivenUp else { return false }
        self.lock.withLock { self.state.stepCount += 1 }
        defer { self.lock.withLock { self.state.stepCount -= 1 } }
        // Where code waits that the world serves, what was asked for until then comes first.
        self.takeArrivals()
        if self.work.armTimers() { self.rest() }
        let now = self.now
        let task = self.nextTaskTime
        if let clock = self.clock, let deadline = clock.nextDeadline.map(NIODeadline.uptimeNanoseconds),
            deadline <= end, task ?? .distantFuture > now, deadline <= task ?? .distantFuture
        {
            self.lock.withLock { self.state.now = max(now, deadline) }
            self.timeHasPassed()
            clock.advance(to: self.now.uptimeNanoseconds)
            self.work.somethingWakes()
            self.rest()
            return true
        }
        if let timer = self.nextRunLoopTimer, timer < min(task ?? .distantFuture, end) {
            let instant = self.pace.wait(until: timer) ?? timer
            self.lock.withLock { self.state.now = max(now, instant) }
            self.rest()
            return true
        }
        // In real time a device may ask for something while the next task is waited for.
        if let instant = self.pace.wait(until: min(task ?? .distantFuture, end)) {
            self.lock.withLock { self.state.now = max(now, instant) }
            self.rest()
            return true
        }
        guard let entry = self.next(until: end) else { return false }
        self.timeHasPassed()
        self.clock?.advance(to: self.now.uptimeNanoseconds)
        entry.run()
        self.rest()
        return true
    }

    /// Tasks of devices that only wait for time to pass go on each millisecond.
    private func timeHasPassed() {
        let now = self.now
        let isNext = self.lock.withLock {
            guard now - self.state.lastTurn >= .milliseconds(1) else { return false }
            self.state.lastTurn = now
            return true
        }
        if isNext { self.work.timeHasPassed() }
    }

    /// When, in real time, a timer of the main run loop is due that nobody else lets fire.
    private var nextRunLoopTimer: NIODeadline? {
        guard !self.pace.isInstant, let date = RunLoopTimers.nextDate(of: self.work) else { return nil }
        return self.pace.instant(afterRealSeconds: date - Date().timeIntervalSinceReferenceDate)
    }

    private var nextTaskTime: NIODeadline? { self.lock.withLock { self.state.nextPlace?.time } }

    /// Moves the world on by one step for the test, which waits outside of the world's calls; false where nothing is
    /// left to do, or where it waits in a call of the world that cannot go on meanwhile.
    func stepForTest() -> Bool {
        guard self.lock.withLock({ self.state.stepCount == 0 }) else { return false }
        return self.work.serveStep { self.step(until: .distantFuture) }
    }

    /// Runs code of a device, and lets what it starts come to rest before the test goes on with what other devices do.
    ///
    /// No time passes, and work for the main queue waits, as it does on a phone until what runs there returns. It is
    /// for worlds that have the time of the process, which promise the same octets for code that draws random numbers.
    func settle<Result>(after body: () throws -> Result) rethrows -> Result {
        guard self.clock != nil, self.lock.withLock({ self.state.stepCount == 0 }) else { return try body() }
        self.lock.withLock { self.state.stepCount += 1 }
        defer {
            self.work.somethingWakes()
            self.rest(servesMain: false)
            self.lock.withLock { self.state.stepCount -= 1 }
        }
        return try body()
    }

    /// Waits until all that the devices' code has started is at rest. What it has asked for of the loop meanwhile
    /// follows in an order of its own, whatever the order in which the threads came.
    private func rest(servesMain: Bool = true) {
        self.lock.withLock { self.state.stepCount += 1 }
        defer { self.lock.withLock { self.state.stepCount -= 1 } }
        if !self.work.isAtRest { self.work.rest(servesMain: servesMain) }
        if servesMain, !self.work.isVirtual, RunLoopTimers.handOverDue(of: self.work) { self.work.rest() }
        self.takeArrivals()
    }

    /// Gives what counted work has asked for its places: in the order of the devices, and within one in the order in
    /// which what asks was started.
    private func takeArrivals() {
        self.atRest?()
        self.lock.withLock {
            let arrivals = self.state.arrivals
            guard !arrivals.isEmpty else { return }
            self.state.arrivals = []
            for arrival in arrivals.sorted(by: \.order) { self.state.place(arrival.task, at: arrival.deadline) }
        }
    }

    /// The next task that is due until an instant; time goes on to it.
    private func next(until end: NIODeadline) -> Entry? {
        self.lock.withLock {
            guard let place = self.state.nextPlace, place.time <= end else { return nil }
            self.state.now = max(self.state.now, place.time)
            // A task beyond the limit stays, so that the end cancels it with its promise.
            guard self.state.rate.admitTask(at: self.state.now) else { return nil }
            self.state.places.removeMin()
            return self.state.entries.removeValue(forKey: place.task)
        }
    }

    // MARK: The limit

    /// How many tasks one second of virtual time may have; `nil`, as at first, for any number.
    ///
    /// More are an endless exchange, or a timer that sets itself again without time going on. Then the loop runs
    /// nothing any more, and ``stoppedAt`` says since when.
    package var taskLimit: Int? {
        get { self.lock.withLock { self.state.rate.limit } }
        set { self.lock.withLock { self.state.rate.limit = newValue } }
    }

    /// When the limit was exceeded.
    package var stoppedAt: NIODeadline? { self.lock.withLock { self.state.rate.exceededAt } }

    /// The largest number of tasks that one second had, counted where there is a limit.
    package var largestTaskCount: Int { self.lock.withLock { self.state.rate.largestCount } }

    // MARK: The end

    /// Ends the loop; tasks that are scheduled are released without running.
    package func end() {
        let entries = self.lock.withLock {
            self.state.isOver = true
            self.state.places = Heap()
            self.state.arrivals = []
            defer { self.state.entries = [:] }
            return self.state.entries
        }
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) { entry.cancel() }
    }

    /// Runs what is due, and ends.
    package func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        self.run()
        self.end()
        queue.async { callback(nil) }
    }
}

extension WorldLoop.State {
    /// The place of the task that is next; those of cancelled tasks are removed.
    fileprivate var nextPlace: WorldLoop.Place? {
        mutating get {
            while let place = self.places.min {
                if self.entries[place.task] != nil { return place }
                self.places.removeMin()
            }
            return nil
        }
    }

    /// Keeps a task, which has no place yet.
    fileprivate mutating func add(_ entry: WorldLoop.Entry) -> WorldLoop.TaskID {
        self.taskCount += 1
        let task = WorldLoop.TaskID(number: self.taskCount)
        self.entries[task] = entry
        return task
    }

    /// Gives a task its place at an instant, or at the present one: behind those that have theirs.
    fileprivate mutating func place(_ task: WorldLoop.TaskID, at deadline: NIODeadline?) {
        self.placeCount += 1
        let time = max(deadline ?? self.now, self.now)
        self.places.insert(WorldLoop.Place(time: time, number: self.placeCount, task: task))
    }
}

/// Counts the tasks of each second of virtual time against a limit.
private struct TaskRate {
    var limit: Int?
    private(set) var largestCount = 0
    private(set) var exceededAt: NIODeadline?
    private var second: UInt64 = 0
    private var count = 0

    /// Whether one more task may run.
    mutating func admitTask(at now: NIODeadline) -> Bool {
        guard let limit = self.limit else { return true }
        guard self.exceededAt == nil else { return false }
        let second = now.uptimeNanoseconds / 1_000_000_000
        if second != self.second {
            self.second = second
            self.count = 0
        }
        self.count += 1
        self.largestCount = max(self.largestCount, self.count)
        if self.count > limit { self.exceededAt = now }
        return self.exceededAt == nil
    }
}
