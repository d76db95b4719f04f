// The timers of an air: a heap of deadlines over one timer of the event loop. Timers are re-armed lazily: moving a
// deadline later costs one store, and the entry in the heap is moved when its old time comes. Timers that fall due
// together fire in the order in which they were armed, so that runs are repeatable.
//
// The time of an air is that of its event loop minus the time in which the air did not run though a timer was due: its
// process was stopped, or got no processor. So no link or procedure times out while nobody could send anything.

import HeapModule
import NIOCore

/// A timer of an air.
///
/// Its action holds its owner `unowned`, and the owner cancels it when it is deallocated: a weak reference would slow
/// down every retain and release of the owner.
final class AirTimer {
    /// When it fires; `nil` if it is not armed.
    fileprivate(set) var deadline: NIODeadline?
    fileprivate var queuedDeadline: NIODeadline?
    /// The code to run.
    var action: () -> Void = {}

    /// Disarms the timer.
    func cancel() { self.deadline = nil }
}

/// The timers of an air, in the order in which they fall due.
struct AirClock {
    private struct Entry: Comparable {
        let deadline: NIODeadline
        let order: UInt64
        let timer: AirTimer

        static func == (left: Entry, right: Entry) -> Bool { left.order == right.order }

        static func < (left: Entry, right: Entry) -> Bool {
            left.deadline != right.deadline ? left.deadline < right.deadline : left.order < right.order
        }
    }

    private var heap = Heap<Entry>()
    private var nextOrder: UInt64 = 0
    // The deadlines of the event loop's timers, the earliest last. A later one stays when an earlier one is added, so
    // none is ever cancelled.
    private var loopDeadlines: [NIODeadline] = []
    /// The total time in which the air did not run.
    private(set) var stoppedTime = TimeAmount.zero
    /// A timer that is later than this was not late by chance.
    private static let lateness = TimeAmount.milliseconds(250)

    /// The time of the air at a time of the event loop.
    func time(_ loopTime: NIODeadline) -> NIODeadline { loopTime - self.stoppedTime }

    /// Arms `timer`, or moves its deadline.
    mutating func arm(_ timer: AirTimer, at deadline: NIODeadline) {
        timer.deadline = deadline
        if let queued = timer.queuedDeadline, queued <= deadline { return }
        self.push(timer, deadline)
    }

    /// The deadline for which the event loop needs a timer now; `nil` if it has one that is early enough.
    mutating func nextLoopDeadline() -> NIODeadline? {
        guard let next = self.heap.min?.deadline else { return nil }
        if let last = self.loopDeadlines.last, last <= next { return nil }
        self.loopDeadlines.append(next)
        return next
    }

    /// Notes that the event loop's timer for `deadline` has fired.
    mutating func loopReached(_ deadline: NIODeadline, at loopTime: NIODeadline) {
        let late = self.time(loopTime) - deadline
        if late > Self.lateness { self.stoppedTime = self.stoppedTime + late }
        while let last = self.loopDeadlines.last, last <= deadline { self.loopDeadlines.removeLast() }
    }

    /// Removes the next timer that is due and returns its action.
    mutating func popDue(at now: NIODeadline) -> (() -> Void)? {
        while let entry = self.heap.min, entry.deadline <= now {
            self.heap.removeMin()
            let timer = entry.timer
            // Skip an entry that an earlier one of the same timer has replaced.
            guard timer.queuedDeadline == entry.deadline else { continue }
            timer.queuedDeadline = nil
            guard let deadline = timer.deadline else { continue }
            guard deadline <= now else {
                self.push(timer, deadline)
                continue
            }
            timer.deadline = nil
            return timer.action
        }
        return nil
    }

    private mutating func push(_ timer: AirTimer, _ deadline: NIODeadline) {
        timer.queuedDeadline = deadline
        self.heap.insert(Entry(deadline: deadline, order: self.nextOrder, timer: timer))
        self.nextOrder += 1
    }
}
