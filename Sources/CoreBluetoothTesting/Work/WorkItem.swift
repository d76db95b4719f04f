// A piece of pending work, which code of a world has handed to a dispatch queue, a task or an actor, and its owner.

import CDispatchWork
import CoreBluetooth
import Dispatch

/// The order of requests by different work at the same time.
struct WorkOrder: Comparable {
    /// The index of the device in its world; `nil`, which comes first, for the test itself.
    let device: Int?
    /// The number of earlier starts, by the test itself or by calls of delegates, before the one that began it.
    let start: UInt64

    static func < (left: Self, right: Self) -> Bool {
        (left.device ?? -1, left.start) < (right.device ?? -1, right.start)
    }

    /// The same order as a number, for the clock of the process, with space for a million devices.
    var place: UInt64 { UInt64(self.device.map { $0 + 1 } ?? 0) << 44 | self.start & (1 << 44 - 1) }
}

extension Array {
    /// The elements sorted by their work; those of the same work keep their order.
    func sorted(by order: KeyPath<Element, WorkOrder>) -> [Element] {
        self.enumerated()
            .sorted { ($0.element[keyPath: order], $0.offset) < ($1.element[keyPath: order], $1.offset) }
            .map(\.element)
    }
}

/// The owner of work.
final class WorkOwner: Sendable {
    /// The work of its world.
    let work: WorldWork
    /// Its order among other work.
    let order: WorkOrder
    /// The streams of random numbers from which it draws, one for each queue.
    let streams: UInt64
    /// The context of managers that the work creates; `nil` for the test itself.
    let context: WorkContext?

    init(_ work: WorldWork, order: WorkOrder, streams: UInt64, context: WorkContext?) {
        self.work = work
        self.order = order
        self.streams = streams
        self.context = context
    }

    /// The owner of the present thread's work; `nil` if it is not work of a world.
    static var ofThread: WorkOwner? {
        dispatch_work_owner().map { Unmanaged<WorkOwner>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs code as work of this owner.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = dispatch_work_owner()
        dispatch_work_set_owner(Unmanaged.passUnretained(self).toOpaque())
        defer { dispatch_work_set_owner(outer) }
        return try withExtendedLifetime(self) { try body() }
    }
}

/// The queue that work was handed to.
struct WorkQueue {
    /// The queue's address.
    let identity: UnsafeMutableRawPointer?
    /// Its name, for messages.
    let label: String
    /// Whether it is the main queue or targets it.
    let isMain: Bool

    /// Creates a description of the libdispatch queue at an address.
    init(_ identity: UnsafeMutableRawPointer) {
        self.identity = identity
        self.label = String(cString: dispatch_work_label(identity))
        self.isMain = dispatch_work_ends_on_main_queue(identity)
    }

    /// Creates a description of a queue of unknown address.
    init(label: String, isMain: Bool) {
        self.identity = nil
        self.label = label
        self.isMain = isMain
    }
}

/// Work that was handed over and has not ended.
final class WorkItem: @unchecked Sendable {
    // Unchecked: the thread that runs the item uses the body, which the lock of WorldWork decides; everything else that
    // changes is protected by that lock.

    /// The state of an item.
    enum State {
        case waiting
        /// It runs on a thread with a number.
        case running(thread: Int32)
    }

    let number: UInt64
    let owner: WorkOwner
    let queue: WorkQueue
    private let body: () -> Void
    /// Signalled at the end, if the thread that has handed it over waits for it.
    let end: DispatchSemaphore?
    var state = State.waiting

    init(number: UInt64, owner: WorkOwner, queue: WorkQueue, end: DispatchSemaphore?, _ body: @escaping () -> Void) {
        self.number = number
        self.owner = owner
        self.queue = queue
        self.end = end
        self.body = body
    }

    /// The number of the thread that runs it; `nil` while it waits.
    var thread: Int32? { if case .running(let thread) = self.state { thread } else { nil } }

    /// The stream of random numbers from which it draws: one for its owner and queue, whatever runs concurrently.
    ///
    /// Zero is for code that is not work of a world.
    private var randomStream: UInt64 {
        max(fnv1a(self.queue.label.utf8, from: fnv1aBasis &+ self.owner.streams), 1)
    }

    /// Runs the work; the caller must have claimed it.
    func perform() {
        guard let clock = self.owner.work.clock else { return self.owner.run(self.body) }
        let stream = clock.setRandomStream(self.randomStream)
        let place = clock.setPlace(self.owner.order.place)
        self.owner.run(self.body)
        _ = clock.setPlace(place)
        _ = clock.setRandomStream(stream)
    }
}
