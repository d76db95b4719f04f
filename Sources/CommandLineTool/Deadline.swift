// How long something may take, and which limits a person may set.

import ArgumentParser
import Dispatch
package import Foundation

/// A limit on how long something may take.
@MainActor
package final class Deadline {
    // Not a Timer: an invalidated one is kept by its run loop until it would have fired, with all that its block holds.
    private let timer: any DispatchSourceTimer

    /// Calls `body` after `seconds`, unless called off.
    package init(after seconds: TimeInterval, _ body: @escaping @MainActor () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        self.timer = timer
        timer.schedule(deadline: .now() + seconds)
        // The handler holds the timer, so that it fires also where nobody keeps the deadline; cancelling releases both.
        timer.setEventHandler {
            timer.cancel()
            MainActor.assumeIsolated { body() }
        }
        timer.resume()
    }

    /// Checks a limit that was given as an option, in seconds; `nil` for none.
    package nonisolated static func validate(_ seconds: TimeInterval?) throws {
        guard let seconds else { return }
        guard seconds > 0, seconds <= 86_400 else {
            throw ValidationError("The timeout must be more than 0 and at most 86400 seconds.")
        }
    }

    /// Calls it off.
    package func cancel() { timer.cancel() }
}
