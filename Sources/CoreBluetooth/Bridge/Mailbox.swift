// The two hops of the façade. A command goes from the caller's thread to the adapter's event loop, an event goes back
// to the manager's queue; both travel in a mailbox, which wakes its far end once, however many messages wait.
//
// The far end of an event mailbox is a dispatch queue or, in virtual time, the event loop itself. Nothing else differs.

import NIOCore
import Synchronization

/// A one-way message queue.
///
/// The far end is woken when the queue stops being empty, and is never entered twice at a time, even if it is a
/// concurrent queue: it is woken again only when it has handled the messages that it took, and then by itself. A sender
/// counts a message after it has added it, so the count may lag behind, but each change of the count decides once
/// whether the far end has to be woken.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var waiting: [Message] = []
        /// The number of calls of the far end that wait, even without a message.
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
        // Taken out inside the lock, so that no reference count changes.
        var message: Message? = consume message
        self.state.withLock { state in
            if let message = message.take() { state.waiting.append(message) }
        }
        self.count(1)
    }

    /// Has the far end called, even without a message.
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

    /// Counts added or handled messages. Wakes the far end if there are messages and there were none before, or if
    /// there are still messages after it has handled some.
    private func count(_ change: Int) {
        let (old, new) = self.unhandledCount.add(change, ordering: .acquiringAndReleasing)
        if new > 0, old <= 0 || change < 0 { self.wake(self) }
    }

    /// The number of messages that are handed over at a time, so that others have their turn at the far end in between.
    static var batchLimit: Int { 256 }

    /// At the far end: hands over the messages that wait, ``batchLimit`` at most.
    ///
    /// The others, and those that come meanwhile, wait for the next time.
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
