// The thread of a channel's streams: ordinary code for them uses a thread with a run loop.

import Foundation

/// A thread with a run loop.
package final class RunLoopThread {
    package private(set) var runLoop: RunLoop!

    package init() {
        let ready = DispatchSemaphore(value: 0)
        Thread { [unowned self] in
            let runLoop = RunLoop.current
            self.runLoop = runLoop
            let keeper = Timer(fire: .distantFuture, interval: 1e8, repeats: true) { _ in }
            runLoop.add(keeper, forMode: .default)
            ready.signal()
            while runLoop.run(mode: .default, before: .distantFuture) {}
        }.start()
        ready.wait()
    }

    /// Runs `work` on the thread.
    package func perform(_ work: @escaping () -> Void) {
        let alarm = Timer(fire: Date(), interval: 0, repeats: false) { _ in work() }
        self.runLoop.add(alarm, forMode: .default)
    }
}
