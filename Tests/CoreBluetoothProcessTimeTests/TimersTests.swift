// Each way to wait that Foundation, Dispatch and Swift have, in the time of a world.

import Foundation
import Testing

@Suite("Timers and waits in process time")
struct TimersTests {
    /// The beginning of a world.
    static let beginning = Date(timeIntervalSince1970: 1_735_689_600)

    // Held over a call of the world, which asynchronous code may not do.
    static func lock(_ lock: NSLock) { lock.lock() }
    static func unlock(_ lock: NSLock) { lock.unlock() }

    @Test("passes the world's time for asyncAfter, dispatch timers and dates")
    func dispatch() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let queue = DispatchQueue(label: "q")
            queue.asyncAfter(deadline: .now() + 1.5) { lines("after \(Date().timeIntervalSince1970)") }
            queue.asyncAfter(wallDeadline: .now() + 2.5) { lines("wall \(Date().timeIntervalSince1970)") }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + 0.25, repeating: 0.5)
            timer.setEventHandler { lines("timer \(now())") }
            timer.resume()
            try process.run(until: 2)
            timer.cancel()
            try process.run(until: 3600)
            #expect(
                lines.all == [
                    "timer 0.25", "timer 0.75", "timer 1.25", "after 1735689601.5", "timer 1.75", "wall 1735689602.5",
                ]
            )
            #expect(Date() == TimersTests.beginning + 3600)
            #expect(DispatchTime.now().uptimeNanoseconds == (86400 + 3600) * 1_000_000_000)
            process.end()
            #expect(Date() > TimersTests.beginning + 86400)
        }
    }

    @Test("passes the world's time for run loops and sleeping threads")
    func threads() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let (loop, sleeps) = (Lines(), Lines())
            Thread.detachNewThread {
                let timer = Timer(timeInterval: 0.5, repeats: true) { _ in loop("\(now())") }
                RunLoop.current.add(timer, forMode: .default)
                RunLoop.current.run(until: TimersTests.beginning + 1.75)
                // A date of today has a precision of a tenth of a microsecond.
                loop(abs(now() - 1.75) < 1e-6 ? "end" : "end \(now())")
            }
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 3600)
                sleeps("\(now())")
                Thread.sleep(until: TimersTests.beginning + 4000)
                sleeps("\(now().rounded())")
                sleep(60)
                usleep(500_000)
                sleeps("\((now() * 10).rounded() / 10)")
            }
            try process.run(until: 5000)
            // Foundation on Linux fires such a timer at once, too.
            #expect(loop.all == ["0.0", "0.5", "1.0", "1.5", "end"])
            #expect(sleeps.all == ["3600.0", "4000.0", "4060.5"])
        }
    }

    @Test("ends waits for semaphores and groups at their limits")
    func semaphores() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let semaphore = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let first = semaphore.wait(timeout: .now() + 2)
                lines("\(first) \(now())")
                let second = semaphore.wait(wallTimeout: .now() + 2)
                lines("\(second) \(now())")
                let group = DispatchGroup()
                group.enter()
                let third = group.wait(timeout: .now() + 3)
                lines("\(third) \(now())")
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 3) { semaphore.signal() }
            try process.run(until: 3600)
            #expect(lines.all == ["timedOut 2.0", "success 3.0", "timedOut 6.0"])
        }
    }

    @Test("ends waits for conditions and locks at their limits")
    func conditionsAndLocks() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let condition = NSCondition()
            let lock = NSLock()
            TimersTests.lock(lock)
            Thread.detachNewThread {
                condition.lock()
                let first = condition.wait(until: TimersTests.beginning + 2)
                lines("\(first) \(now())")
                let second = condition.wait(until: TimersTests.beginning + 60)
                lines("\(second) \(now())")
                condition.unlock()
                let third = lock.lock(before: TimersTests.beginning + 10)
                lines("\(third) \(now())")
                let fourth = lock.lock(before: TimersTests.beginning + 60)
                lines("\(fourth) \(now())")
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 3) { condition.signal() }
            try process.run(until: 20)
            TimersTests.unlock(lock)
            try process.run(until: 3600)
            #expect(lines.all == ["false 2.0", "true 3.0", "false 10.0", "true 20.0"])
        }
    }

    @Test("ends poll and select at their limits")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let pipe = Pipe()
            let reading = pipe.fileHandleForReading.fileDescriptor
            Thread.detachNewThread {
                var polls = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
                lines("poll \(poll(&polls, 1, 2500)) \(now())")
                var set = fd_set()
                var limit = timeval(tv_sec: 2, tv_usec: 0)
                lines("select \(select(0, &set, nil, nil, &limit)) \(now())")
                lines("poll \(poll(&polls, 1, 2500)) \(now())")
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 5) {
                try? pipe.fileHandleForWriting.write(contentsOf: Data([1]))
            }
            try process.run(until: 3600)
            #expect(
                lines.all == ["poll 0 2.5", "select 0 4.5", "poll 1 5.0"]
            )
        }
    }
}
