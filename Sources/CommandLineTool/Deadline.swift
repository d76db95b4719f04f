// How long something may take, and which limits a person may set.

import ArgumentParser
package import Foundation

/// A limit on how long something may take.
@MainActor
package final class Deadline {
    private let timer: Timer

    /// Calls `body` after `seconds`, unless called off.
    package init(after seconds: TimeInterval, _ body: @escaping @MainActor () -> Void) {
        // Given as a date: on Linux a timer that is given an interval alone fires at once.
        timer = Timer(fire: Date(timeIntervalSinceNow: seconds), interval: 0, repeats: false) { _ in
            MainActor.assumeIsolated { body() }
        }
        RunLoop.main.add(timer, forMode: .common)
    }

    /// Checks a limit that was given as an option, in seconds; `nil` for none.
    package nonisolated static func validate(_ seconds: TimeInterval?) throws {
        guard let seconds else { return }
        guard seconds > 0, seconds <= 86_400 else {
            throw ValidationError("The timeout must be more than 0 and at most 86400 seconds.")
        }
    }

    /// Calls it off.
    package func cancel() { timer.invalidate() }
}
