// One answer of Core Bluetooth that an async call waits for, with a time limit.

import CommandLineTool
import Foundation

/// One answer at a time.
@MainActor
final class PendingAnswer {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>, Deadline?)
    }

    private var state = State.idle

    /// Whether a call waits.
    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Starts something and waits until it is done.
    ///
    /// - Parameters:
    ///   - seconds: The limit; `nil` for none.
    ///   - late: What to fail with when the limit has passed.
    func wait(
        _ seconds: TimeInterval?,
        late: @escaping @MainActor @autoclosure () -> Failure,
        _ start: () -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let deadline = seconds.map { seconds in
                Deadline(after: seconds) { [weak self] in self?.end(.failure(late())) }
            }
            state = .waiting(continuation, deadline)
            start()
        }
    }

    /// Completes the call that waits; has no effect where none does.
    func end(_ result: Result<Void, any Error>) {
        guard case .waiting(let continuation, let deadline) = state else { return }
        state = .idle
        deadline?.cancel()
        continuation.resume(with: result)
    }
}
