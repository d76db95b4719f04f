// A piece of work on its way: what code of a world has handed to a dispatch queue, to a task or to an actor, and whose
// code that was.

import CDispatchWork
import CoreBluetooth
import Dispatch

/// Whose work it is.
final class WorkOwner: Sendable {
    /// The work of its world.
    let work: WorldWork
    /// The device's place in the order of its world's devices; `nil` for the test itself.
    let place: Int?
    /// What managers belong to that the work makes; `nil` for the test itself.
    let surroundings: Surroundings?

    init(_ work: WorldWork, place: Int?, surroundings: Surroundings?) {
        self.work = work
        self.place = place
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
    /// The queue's name, for messages.
    let label: String
    private let body: () -> Void
    /// What somebody waits for who has handed it over.
    let end: DispatchSemaphore?
    var state = State.waiting
    /// From which stream of random numbers it draws: one of its device and its queue, whatever runs beside it.
    let randomStream: UInt64

    init(number: UInt64, owner: WorkOwner, label: String, end: DispatchSemaphore?, _ body: @escaping () -> Void) {
        self.number = number
        self.owner = owner
        self.label = label
        self.end = end
        self.body = body
        // FNV-1a; zero is for what is no work of a world.
        var stream: UInt64 = 0xCBF2_9CE4_8422_2325 &+ UInt64(owner.place.map { $0 + 1 } ?? 0)
        for octet in label.utf8 { stream = (stream ^ UInt64(octet)) &* 0x0000_0100_0000_01B3 }
        self.randomStream = max(stream, 1)
    }

    /// The number of the thread that runs it; `nil` while it waits.
    var thread: Int32? { if case .running(let thread) = self.state { thread } else { nil } }

    /// Does the work; the one who calls has claimed it.
    func perform() {
        guard let clock = self.owner.work.clock else { return self.owner.run(self.body) }
        let stream = clock.setRandomStream(self.randomStream)
        self.owner.run(self.body)
        _ = clock.setRandomStream(stream)
    }
}
