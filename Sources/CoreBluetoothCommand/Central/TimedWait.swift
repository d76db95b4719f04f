// An async call's wait for a callback, with a time limit.

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
    /// - Parameter conversation: A pairing that may keep the user busy; no limit passes meanwhile.
    init(pausingFor conversation: PairingConversation? = nil) { self.conversation = conversation }

    /// Whether a call waits.
    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Starts something and waits until it is done.
    ///
    /// If the end came before the call, nothing is started and the call returns at once.
    ///
    /// - Parameters:
    ///   - seconds: The limit; `nil` for none.
    ///   - late: The error after the limit.
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

    /// Completes the waiting call, or the next one if none waits; only the first end counts.
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
