// Writes documents off the event loop: a document that changes often is written in its latest state, no more often than
// the disk allows. In virtual time everything is written at once.
//
// Documents that cannot be recovered are synced to the disk (`PrivateFile.Durability.powerFailure`): bonds, the own
// key, identifiers, the state of clients. Others are not: restoration records and databases change with an app's work
// and need to survive `kill -9`, but not a power failure, which ends all links anyway; and counters of signed commands
// change with each command, so that no command waits for the disk.

import BluetoothTransport
import Dispatch
import Foundation
import NIOConcurrencyHelpers

/// The queue of documents to write.
final class StateWriter: Sendable {
    /// Makes a document's new octets, or `nil` to remove it.
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

    /// Schedules `work` to make a document, instead of earlier scheduled work.
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

    /// Writes the document that `work` makes, before this returns.
    ///
    /// Use either always this method for a document, or never.
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

    /// Writes nothing more, as if the process had been killed.
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
