// Writes documents beside the event loop: a document that changes often is written as it is when its turn comes, and no
// more often than the disk allows. In virtual time everything is written at once.
//
// What nobody else remembers is on the disk before it counts as written (`PrivateFile.Durability.powerFailure`): bonds, the
// own key, identifiers, what is kept of clients. Two kinds are not: restoration records and databases change with what an
// app does and have to survive the next `kill -9` rather than the next power failure, after which there is neither a link
// nor a controller as before; and counters of signed commands change with each command, so that none waits for the disk.

import BluetoothTransport
import Dispatch
import Foundation
import NIOConcurrencyHelpers

/// The row of documents to be written.
final class StateWriter: Sendable {
    /// What is to become of a document: its new octets, or `nil` to remove it.
    typealias Work = @Sendable () throws -> Data?

    private struct Waiting {
        var durability: PrivateFile.Durability
        var work: Work
    }

    private struct State {
        var waiting: [String: Waiting] = [:]
        var order: [String] = []
        var isScheduled = false
        var isStopped = false
    }

    let storage: any StateStorage
    private let state = NIOLockedValueBox(State())
    private let queue = DispatchQueue(label: "corebluetooth.state", qos: .utility)

    init(_ storage: any StateStorage) { self.storage = storage }

    /// Lets a document be what `work` makes, in place of what waited for it.
    ///
    /// `work` runs later on a queue of the writer.
    func write(_ name: String, _ durability: PrivateFile.Durability = .powerFailure, _ work: @escaping Work) {
        if self.storage.isImmediate {
            self.writeNow(name, durability, work)
            return
        }
        let waiting = Waiting(durability: durability, work: work)
        let mustSchedule = self.state.withLockedValue { state in
            guard !state.isStopped else { return false }
            if state.waiting.updateValue(waiting, forKey: name) == nil { state.order.append(name) }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { self.queue.async { self.drain() } }
    }

    /// Lets a document be what `work` makes, before this returns.
    ///
    /// A document is written either always in this way or never.
    /// - Returns: Whether it is written.
    @discardableResult
    func writeNow(
        _ name: String,
        _ durability: PrivateFile.Durability = .powerFailure,
        _ work: @escaping Work
    ) -> Bool {
        guard !self.state.withLockedValue({ $0.isStopped }) else { return false }
        return self.perform(name, Waiting(durability: durability, work: work))
    }

    /// Waits until everything is written.
    func flush() { self.queue.sync { self.drain() } }

    /// Writes nothing more, as a process that was killed.
    func stop() {
        self.state.withLockedValue { state in
            state.isStopped = true
            state.waiting = [:]
            state.order = []
        }
    }

    private func drain() {
        let works = self.state.withLockedValue { state in
            defer {
                state.waiting = [:]
                state.order = []
                state.isScheduled = false
            }
            return state.order.compactMap { name in state.waiting[name].map { (name, $0) } }
        }
        for (name, waiting) in works { self.perform(name, waiting) }
    }

    @discardableResult
    private func perform(_ name: String, _ waiting: Waiting) -> Bool {
        do {
            try self.storage.write(name, waiting.durability, waiting.work)
            return true
        } catch {
            Notice.once("cannot keep \(name): \(error)")
            return false
        }
    }
}
