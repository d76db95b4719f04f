// A piece of work on its way: what code of a world has handed to a dispatch queue, to a task or to an actor, and whose
// code that was.

import CDispatchWork
import CoreBluetooth
import Dispatch

/// The place of what work asks for among what other work asks for at the same time.
struct WorkOrder: Comparable {
    /// The device's place in the order of its world's devices; `nil`, before them, for the test itself.
    let device: Int?
    /// How much was started before what began it: what the test itself started, or a call of a device's delegates.
    let start: UInt64

    static func < (left: Self, right: Self) -> Bool {
        (left.device ?? -1, left.start) < (right.device ?? -1, right.start)
    }

    /// The same order as numbers, for the clock of the process; there is place for a million devices.
    var place: UInt64 { UInt64(self.device.map { $0 + 1 } ?? 0) << 44 | self.start & (1 << 44 - 1) }
}

extension Array {
    /// The elements in the order of their work, and those of one work as they came.
    func sorted(by order: KeyPath<Element, WorkOrder>) -> [Element] {
        self.enumerated()
            .sorted { ($0.element[keyPath: order], $0.offset) < ($1.element[keyPath: order], $1.offset) }
            .map(\.element)
    }
}

/// Whose work it is.
final class WorkOwner: Sendable {
    /// The work of its world.
    let work: WorldWork
    /// Its place among others'.
    let order: WorkOrder
    /// From which streams of random numbers it draws, of which each queue has one.
    let streams: UInt64
    /// What managers belong to that the work makes; `nil` for the test itself.
    let surroundings: Surroundings?

    init(_ work: WorldWork, order: WorkOrder, streams: UInt64, surroundings: Surroundings?) {
        self.work = work
        self.order = order
        self.streams = streams
        self.surroundings = surroundings
    }

    /// The owner of what the present thread does; `nil` where that is no work of a world.
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
    /// Which queue it is.
    let identity: UnsafeMutableRawPointer?
    /// Its name, for messages.
    let label: String
    /// Whether its work is done where the main queue is served.
    let isMain: Bool

    /// The queue of libdispatch at an address.
    init(_ identity: UnsafeMutableRawPointer) {
        self.identity = identity
        self.label = String(cString: dispatch_work_label(identity))
        self.isMain = dispatch_work_ends_on_main_queue(identity)
    }

    /// A queue of which no more is known.
    init(label: String, isMain: Bool) {
        self.identity = nil
        self.label = label
        self.isMain = isMain
    }
}

/// Work that was handed over and has not ended.
final class WorkItem: @unchecked Sendable {
    // Unchecked: the body belongs to the one who runs the item, which is decided under the lock of
    // WorldWork; what else changes is used under that lock alone.

    /// Where an item stands.
    enum State {
        case waiting
        /// It runs on a thread with a number.
        case running(thread: Int32)
    }

    let number: UInt64
    let owner: WorkOwner
    let queue: WorkQueue
    private let body: () -> Void
    /// What the thread that has handed it over waits for, where it does.
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

    /// From which stream of random numbers it draws: one of its owner and its queue, whatever runs beside it.
    ///
    /// Zero is for what is no work of a world.
    private var randomStream: UInt64 {
        max(fnv1a(self.queue.label.utf8, from: fnv1aBasis &+ self.owner.streams), 1)
    }

    /// Does the work; the one who calls has claimed it.
    func perform() {
        guard let clock = self.owner.work.clock else { return self.owner.run(self.body) }
        let stream = clock.setRandomStream(self.randomStream)
        let place = clock.setPlace(self.owner.order.place)
        self.owner.run(self.body)
        _ = clock.setPlace(place)
        _ = clock.setRandomStream(stream)
    }
}
