// The work that the code of a world has started: handed to dispatch queues, tasks and actors. A world lets time pass
// only when all of it is at rest, so that code which changes threads gives the same run each time.
//
// Each item is counted from the time it is handed over until it has run, and has the owner of the code that handed it
// over. If the main thread waits for rest, it runs the work of the main queue, which it cannot serve meanwhile. One
// serial queue of the world runs Swift's tasks, so that actors and tasks run in the order in which they were started. A
// thread that waits for something that needs time to pass, such as a semaphore, is at rest; see Stillness.

import CDispatchWork
import CoreBluetooth
import DequeModule
import Dispatch
import Foundation

/// The work of one world.
final class WorldWork: @unchecked Sendable {
    // Unchecked: the lock of `condition` protects everything that changes.

    /// The number of times that a task may continue before time must pass: a task that calls `Task.yield()` until
    /// something happens never comes to rest.
    private static let turnLimit = 32
    /// The time limit for work to come to rest, in seconds of real time, before the world continues without it.
    var limit = WorldLimits.rest / .seconds(1)

    let condition = NSCondition()
    var isOver = false
    /// The number of items so far.
    private var count: UInt64 = 0
    private var items: [UInt64: WorkItem] = [:]
    /// The items for the main queue in order; the queue itself may already have run some.
    private var mainItems: Deque<WorkItem> = []
    private var stillness = Stillness()
    /// The items without which the world continues.
    private var abandoned: Set<UInt64> = []
    /// The pace of the world's time.
    var pace: WorldPace?
    /// Whether the process did not come to rest; its clocks stop until it does.
    private(set) var hasGivenUp = false
    /// The clocks of the process, if they follow the world's time.
    var clock: (any ProcessClock)?
    /// Runs the world's next step while the thread that lets time pass waits in code of the world; returns `false` if
    /// there is none.
    var step: (() -> Bool)?
    private var isServing = false
    /// Whether threads may be awake without handing work over; only the clock of the process sees them.
    var mayBeAwake = false
    /// The number of nested waits for rest: such a wait may serve a task of the test that lets time pass.
    private var restCount = 0
    /// The number of times that each task has continued since held back tasks were last released.
    private var turnCounts: [UInt64: Int] = [:]
    /// The continuations of tasks that have continued so often that they seem to wait for time to pass.
    private var heldBack: [() -> Void] = []
    var mistake: String?
    /// The numbers of known pending timers of the process.
    var timers: [RealTimer: Int] = [:]
    /// The functions that started the latest of them, if known.
    var timerCallers: [RealTimer: String] = [:]
    /// Runs tasks without a custom executor.
    private let tasks = dispatch_work_make_queue("Swift tasks of the world")
    /// The number of starts by code that is not work itself, and their number at the last rest.
    private var startCount: UInt64 = 0
    private var startCountAtRest: UInt64 = 0
    /// The timers of the process that work has armed since the last rest, with their order.
    var armings: [(order: WorkOrder, arm: () -> Void)] = []

    init() {
        WorkObserver.start()
    }

    /// Stops counting.
    func end() {
        self.condition.withLock { self.isOver = true }
        self.armTimers()
        self.goOnWithHeldBack()
    }

    // MARK: Owners

    /// Creates the owner of work that the present thread hands over: it continues the thread's own work, or is a new
    /// start.
    ///
    /// - Parameter place: The index of the device in its world; `nil` for the test itself.
    func makeOwner(place: Int?, context: WorkContext?) -> WorkOwner {
        let outer = WorkOwner.ofThread.flatMap { $0.work === self ? $0.order.start : nil }
        let (start, countSinceRest) = self.condition.withLock {
            if outer == nil { self.startCount += 1 }
            return (outer ?? self.startCount, self.startCount - self.startCountAtRest)
        }
        return WorkOwner(
            self,
            order: WorkOrder(device: place, start: start),
            // Work of the test draws from a few thousand streams, which are reused after each rest.
            streams: place.map { UInt64($0) + 1 } ?? countSinceRest << 32,
            context: context
        )
    }

    // MARK: Handing over

    /// Handles work for a queue; returns `false` if the caller must hand it over itself.
    func handOver(
        to queue: UnsafeMutableRawPointer,
        isBarrier: Bool,
        isWaiting: Bool,
        owner: WorkOwner,
        task: UInt64,
        _ function: @escaping dispatch_work_function,
        _ argument: UnsafeMutableRawPointer?
    ) -> Bool {
        // The main thread would wait for itself.
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

    /// Hands due work to a queue.
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

    /// Runs an item on its queue, unless the thread that waits for rest has.
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

    /// Runs deferred work, such as that of a timer, as counted work.
    func run(_ owner: WorkOwner, _ body: @escaping () -> Void) {
        let queue = WorkQueue(label: "timer", isMain: false)
        guard let item = self.add(owner, queue, end: nil, body) else { return owner.run(body) }
        self.runIfWaiting(item)
    }

    // MARK: Rest

    /// Whether no work is pending.
    var isAtRest: Bool {
        self.condition.withLock { self.items.isEmpty && (self.clock == nil || !self.mayBeAwake) }
    }

    /// Notes that a timer or a sleep of the process has ended.
    func somethingWakes() { self.condition.withLock { self.mayBeAwake = true } }

    /// Continues tasks that were held back, since time has passed.
    ///
    /// Except if a task that is served during a wait for rest let it pass, which may be held back itself: the wait
    /// would never end. With the clocks of the process, the served task waits for the others.
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

    /// Waits until all work has ended or waits for time to pass.
    ///
    /// - Parameter servesMain: Whether to run work for the main queue if this is the main thread.
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
            // If the test itself is work of the world, it must not wait for itself.
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

    /// The items for which a thread waits; call under the lock.
    private func others(than thread: Int32) -> [WorkItem] {
        self.items.values.filter { $0.thread != thread && !self.abandoned.contains($0.number) }
    }

    /// Reports a thread at rest that waits for real time; call under the lock.
    private func noteLimits(of looks: [Stillness.Look]) {
        guard self.isVirtual, self.timers[.limit] == nil else { return }
        guard looks.contains(where: { $0.activity?.waitsWithLimit == true }) else { return }
        self.timers[.limit] = 1
        RealTimer.say(RealTimer.limit.mistake(of: ""))
    }

    /// Whether all threads are at rest, according to the clock of the process; call under the lock.
    private func isStill(by clock: any ProcessClock, servesMain: Bool) -> Bool {
        // The time limit has already passed once.
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
        // libdispatch's own thread must notice the armed timers.
        if self.armTimers() { return false }
        return self.condition.withLock {
            // Work that rests now may have handed over work for the main queue, which comes first.
            guard !servesMain || !self.hasMainItem else { return false }
            self.mayBeAwake = false
            return true
        }
    }

    /// Runs code on the thread that lets time pass. With the clocks of the process, the code may wait there for time to
    /// pass.
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

    /// Runs the world's next step while the test waits; code in that step cannot wait in the same way.
    func serveStep(_ step: () -> Bool) -> Bool {
        let isServing = self.condition.withLock {
            defer { self.isServing = true }
            return self.isServing
        }
        defer { if !isServing { self.condition.withLock { self.isServing = false } } }
        return step()
    }

    /// Whether there is work for the main queue that has not begun.
    private var hasMainItem: Bool {
        self.mainItems.contains { if case .waiting = $0.state { true } else { false } }
    }

    /// The next work for the main queue that has not begun.
    private func nextMainItem() -> WorkItem? {
        while let item = self.mainItems.popFirst() {
            if self.claim(item) { return item }
        }
        return nil
    }
}
