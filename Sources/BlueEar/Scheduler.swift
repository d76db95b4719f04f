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

/// The scheduler of an app: the main queue, which every Core Bluetooth app on queue `nil` has.
internal final class RunLoopScheduler: WorkScheduler {
    // Not a Foundation timer: on Linux its memory is not released when it has fired or was invalidated.
    private final class Work: ScheduledWork {
        private let timer: DispatchSourceTimer

        init(_ timer: DispatchSourceTimer) { self.timer = timer }

        func cancel() { timer.cancel() }
    }

    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ScheduledWork {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + seconds)
        // The handler holds the timer, so that it fires also where nobody keeps the work; cancelling releases both.
        timer.setEventHandler {
            timer.cancel()
            work()
        }
        timer.resume()
        return Work(timer)
    }
}
