// How long something may take.

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

    /// Calls it off.
    package func cancel() { timer.invalidate() }
}
