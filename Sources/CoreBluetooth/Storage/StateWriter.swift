// Writes documents beside the event loop: a document that changes often is written as it is when its turn comes, and no
// more often than the disk allows. In virtual time everything is written at once.

import Dispatch
import Foundation
import NIOConcurrencyHelpers

/// The row of documents to be written.
final class StateWriter: Sendable {
    /// What is to become of a document: its new octets, or `nil` to remove it.
    typealias Work = @Sendable () throws -> Data?

    private struct State {
        var waiting: [String: Work] = [:]
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
    func write(_ name: String, _ work: @escaping Work) {
        if self.storage.isImmediate {
            if !self.state.withLockedValue({ $0.isStopped }) { self.perform(name, work) }
            return
        }
        let mustSchedule = self.state.withLockedValue { state in
            guard !state.isStopped else { return false }
            if state.waiting.updateValue(work, forKey: name) == nil { state.order.append(name) }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { self.queue.async { self.drain() } }
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
        for (name, work) in works { self.perform(name, work) }
    }

    private func perform(_ name: String, _ work: @escaping Work) {
        do {
            try self.storage.write(name, work)
        } catch {
            Notice.once("cannot keep \(name): \(error)")
        }
    }
}
