// The two hops of the façade. A command goes from wherever the program calls to the adapter's event loop, an event goes
// back to the manager's queue; both travel in a mailbox, which wakes its far end once for however many messages wait.
//
// The far end of an event mailbox is a dispatch queue or, in virtual time, the event loop itself. Nothing else differs.

import NIOCore
import Synchronization

/// A one-way message queue.
///
/// The far end is woken when the queue stops being empty, and is never entered twice at a time, even if it is a
/// concurrent queue: it is woken again only when it has handled what it took, and then by itself. Who sends counts a
/// message after it has put it in, so the count may lag behind, but it decides once for each time whether there is
/// something to handle.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var waiting: [Message] = []
        /// How often the far end is to be entered once more even if no message waits.
        var calls = 0
    }

    private let state = Mutex(State())
    /// The messages and calls that were not handled yet.
    private let unhandledCount = Atomic(0)
    /// The storage of the last batch. Not protected by the lock: only the far end uses it, which is entered by one
    /// thread at a time, and ``unhandledCount`` orders the entries.
    nonisolated(unsafe) private var storage: [Message] = []
    private let wake: @Sendable (Mailbox<Message>) -> Void

    /// A mailbox whose far end calls ``drain(_:)`` some time after `wake`.
    init(wake: @escaping @Sendable (Mailbox<Message>) -> Void) { self.wake = wake }

    /// Adds a message.
    func send(_ message: consuming Message) {
        // Taken out inside the lock: what it holds is not counted once more.
        var message: Message? = consume message
        self.state.withLock { state in
            if let message = message.take() { state.waiting.append(message) }
        }
        self.count(1)
    }

    /// Has the far end called, even with no message.
    func call() {
        self.state.withLock { $0.calls += 1 }
        self.count(1)
    }

    /// Adds messages and leaves `batch` empty.
    func send(_ batch: inout [Message]) {
        guard !batch.isEmpty else { return }
        let count = batch.count
        self.state.withLock { state in
            if state.waiting.isEmpty {
                swap(&state.waiting, &batch)
            } else {
                state.waiting.append(contentsOf: batch)
            }
        }
        batch.removeAll(keepingCapacity: true)
        self.count(count)
    }

    /// Counts what was added or handled; the far end is woken if there is something to handle for it, and was not
    /// before, or still is.
    private func count(_ change: Int) {
        let (old, new) = self.unhandledCount.add(change, ordering: .acquiringAndReleasing)
        if new > 0, old <= 0 || change < 0 { self.wake(self) }
    }

    /// How many messages are handed over at a time, so that others have their turn at the far end in between.
    static var batchLimit: Int { 256 }

    /// At the far end: hands over what waits, ``batchLimit`` messages at most.
    ///
    /// What comes meanwhile, and what is left, waits for the next time.
    func drain(_ receive: (inout [Message]) -> Void) {
        var batch: [Message] = []
        swap(&self.storage, &batch)
        let handled = self.state.withLock { state in
            defer { state.calls = 0 }
            if state.waiting.count > Self.batchLimit {
                batch = Array(state.waiting.prefix(Self.batchLimit))
                state.waiting.removeFirst(Self.batchLimit)
            } else {
                swap(&state.waiting, &batch)
            }
            return batch.count + state.calls
        }
        receive(&batch)
        batch.removeAll(keepingCapacity: true)
        swap(&self.storage, &batch)
        self.count(-handled)
    }
}

/// A manager on its way to its queue, or a stream of a channel on its way to its run loop.
///
/// Managers are not `Sendable`, as on Apple's platforms, yet their events start on the event loop. The reference is set
/// once, before anything is sent, and only opened on the manager's queue; weak references may be read from any thread.
/// Beside it the compiler takes our word in the module for ``HandedOperation``, for the storage of a mailbox, and for
/// the run loops of StreamSchedule.swift.
final class ManagerReference<Manager: AnyObject>: @unchecked Sendable {
    private weak var manager: Manager?

    /// The manager, while it lives.
    ///
    /// For its own queue alone.
    var onItsQueue: Manager? { self.manager }

    /// Sets the manager, once.
    func set(_ manager: Manager) { self.manager = manager }
}
