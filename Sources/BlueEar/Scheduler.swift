// How the messenger puts work off: "later, unless cancelled". A test that runs in virtual time supplies its own.

import Foundation

/// Work that was put off.
internal protocol ScheduledWork: AnyObject {
    /// Calls the work off; nothing happens where it is done already.
    func cancel()
}

/// Puts work off.
internal protocol WorkScheduler: AnyObject {
    /// Does `work` after `seconds`, on the thread on which Core Bluetooth calls its delegates.
    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ScheduledWork
}

/// The scheduler of an app: Foundation timers on the main run loop, which every Core Bluetooth app on queue `nil` runs.
internal final class RunLoopScheduler: WorkScheduler {
    private final class Work: ScheduledWork {
        private let timer: Timer

        init(_ timer: Timer) { self.timer = timer }

        func cancel() { timer.invalidate() }
    }

    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ScheduledWork {
        // Given as a date: on Linux a timer that is given an interval alone fires at once.
        let timer = Timer(fire: Date(timeIntervalSinceNow: seconds), interval: 0, repeats: false) { _ in work() }
        RunLoop.main.add(timer, forMode: .common)
        return Work(timer)
    }
}
