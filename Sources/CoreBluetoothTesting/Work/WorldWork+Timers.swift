// The timers of the process that the work of a world has started, and the messages on work and timers that keep the
// world from continuing.

import CDispatchWork
import Dispatch

extension WorldWork {
    // MARK: Timers

    /// Defers that work arms a timer of the process; returns `false` if the work must arm it itself.
    ///
    /// Of timers with the same deadline, the first one armed fires first. Several threads arm theirs in an order that
    /// no seed determines, so all are armed when all work is at rest.
    func takeArming(_ order: WorkOrder, _ arm: @escaping () -> Void) -> Bool {
        self.condition.withLock {
            guard self.clock != nil, !self.isOver else { return false }
            self.mayBeAwake = true
            self.armings.append((order, arm))
            return true
        }
    }

    /// Arms the deferred timers; returns whether there were any.
    @discardableResult
    func armTimers() -> Bool {
        let armings = self.condition.withLock {
            defer { self.armings = [] }
            return self.armings
        }
        for arming in armings.sorted(by: \.order) { arming.arm() }
        return !armings.isEmpty
    }

    /// Whether the world's time passes instantly, and timers of the process do not follow it.
    var isVirtual: Bool { self.clock == nil && self.pace?.isInstant != false }

    /// Handles the start of a timer of the process.
    func begin(_ timer: RealTimer) {
        self.countTimer(1, of: timer)
        guard self.isVirtual else { return }
        let caller = RealTimer.caller
        if !caller.isEmpty { self.condition.withLock { self.timerCallers[timer] = caller } }
        RealTimer.say(timer.mistake(of: caller))
    }

    /// Handles the start of a thread's sleep; only the first one of a world is reported.
    func beginSleep() {
        guard self.isVirtual, self.condition.withLock({ self.timers.updateValue(1, forKey: .threadSleep) }) == nil
        else { return }
        RealTimer.say(RealTimer.threadSleep.mistake(of: RealTimer.caller))
    }

    /// Handles the end of a timer of the process.
    func end(_ timer: RealTimer) { self.countTimer(-1, of: timer) }

    func countTimer(_ change: Int, of timer: RealTimer = .after) {
        self.condition.withLock { self.timers[timer, default: 0] += change }
    }

    /// The probable reason why a condition does not become true, for the end of a sentence; `nil` if unknown.
    var likelyCause: String? {
        let timers = self.condition.withLock { self.isVirtual ? self.timers.filter { $0.value > 0 } : [:] }
        guard !timers.isEmpty else { return nil }
        let count = timers.values.reduce(0, +)
        let callers = self.condition.withLock { self.timerCallers }
        let names = timers.keys.map { $0.name + (callers[$0].map { " in \($0)" } ?? "") }.sorted()
            .joined(separator: ", ")
        return """
            the devices' code waits for \(count == 1 ? "a timer" : "\(count) timers") of real time (\(names)), next to \
            none of which passes here: use World(time: .process) of CoreBluetoothProcessTime, or give the code world.clock
            """
    }

    /// Hands work to the main queue.
    func handOver(toMainQueueFor owner: WorkOwner, _ work: @escaping () -> Void) {
        if self.handOver(to: dispatch_work_main_queue(), false, nil, owner, work) { return }
        nonisolated(unsafe) let work = work
        DispatchQueue.main.async { work() }
    }

    /// Ends the wait for the next task, since an earlier one may have been added.
    func wakePace() { self.pace?.wake() }

    // MARK: Mistakes

    /// Removes and returns the mistake that kept the world from continuing.
    func takeMistake() -> String? {
        self.condition.withLock {
            defer { self.mistake = nil }
            return self.mistake
        }
    }

    /// Remembers the first mistake.
    func reportMistake(_ text: String) { self.condition.withLock { self.mistake = self.mistake ?? text } }

    /// The message on items that do not come to rest.
    func text(of items: [WorkItem]) -> String {
        let queues = Set(items.map { "\"\($0.queue.label)\" (\($0.thread == nil ? "not begun" : "running"))" }).sorted()
        let limit = decimal(self.limit, places: 1, trims: true)
        return """
            the work of the world does not come to rest: after \(limit) s of real time there is work on \
            \(queues.joined(separator: ", ")); where it has not begun, nobody serves that queue (the main queue needs \
            the main thread); where it runs, it does so without end or waits for a timer of the real world
            """ + items.compactMap(\.thread).map(Self.functions).joined()
    }

    /// A line for a thread, and one for each function on its stack.
    private static func functions(ofThread thread: Int32) -> String {
        let functions = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8_192) { text in
            guard let start = text.baseAddress else { return "" }
            dispatch_work_describe_thread(thread, start, Int32(text.count))
            return String(cString: start)
        }
        return functions.isEmpty ? "" : "\nthread \(thread):\n\(functions.dropLast())"
    }
}
