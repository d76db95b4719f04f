// Flow control between an app and the event loop: the PDUs without an answer that may wait for the radio. Both sides
// have the same window: the app's calls count the PDUs that they send, the event loop those that have left. So the
// app's queue is woken when the app waits to send, and not for every PDU. The memory of PDUs that have left comes back
// with their count.

import NIOCore
import Synchronization

/// Counts the PDUs on their way on one connection.
///
/// Full at ``size``; that PDUs can be sent again is reported at half of that. A window with `reportsEmpty` also reports
/// that all of them have left.
final class TransmitWindow: Sendable {
    private struct State {
        var count = 0
        /// Whether the app waits until half of the PDUs have left; set when the window is full.
        var isWaitedFor = false
        var buffers: [ByteBuffer] = []

        mutating func add() {
            self.count += 1
            if self.count >= TransmitWindow.size { self.isWaitedFor = true }
        }
    }

    /// The number of PDUs that may wait.
    static let size = 64

    private let state = Mutex(State())
    private let reportsEmpty: Bool

    init(reportsEmpty: Bool = false) { self.reportsEmpty = reportsEmpty }

    /// The number of PDUs on their way.
    var count: Int { self.state.withLock { $0.count } }

    /// Whether another PDU may be sent.
    var canSend: Bool { self.state.withLock { !$0.isWaitedFor } }

    /// Counts a PDU on its way, even if the window is full, unless `limit` are on their way already. Returns whether it
    /// was counted.
    @discardableResult
    func add(limit: Int = .max) -> Bool {
        self.state.withLock { state in
            guard state.count < limit else { return false }
            state.add()
            return true
        }
    }

    /// Counts a PDU on its way unless the app has to wait, as it has if the window is full.
    func addIfWritable() -> Bool {
        self.state.withLock { state in
            guard !state.isWaitedFor else { return false }
            state.add()
            return true
        }
    }

    /// Notes that an app could not send and waits until it can.
    func refuse() { self.state.withLock { $0.isWaitedFor = true } }

    /// Memory of a PDU that has left, for the next one; `nil` if there is none.
    func takeBuffer() -> ByteBuffer? { self.state.withLock { $0.buffers.popLast() } }

    /// Counts PDUs that have left, and takes as many of `buffers`. Returns whether to report that the app can send
    /// again.
    func remove(_ count: Int, buffers: inout [ByteBuffer]) -> Bool {
        self.state.withLock { state in
            for _ in 0..<min(count, Self.size - state.buffers.count) {
                guard let buffer = buffers.popLast() else { break }
                state.buffers.append(buffer)
            }
            let hadSome = state.count > 0
            state.count = max(0, state.count - count)
            if state.isWaitedFor, state.count <= Self.size / 2 {
                state.isWaitedFor = false
                return true
            }
            return self.reportsEmpty && hadSome && state.count == 0
        }
    }
}
