// How the messenger schedules work: "later, unless cancelled". A test that runs in virtual time supplies its own
// scheduler.

import Foundation

/// Scheduled work.
internal protocol ScheduledWork: AnyObject {
    /// Cancels the work; does nothing if it is done already.
    func cancel()
}

/// Schedules work.
internal protocol WorkScheduler: AnyObject {
    /// Runs `work` after `seconds`, on the thread on which Core Bluetooth calls its delegates.
    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ScheduledWork
}

/// An app's scheduler: the main queue, on which every app with the Core Bluetooth queue `nil` runs.
internal final class RunLoopScheduler: WorkScheduler {
    // Not a Foundation timer: on Linux its memory is not released after it has fired or was invalidated.
    private final class Work: ScheduledWork {
        private let timer: DispatchSourceTimer

        init(_ timer: DispatchSourceTimer) { self.timer = timer }

        func cancel() { timer.cancel() }
    }

    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ScheduledWork {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + seconds)
        // The handler retains the timer, so it fires even if nobody keeps the work; cancelling releases both.
        timer.setEventHandler {
            timer.cancel()
            work()
        }
        timer.resume()
        return Work(timer)
    }
}
