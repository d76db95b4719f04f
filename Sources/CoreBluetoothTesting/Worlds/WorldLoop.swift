// The event loop of a world: time advances only when the world says so.
//
// NIO's embedded loop belongs to the thread that created it. A world belongs to the code that uses it, on one thread
// after the other: on Linux the main actor moves from thread to thread, and with it an `async` test. Tasks may be added
// from any thread and run when the world's time advances.

package import Dispatch
import Foundation
import HeapModule
import NIOConcurrencyHelpers
package import NIOCore

/// An event loop in virtual time.
///
/// Tasks of one instant run in the order in which they were added.
package final class WorldLoop: EventLoop, @unchecked Sendable {
    // Unchecked, as NIO's embedded loop: tasks run outside of the lock, on the thread that lets time pass.

    /// A task's place: by time, then by number.
    fileprivate struct Place: Comparable {
        let time: NIODeadline
        let number: UInt64
        let task: TaskID

        static func < (left: Self, right: Self) -> Bool { (left.time, left.number) < (right.time, right.number) }
    }

    fileprivate typealias TaskID = UInt64

    fileprivate struct Entry {
        let run: () -> Void
        let cancel: () -> Void
    }

    fileprivate struct State {
        var now: NIODeadline = .uptimeNanoseconds(0)
        /// The number of added tasks.
        var taskCount: UInt64 = 0
        /// The number of tasks that got a place.
        var placeCount: UInt64 = 0
        var places = Heap<Place>()
        /// The tasks; a cancelled one is removed here, though its place may remain.
        var entries: [TaskID: Entry] = [:]
        var isOver = false
        var rate = TaskRate()
        /// When tasks that only wait for time to pass last continued.
        var lastTurn: NIODeadline = .uptimeNanoseconds(0)
        /// Tasks that counted work has added since the last rest.
        var arrivals: [Arrival] = []
        /// The number of nested steps: a step may run while the code of another waits. Waiting for rest counts as one.
        var stepCount = 0
    }

    /// A task that counted work has added; it gets its place when all work is at rest.
    fileprivate struct Arrival {
        let order: WorkOrder
        let task: TaskID
        /// When it is due; `nil` for the present instant.
        let deadline: NIODeadline?
    }

    private let lock = NIOLock()
    private var state = State()
    /// The work that the devices' code has started, which must rest before time advances.
    let work = WorldWork()
    /// The clocks of the process, if they follow this loop's time.
    var clock: (any ProcessClock)? {
        didSet {
            self.work.clock = self.clock
            self.work.step = { [unowned self] in self.step(until: .distantFuture) }
        }
    }
    /// Called when the devices' code has come to rest.
    var atRest: (() -> Void)?
    /// How fast time passes.
    let pace: WorldPace

    /// Creates a loop at time zero.
    package init(pace: WorldPace = WorldPace(factor: nil)) {
        self.pace = pace
        self.work.pace = pace
    }

    /// The time since the beginning.
    package var now: NIODeadline { self.lock.withLock { self.state.now } }

    /// Always true: the code that uses the world runs the loop.
    package var inEventLoop: Bool { true }

    // MARK: Tasks

    /// Adds a task; `nil` after the end.
    ///
    /// Tasks that the loop or the test adds get their places immediately. Counted work runs on several threads, whose
    /// order no seed determines: its tasks wait until all work is at rest.
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

    /// Adds a task for an instant, at the earliest the present one.
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

    /// Runs tasks that are due, and those that they add for the present instant.
    package func run() { self.advanceTime(to: self.now) }

    /// Lets time pass.
    package func advanceTime(by amount: TimeAmount) { self.advanceTime(to: self.now + amount) }

    /// Lets time pass until an instant, and runs all tasks that are due meanwhile.
    package func advanceTime(to end: NIODeadline) {
        self.pace.begin(at: self.now)
        self.rest()
        while self.step(until: end) {}
        self.lock.withLock { self.state.now = max(self.state.now, end) }
        self.clock?.advance(to: end.uptimeNanoseconds)
        self.work.timeHasPassed()
    }

    /// Runs the next task or timer until an instant, and waits for rest; returns `false` if there is none.
    func step(until end: NIODeadline) -> Bool {
        guard !self.work.hasGivenUp else { return false }
        self.lock.withLock { self.state.stepCount += 1 }
        defer { self.lock.withLock { self.state.stepCount -= 1 } }
        // If this step serves waiting code, earlier additions come first.
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
        // In real time, a device may add a task during the wait for the next one.
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

    /// Continues, each millisecond, tasks that only wait for time to pass.
    private func timeHasPassed() {
        let now = self.now
        let isNext = self.lock.withLock {
            guard now - self.state.lastTurn >= .milliseconds(1) else { return false }
            self.state.lastTurn = now
            return true
        }
        if isNext { self.work.timeHasPassed() }
    }

    /// In real time, when the next timer of the main run loop is due that nobody else fires.
    private var nextRunLoopTimer: NIODeadline? {
        guard !self.pace.isInstant, let date = RunLoopTimers.nextDate(of: self.work) else { return nil }
        return self.pace.instant(afterRealSeconds: date - Date().timeIntervalSinceReferenceDate)
    }

    private var nextTaskTime: NIODeadline? { self.lock.withLock { self.state.nextPlace?.time } }

    /// Runs one step while the test waits outside of the world's methods; returns `false` if nothing is left to do, or
    /// if the test waits in a method of the world.
    func stepForTest() -> Bool {
        guard self.lock.withLock({ self.state.stepCount == 0 }) else { return false }
        return self.work.serveStep { self.step(until: .distantFuture) }
    }

    /// Runs code of a device, and waits until the work that it starts is at rest before the test continues with other
    /// devices.
    ///
    /// No time passes, and work for the main queue waits, as on a phone, until the code returns. Only for worlds with
    /// the time of the process, which guarantee equal octets for code that draws random numbers.
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

    /// Waits until all work of the devices' code is at rest. The tasks that it has added meanwhile get an order that
    /// does not depend on threads.
    private func rest(servesMain: Bool = true) {
        self.lock.withLock { self.state.stepCount += 1 }
        defer { self.lock.withLock { self.state.stepCount -= 1 } }
        if !self.work.isAtRest { self.work.rest(servesMain: servesMain) }
        if servesMain, !self.work.isVirtual, RunLoopTimers.handOverDue(of: self.work) { self.work.rest() }
        self.takeArrivals()
    }

    /// Gives the tasks of counted work their places: in the order of the devices, and within a device in the order in
    /// which the adding work was started.
    private func takeArrivals() {
        self.atRest?()
        self.lock.withLock {
            let arrivals = self.state.arrivals
            guard !arrivals.isEmpty else { return }
            self.state.arrivals = []
            for arrival in arrivals.sorted(by: \.order) { self.state.place(arrival.task, at: arrival.deadline) }
        }
    }

    /// Advances time to the next task that is due until an instant, and returns it.
    private func next(until end: NIODeadline) -> Entry? {
        self.lock.withLock {
            guard let place = self.state.nextPlace, place.time <= end else { return nil }
            self.state.now = max(self.state.now, place.time)
            // A task beyond the limit stays, so that `end()` cancels it with its promise.
            guard self.state.rate.admitTask(at: self.state.now) else { return nil }
            self.state.places.removeMin()
            return self.state.entries.removeValue(forKey: place.task)
        }
    }

    // MARK: The limit

    /// The maximum number of tasks in a second of virtual time; `nil` by default, for no limit.
    ///
    /// A larger number means an endless exchange, or a timer that restarts without time advancing. Then the loop stops,
    /// and ``stoppedAt`` says when.
    package var taskLimit: Int? {
        get { self.lock.withLock { self.state.rate.limit } }
        set { self.lock.withLock { self.state.rate.limit = newValue } }
    }

    /// When the limit was exceeded.
    package var stoppedAt: NIODeadline? { self.lock.withLock { self.state.rate.exceededAt } }

    // MARK: The end

    /// Ends the loop; scheduled tasks are cancelled.
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

    /// Runs tasks that are due, and ends.
    package func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        self.run()
        self.end()
        queue.async { callback(nil) }
    }
}

extension WorldLoop.State {
    /// The place of the next task; those of cancelled tasks are removed.
    fileprivate var nextPlace: WorldLoop.Place? {
        mutating get {
            while let place = self.places.min {
                if self.entries[place.task] != nil { return place }
                self.places.removeMin()
            }
            return nil
        }
    }

    /// Stores a task without a place.
    fileprivate mutating func add(_ entry: WorldLoop.Entry) -> WorldLoop.TaskID {
        self.taskCount += 1
        self.entries[self.taskCount] = entry
        return self.taskCount
    }

    /// Gives a task its place at an instant, or at the present one, after those that have a place.
    fileprivate mutating func place(_ task: WorldLoop.TaskID, at deadline: NIODeadline?) {
        self.placeCount += 1
        let time = max(deadline ?? self.now, self.now)
        self.places.insert(WorldLoop.Place(time: time, number: self.placeCount, task: task))
    }
}

/// Counts the tasks of each second of virtual time against a limit.
private struct TaskRate {
    var limit: Int?
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
        if self.count > limit { self.exceededAt = now }
        return self.exceededAt == nil
    }
}
