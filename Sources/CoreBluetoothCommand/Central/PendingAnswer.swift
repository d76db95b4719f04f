// One answer of Core Bluetooth that an async call waits for, with a time limit.

import CommandLineTool
import Dispatch
import Foundation

/// One answer at a time.
@MainActor
final class PendingAnswer {
    private enum State {
        case idle
        /// The end came before a call waited for it.
        case ended(Result<Void, any Error>)
        case waiting(CheckedContinuation<Void, any Error>, Limit?)
    }

    private struct Limit {
        let seconds: TimeInterval
        let end: DispatchTime
        let late: @MainActor () -> Failure
    }

    private var state = State.idle
    /// Looks at the limit, no later than it ends. It goes on from one call to the next: a timer for each would take a
    /// fifth of the time of a read.
    private var watch: (deadline: Deadline, end: DispatchTime)?
    private let conversation: PairingConversation?

    /// Nothing is awaited.
    ///
    /// - Parameter conversation: Where the user may be busy with a pairing; meanwhile no limit passes.
    init(pausingFor conversation: PairingConversation? = nil) { self.conversation = conversation }

    /// Whether a call waits.
    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Starts something and waits until it is done.
    ///
    /// An end that came before the call is taken at once: nothing is started.
    ///
    /// - Parameters:
    ///   - seconds: The limit; `nil` for none.
    ///   - late: What to fail with when the limit has passed.
    func wait(
        _ seconds: TimeInterval?,
        late: @escaping @MainActor @autoclosure () -> Failure,
        _ start: () -> Void
    ) async throws {
        if case .ended(let result) = state {
            state = .idle
            return try result.get()
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let limit = seconds.map { Limit(seconds: $0, end: .now() + $0, late: late) }
            state = .waiting(continuation, limit)
            if let limit, watch.map({ $0.end > limit.end }) ?? true { look(after: limit.seconds, at: limit.end) }
            start()
        }
    }

    /// Completes the call that waits, or the next one where none does; the first end counts.
    func end(_ result: Result<Void, any Error>) {
        switch state {
        case .idle: state = .ended(result)
        case .ended: break
        case .waiting(let continuation, _):
            state = .idle
            continuation.resume(with: result)
        }
    }

    private func look(after seconds: TimeInterval, at end: DispatchTime) {
        watch?.deadline.cancel()
        watch = (Deadline(after: seconds) { [weak self] in self?.look() }, end)
    }

    /// Fails the call that waits if its limit has passed.
    private func look() {
        watch = nil
        guard case .waiting(_, let limit?) = state else { return }
        let now = DispatchTime.now()
        let left = limit.end > now ? Double(limit.end.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9 : 0
        let pause = conversation?.idleTime.map { limit.seconds - $0 } ?? 0
        guard max(left, pause) > 0 else { return end(.failure(limit.late())) }
        look(after: max(left, pause), at: now + max(left, pause))
    }
}
