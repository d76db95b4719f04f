// Time limits, and the range that a person may choose from.

import ArgumentParser
import Dispatch
package import Foundation

/// A time limit.
@MainActor
package final class Deadline {
    /// The longest time limit, in seconds, that a person may set: a day.
    package nonisolated static let longest: TimeInterval = 86_400

    // Not a Timer: its run loop keeps an invalidated one, and all that its block captures, until it would have fired.
    private let timer: any DispatchSourceTimer

    /// Calls `body` after `seconds` in which the user was not busy with a pairing, unless cancelled.
    package convenience init(
        after seconds: TimeInterval,
        pausingFor conversation: PairingConversation?,
        _ body: @escaping @MainActor () -> Void
    ) {
        guard let conversation else {
            self.init(after: seconds, body)
            return
        }
        let isPutOff: @MainActor (any DispatchSourceTimer) -> Bool = { timer in
            guard let idle = conversation.idleTime, idle < seconds else { return false }
            timer.schedule(deadline: .now() + max(0.01, seconds - idle))
            return true
        }
        self.init(after: seconds, isPutOff: isPutOff, body: body)
    }

    /// Calls `body` after `seconds`, unless cancelled.
    package convenience init(after seconds: TimeInterval, _ body: @escaping @MainActor () -> Void) {
        self.init(after: seconds, isPutOff: { _ in false }, body: body)
    }

    /// - Parameter isPutOff: Called at the deadline; true if it has set the timer again.
    private init(
        after seconds: TimeInterval,
        isPutOff: @escaping @MainActor (any DispatchSourceTimer) -> Bool,
        body: @escaping @MainActor () -> Void
    ) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        self.timer = timer
        timer.schedule(deadline: .now() + seconds)
        // The handler retains the timer, so it fires even if nobody keeps the deadline; cancelling releases both.
        timer.setEventHandler {
            MainActor.assumeIsolated {
                guard !isPutOff(timer) else { return }
                timer.cancel()
                body()
            }
        }
        timer.resume()
    }

    /// Checks a wait, in seconds, given as an argument or an option.
    package nonisolated static func validateWait(_ seconds: TimeInterval) throws {
        guard seconds >= 0, seconds <= longest else {
            throw ValidationError("The wait in seconds must be from 0 to \(Int(longest)).")
        }
    }

    /// Checks a timeout, in seconds, given as an option; `nil` for none.
    package nonisolated static func validate(_ seconds: TimeInterval?) throws {
        guard let seconds else { return }
        guard seconds > 0, seconds <= longest else {
            throw ValidationError("The timeout must be more than 0 and at most \(Int(longest)) seconds.")
        }
    }

    /// Cancels the deadline.
    package func cancel() { timer.cancel() }
}
