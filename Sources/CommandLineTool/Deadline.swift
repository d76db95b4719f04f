// How long something may take, and which limits a person may set.

import ArgumentParser
import Dispatch
package import Foundation

/// A limit on how long something may take.
@MainActor
package final class Deadline {
    /// The longest time, in seconds, that a person may set: a day.
    package nonisolated static let longest: TimeInterval = 86_400

    // Not a Timer: an invalidated one is kept by its run loop until it would have fired, with all that its block holds.
    private let timer: any DispatchSourceTimer

    /// Calls `body` after `seconds` in which the user was not busy with a pairing, unless called off.
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

    /// Calls `body` after `seconds`, unless called off.
    package convenience init(after seconds: TimeInterval, _ body: @escaping @MainActor () -> Void) {
        self.init(after: seconds, isPutOff: { _ in false }, body: body)
    }

    /// - Parameter isPutOff: Asked when the time has come; true where it has set the timer anew.
    private init(
        after seconds: TimeInterval,
        isPutOff: @escaping @MainActor (any DispatchSourceTimer) -> Bool,
        body: @escaping @MainActor () -> Void
    ) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        self.timer = timer
        timer.schedule(deadline: .now() + seconds)
        // The handler holds the timer, so that it fires also where nobody keeps the deadline; cancelling releases both.
        timer.setEventHandler {
            MainActor.assumeIsolated {
                guard !isPutOff(timer) else { return }
                timer.cancel()
                body()
            }
        }
        timer.resume()
    }

    /// Checks a number of seconds to wait that was given as an argument or an option.
    package nonisolated static func validateWait(_ seconds: TimeInterval) throws {
        guard seconds >= 0, seconds <= longest else {
            throw ValidationError("The seconds are from 0 to \(Int(longest)).")
        }
    }

    /// Checks a limit that was given as an option, in seconds; `nil` for none.
    package nonisolated static func validate(_ seconds: TimeInterval?) throws {
        guard let seconds else { return }
        guard seconds > 0, seconds <= longest else {
            throw ValidationError("The timeout must be more than 0 and at most \(Int(longest)) seconds.")
        }
    }

    /// Calls it off.
    package func cancel() { timer.cancel() }
}
