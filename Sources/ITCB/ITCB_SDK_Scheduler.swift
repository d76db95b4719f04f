// How the SDK schedules work. It needs a few timers and no clock: "later, unless cancelled". A test that runs in
// virtual time supplies its own scheduler.

import Foundation

/// Scheduled work.
internal protocol ITCB_SDK_ScheduledWork: AnyObject {
    /// Cancels the work; does nothing if it is done already.
    func cancel()
}

/// Schedules work.
internal protocol ITCB_SDK_Scheduler: AnyObject {
    /// Runs `work` after `seconds`, on the thread on which Core Bluetooth calls its delegates.
    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ITCB_SDK_ScheduledWork
}

/// An app's scheduler: the main queue, on which every app with the Core Bluetooth queue `nil` runs.
internal final class _ITCB_SDK_RunLoopScheduler: ITCB_SDK_Scheduler {
    // Not a Foundation timer: on Linux its memory is not released after it has fired or was invalidated.
    private final class Work: ITCB_SDK_ScheduledWork {
        private let timer: DispatchSourceTimer

        init(_ timer: DispatchSourceTimer) { self.timer = timer }

        func cancel() { timer.cancel() }
    }

    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ITCB_SDK_ScheduledWork {
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
