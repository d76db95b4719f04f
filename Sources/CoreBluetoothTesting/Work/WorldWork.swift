// The work that the code of a world has started: what it has handed to dispatch queues, tasks and actors. A world lets
// time pass only when all of it is at rest, so that code which hops gives the same run each time.
//
// Each item is counted from the moment at which it is handed over until it has run, and belongs to whom the code that
// handed it over belongs to. Work for the main queue is run by the one who waits for rest, where that is the main
// thread, which is not free to serve its queue meanwhile. Swift's tasks are run by one serial queue of the world, so
// that actors and tasks come in the order in which they were started. A thread that waits for something that only time
// can bring, such as a semaphore, is at rest; see Stillness.

import CDispatchWork
import CoreBluetooth
import DequeModule
import Dispatch
import Foundation

/// The work of one world.
final class WorldWork: @unchecked Sendable {
    // Unchecked: all that changes is used under the lock of `condition`.

    /// How often a task may go on before the world's time does: one that calls `Task.yield()` until something has
    /// happened never comes to rest.
    private static let turnLimit = 32
    /// How long work may stay away from rest, in seconds of real time, until the world goes on without it.
    var limit = WorldLimits.rest / .seconds(1)

    let condition = NSCondition()
    var isOver = false
    /// How often something was handed over.
    private var count: UInt64 = 0
    private var items: [UInt64: WorkItem] = [:]
    /// Those for the main queue, in order; some may have been run by it already.
    private var mainItems: Deque<WorkItem> = []
    private var stillness = Stillness()
    /// The items that the world goes on without.
    private var abandoned: Set<UInt64> = []
    /// How fast the world's time passes.
    var pace: WorldPace?
    /// Whether the process did not come to rest: its clocks stand still until it does.
    private(set) var hasGivenUp = false
    /// The clocks of the process, where they follow the world's time.
    var clock: (any ProcessClock)?
    /// Lets the world do what comes next, while the one who lets time pass waits in code of the world; false where there
    /// is nothing.
    var step: (() -> Bool)?
    private var isServing = false
    /// Whether threads may be awake that hand nothing over, where only the clock of the process sees them.
    var mayBeAwake = false
    /// How often rest is waited for at present: a task of the test that lets time pass may be served in such a wait.
    private var restCount = 0
    /// How often each task has gone on since the last time at which none was held back.
    private var turnCounts: [UInt64: Int] = [:]
    /// What tasks do next that have gone on so often that they seem to wait for time to pass.
    private var heldBack: [() -> Void] = []
    var mistake: String?
    /// How many timers of the process wait, of those that are known.
    var timers: [RealTimer: Int] = [:]
    /// Runs the tasks that belong to no other executor.
    private let tasks = dispatch_work_make_queue("Swift tasks of the world")
    /// How often something was started by what is no work itself, and how often until the last rest.
    private var startCount: UInt64 = 0
    private var startCountAtRest: UInt64 = 0
    /// The timers of the process that work has armed since the last rest, with the place of each.
    var armings: [(order: WorkOrder, arm: () -> Void)] = []

    init() {
        WorkObserver.start()
    }

    /// Nothing more is counted.
    func end() {
        self.condition.withLock { self.isOver = true }
        self.armTimers()
        self.goOnWithHeldBack()
    }

    // MARK: Owners

    /// The owner of what the present thread hands over: part of what its own work belongs to, or a start of its own.
    ///
    /// - Parameter place: The device's place in the order of its world's devices; `nil` for the test itself.
    func makeOwner(place: Int?, surroundings: Surroundings?) -> WorkOwner {
        let outer = WorkOwner.ofThread.flatMap { $0.work === self ? $0.order.start : nil }
        let (start, countSinceRest) = self.condition.withLock {
            if outer == nil { self.startCount += 1 }
            return (outer ?? self.startCount, self.startCount - self.startCountAtRest)
        }
        return WorkOwner(
            self,
            order: WorkOrder(device: place, start: start),
            // What the test starts at a time draws from streams that are used again later: there are some thousands.
            streams: place.map { UInt64($0) + 1 } ?? countSinceRest << 32,
            surroundings: surroundings
        )
    }

    // MARK: Handing over

    /// Takes work that is handed to a queue; false where it goes its own way.
    func handOver(
        to queue: UnsafeMutableRawPointer,
        isBarrier: Bool,
        isWaiting: Bool,
        owner: WorkOwner,
        task: UInt64,
        _ function: @escaping dispatch_work_function,
        _ argument: UnsafeMutableRawPointer?
    ) -> Bool {
        // The main thread would wait for itself, as it does without a world.
        if isWaiting, dispatch_work_is_on_main_queue() { return false }
        let end = isWaiting ? DispatchSemaphore(value: 0) : nil
        let body = { function(argument) }
        let target = dispatch_work_is_task_queue(queue) ? self.tasks : queue
        let isHeldBack = self.condition.withLock {
            guard task != 0, self.restCount > 0, !self.isOver else { return false }
            self.turnCounts[task, default: 0] += 1
            guard self.turnCounts[task, default: 0] > Self.turnLimit else { return false }
            self.heldBack.append {
                if self.handOver(to: target, isBarrier, nil, owner, body) { return }
                dispatch_work_hand_over(queue, isBarrier, function, argument)
            }
            return true
        }
        return isHeldBack || self.handOver(to: target, isBarrier, end, owner, body)
    }

    func handOver(
        to queue: UnsafeMutableRawPointer,
        _ isBarrier: Bool,
        _ end: DispatchSemaphore?,
        _ owner: WorkOwner,
        _ body: @escaping () -> Void
    ) -> Bool {
        guard let item = self.add(owner, WorkQueue(queue), end: end, body) else { return false }
        dispatch_work_hand_over(
            queue,
            isBarrier,
            { item in
                guard let item else { return }
                let taken = Unmanaged<WorkItem>.fromOpaque(item).takeRetainedValue()
                taken.owner.work.runIfWaiting(taken)
            },
            Unmanaged.passRetained(item).toOpaque()
        )
        end?.wait()
        return true
    }

    /// Hands work to a queue that has become due there.
    func handOver(
        to queue: UnsafeMutableRawPointer,
        isWaiting: Bool,
        owner: WorkOwner,
        _ function: @escaping dispatch_work_function,
        _ argument: UnsafeMutableRawPointer?
    ) {
        let isTaken = self.handOver(
            to: queue,
            isBarrier: false,
            isWaiting: isWaiting,
            owner: owner,
            task: 0,
            function,
            argument
        )
        if !isTaken { dispatch_work_hand_over(queue, false, function, argument) }
    }

    /// Hands work of the world itself to a queue.
    func handOver(to queue: DispatchQueue, owner: WorkOwner, _ work: @escaping @Sendable () -> Void) {
        dispatch_work_ask_queue()
        queue.async {}
        if let asked = dispatch_work_asked_queue() {
            _ = self.handOver(to: asked, false, nil, owner, work)
        } else if let item = self.add(owner, WorkQueue(label: queue.label, isMain: queue.isMain), end: nil, work) {
            queue.async { self.runIfWaiting(item) }
        }
    }

    private func add(
        _ owner: WorkOwner,
        _ queue: WorkQueue,
        end: DispatchSemaphore?,
        _ body: @escaping () -> Void
    ) -> WorkItem? {
        self.condition.withLock {
            guard !self.isOver else { return nil }
            self.count += 1
            self.mayBeAwake = true
            let item = WorkItem(number: self.count, owner: owner, queue: queue, end: end, body)
            self.items[item.number] = item
            if queue.isMain {
                self.mainItems.append(item)
                self.condition.broadcast()
            }
            return item
        }
    }

    /// Runs an item on its queue, unless the one who waits for rest has.
    private func runIfWaiting(_ item: WorkItem) {
        guard self.condition.withLock({ self.claim(item) }) else { return }
        self.perform(item)
    }

    private func claim(_ item: WorkItem) -> Bool {
        guard case .waiting = item.state else { return false }
        item.state = .running(thread: dispatch_work_thread())
        return true
    }

    private func perform(_ item: WorkItem) {
        item.perform()
        RunLoopTimers.reportStrays(self, on: item.queue.label)
        self.condition.withLock {
            self.items[item.number] = nil
            self.abandoned.remove(item.number)
            self.condition.broadcast()
        }
        item.end?.signal()
    }

    /// Runs work that was set aside, such as that of a timer, as counted work.
    func run(_ owner: WorkOwner, _ body: @escaping () -> Void) {
        let queue = WorkQueue(label: "timer", isMain: false)
        guard let item = self.add(owner, queue, end: nil, body) else { return owner.run(body) }
        self.runIfWaiting(item)
    }

    // MARK: Rest

    /// Whether nothing is on its way.
    var isAtRest: Bool {
        self.condition.withLock { self.items.isEmpty && (self.clock == nil || !self.mayBeAwake) }
    }

    /// A timer or a sleep of the process has ended.
    func somethingWakes() { self.condition.withLock { self.mayBeAwake = true } }

    /// Time has gone on: tasks that were held back go on, too.
    ///
    /// Where a task let it pass that is served while the world waits for rest, that task is one of those: without an end
    /// of its turns the wait would have none. With the clocks of the process what is served waits for the others.
    func timeHasPassed() {
        let isServed = self.condition.withLock { self.restCount > 0 && self.clock == nil }
        if !isServed { self.goOnWithHeldBack() }
    }

    private func goOnWithHeldBack() {
        let heldBack = self.condition.withLock {
            self.turnCounts.removeAll(keepingCapacity: true)
            defer { self.heldBack = [] }
            return self.heldBack
        }
        for handOver in heldBack { handOver() }
    }

    /// Waits until all that was started has ended, or waits for time to pass.
    ///
    /// - Parameter servesMain: Whether work for the main queue is run, where this is the main thread.
    func rest(servesMain: Bool = true) {
        let isMain = servesMain && dispatch_work_is_on_main_queue()
        let thread = dispatch_work_thread()
        var deadline: Date?
        self.condition.lock()
        self.restCount += 1
        defer {
            self.restCount -= 1
            if servesMain { self.startCountAtRest = self.startCount }
            self.condition.unlock()
        }
        while true {
            if isMain, let item = self.nextMainItem() {
                self.condition.unlock()
                self.serve { self.perform(item) }
                self.condition.lock()
                continue
            }
            if let clock = self.clock {
                if self.isStill(by: clock, servesMain: isMain) { return }
                continue
            }
            // Where the test itself is work of the world, it does not wait for itself.
            let others = self.others(than: thread)
            if others.isEmpty || self.stillness.holds(for: others.map(\.look)) { return }
            let end = deadline ?? Date(timeIntervalSinceNow: self.limit)
            deadline = end
            if self.condition.wait(until: Date(timeIntervalSinceNow: Stillness.interval)) { continue }
            let rest = self.others(than: thread)
            let looks = rest.map(\.look)
            if self.stillness.isReached(by: looks) {
                self.noteLimits(of: looks)
                return
            }
            if Date() > end {
                self.mistake = self.mistake ?? self.text(of: rest)
                self.abandoned.formUnion(rest.map(\.number))
                return
            }
        }
    }

    /// The items that a thread waits for; under the lock.
    private func others(than thread: Int32) -> [WorkItem] {
        self.items.values.filter { $0.thread != thread && !self.abandoned.contains($0.number) }
    }

    /// Says so where a thread that is at rest waits for real time; under the lock.
    private func noteLimits(of looks: [Stillness.Look]) {
        guard self.isVirtual, self.timers[.limit] == nil else { return }
        guard looks.contains(where: { $0.activity?.waitsWithLimit == true }) else { return }
        self.timers[.limit] = 1
        RealTimer.say(RealTimer.limit.mistake(of: ""))
    }

    /// Whether all threads are at rest, by the clock of the process; under the lock.
    private func isStill(by clock: any ProcessClock, servesMain: Bool) -> Bool {
        // It was waited for once.
        let limit = self.hasGivenUp ? 0 : self.limit
        self.condition.unlock()
        defer { self.condition.lock() }
        do {
            try clock.rest(within: .milliseconds(Int(limit * 1_000)))
            self.condition.withLock { self.hasGivenUp = false }
        } catch {
            self.reportMistake("\(error)")
            self.condition.withLock { self.hasGivenUp = true }
            return true
        }
        // libdispatch's own thread takes note of what is armed.
        if self.armTimers() { return false }
        return self.condition.withLock {
            // What rests now may have handed over work for the main queue, which goes on with it first.
            guard !servesMain || !self.hasMainItem else { return false }
            self.mayBeAwake = false
            return true
        }
    }

    /// Runs code on the thread of the one who lets time pass, which may wait there for time to pass, where the world has
    /// the clocks of the process.
    func serve<Result>(_ body: () throws -> Result) rethrows -> Result { try self.serve(body, rescue: { throw $0 }) }

    private func serve<Result>(
        _ body: () throws -> Result,
        rescue: (any Error) throws -> Result
    ) rethrows -> Result {
        let isServing = self.condition.withLock {
            defer { self.isServing = true }
            return self.isServing
        }
        defer { if !isServing { self.condition.withLock { self.isServing = false } } }
        guard let clock = self.clock, let step = self.step, !isServing else { return try body() }
        var outcome: Swift.Result<Result, any Error>?
        clock.serve({ outcome = Swift.Result { try body() } }, step: step)
        switch outcome {
        case .success(let result): return result
        case .failure(let error): return try rescue(error)
        case nil: preconditionFailure("the code was not run")
        }
    }

    /// Lets the world do what comes next while the test waits, so that code it runs there cannot wait in the same way.
    func serveStep(_ step: () -> Bool) -> Bool {
        let isServing = self.condition.withLock {
            defer { self.isServing = true }
            return self.isServing
        }
        defer { if !isServing { self.condition.withLock { self.isServing = false } } }
        return step()
    }

    /// Whether there is work for the main queue that nobody has begun.
    private var hasMainItem: Bool {
        self.mainItems.contains { if case .waiting = $0.state { true } else { false } }
    }

    /// The next work for the main queue that nobody has begun.
    private func nextMainItem() -> WorkItem? {
        while let item = self.mainItems.popFirst() {
            if self.claim(item) { return item }
        }
        return nil
    }
}
