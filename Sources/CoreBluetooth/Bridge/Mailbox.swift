// The two hops of the façade. A command goes from wherever the program calls to the adapter's event loop, an event goes
// back to the manager's queue; both travel in a mailbox, which wakes its far end once for however many messages wait.
//
// The far end of an event mailbox is a dispatch queue or, in virtual time, the event loop itself. Nothing else differs.

import NIOCore
import Synchronization

/// A one-way row of messages.
///
/// The far end is woken when the row stops being empty, and is never entered twice at a time, even where it is a
/// concurrent queue.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var waiting: [Message] = []
        /// Whether the far end was woken and has not yet found the mailbox empty.
        var isAwake = false
        /// Whether the far end is to be entered once more, be it with nothing.
        var isCalled = false
    }

    private let state = Mutex(State())
    private let wake: @Sendable (Mailbox<Message>) -> Void

    /// A mailbox whose far end calls ``drain(_:)`` some time after `wake`.
    init(wake: @escaping @Sendable (Mailbox<Message>) -> Void) { self.wake = wake }

    /// Adds a message.
    func send(_ message: consuming Message) {
        // Taken out inside the lock: what it holds is not counted once more.
        var message: Message? = consume message
        let mustWake = self.state.withLock { state in
            if let message = message.take() { state.waiting.append(message) }
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if mustWake { self.wake(self) }
    }

    /// Has the far end called, be it with no message.
    func call() {
        let mustWake = self.state.withLock { state in
            defer { state.isAwake = true }
            state.isCalled = true
            return !state.isAwake
        }
        if mustWake { self.wake(self) }
    }

    /// Adds messages and leaves `batch` empty.
    func send(_ batch: inout [Message]) {
        guard !batch.isEmpty else { return }
        let mustWake = self.state.withLock { state in
            if state.waiting.isEmpty {
                swap(&state.waiting, &batch)
            } else {
                state.waiting.append(contentsOf: batch)
            }
            defer { state.isAwake = true }
            return !state.isAwake
        }
        batch.removeAll(keepingCapacity: true)
        if mustWake { self.wake(self) }
    }

    /// How many messages are handed over at a time, so that others have their turn at the far end in between.
    static var batchLimit: Int { 256 }

    /// At the far end: hands over what waits, ``batchLimit`` messages at most.
    ///
    /// What comes meanwhile, and what is left, waits for the next time.
    func drain(_ receive: (inout [Message]) -> Void) {
        var batch: [Message] = []
        self.state.withLock { state in
            state.isCalled = false
            guard state.waiting.count > Self.batchLimit else { return swap(&state.waiting, &batch) }
            batch = Array(state.waiting.prefix(Self.batchLimit))
            state.waiting.removeFirst(Self.batchLimit)
        }
        receive(&batch)
        batch.removeAll(keepingCapacity: true)
        let mustWake = self.state.withLock { state in
            if state.waiting.isEmpty, !state.isCalled {
                // The storage is used again.
                swap(&state.waiting, &batch)
                state.isAwake = false
                return false
            }
            return true
        }
        if mustWake { self.wake(self) }
    }
}

/// A manager on its way to its queue, or a stream of a channel on its way to its run loop.
///
/// Managers are not `Sendable`, as on Apple's platforms, yet their events start on the event loop. The reference is set
/// once, before anything is sent, and only opened on the manager's queue; weak references may be read from any thread.
/// Beside the run loops of StreamSchedule.swift, this is the one place in the module where the compiler takes our word
/// for it.
final class ManagerReference<Manager: AnyObject>: @unchecked Sendable {
    private weak var manager: Manager?

    /// The manager, while it lives.
    ///
    /// For its own queue alone.
    var onItsQueue: Manager? { self.manager }

    /// Sets the manager, once.
    func set(_ manager: Manager) { self.manager = manager }
}
