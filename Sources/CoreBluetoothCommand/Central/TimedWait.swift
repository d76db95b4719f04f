// How an async call waits for something to end, with a time limit; for which callback is `AwaitedCallback`.

import CommandLineTool
import Foundation

/// A wait for one end at a time.
@MainActor
final class TimedWait {
    private enum State {
        case idle
        /// The end came before a call waited for it.
        case ended(Result<Void, any Error>)
        case waiting(CheckedContinuation<Void, any Error>, Deadline?)
    }

    private var state = State.idle
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
            let deadline = seconds.map { seconds in
                Deadline(after: seconds, pausingFor: conversation) { [weak self] in self?.end(.failure(late())) }
            }
            state = .waiting(continuation, deadline)
            start()
        }
    }

    /// Completes the call that waits, or the next one where none does; the first end counts.
    func end(_ result: Result<Void, any Error>) {
        switch state {
        case .idle: state = .ended(result)
        case .ended: break
        case .waiting(let continuation, let deadline):
            state = .idle
            deadline?.cancel()
            continuation.resume(with: result)
        }
    }
}
