// Before and after a world: real clocks, timers of either side, and worlds one after the other.

import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Foundation
import Testing

@Suite("Before and after a world in process time")
struct BeginningAndEndTests {
    /// Runs a task on a queue: when a job of it has returned, what the task waits for has begun.
    private final class QueueExecutor: TaskExecutor {
        let queue = DispatchQueue(label: "sleeper")

        func enqueue(_ job: consuming ExecutorJob) {
            let (job, executor) = (UnownedJob(job), self.asUnownedTaskExecutor())
            self.queue.async { job.runSynchronously(on: executor) }
        }
    }

    /// Such as the time limit of a test runner, which is a sleep.
    @Test("keeps timers from before the world in real time")
    func timersFromBefore() async {
        await #expect(processExitsWith: .success) {
            let lines = Lines()
            let semaphore = DispatchSemaphore(value: 0)
            let isAboutToSleep = DispatchSemaphore(value: 0)
            let executor = QueueExecutor()
            Task(executorPreference: executor) {
                isAboutToSleep.signal()
                try await Task.sleep(for: .seconds(3))
                lines("sleep")
                semaphore.signal()
            }
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + 3) {
                lines("wall")
                semaphore.signal()
            }
            isAboutToSleep.wait()
            executor.queue.sync {}
            let process = try HeldProcess()
            DispatchQueue.global().asyncAfter(deadline: .now() + 3000) { lines("in the world") }
            try process.run(until: 3600)
            #expect(lines.all == ["in the world"])
            process.end()
            RestTests.wait(semaphore, times: 2)
            #expect(Set(lines.all) == ["in the world", "sleep", "wall"])
        }
    }

    @Test("ends waits of the world with it, and continues repeating timers in real time")
    func timersLeftBehind() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let semaphore = DispatchSemaphore(value: 0)
            DispatchQueue.global().asyncAfter(deadline: .now() + 60) {
                lines("after")
                semaphore.signal()
            }
            let repeating = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "q"))
            repeating.schedule(deadline: .now() + 1000, repeating: 0.001)
            repeating.setEventHandler {
                lines("repeating")
                semaphore.signal()
                repeating.cancel()
            }
            repeating.resume()
            Thread.detachNewThread {
                sleep(100)
                lines("slept")
                semaphore.signal()
                let timer = Timer(timeInterval: 0.1, repeats: true) { timer in
                    lines("timer")
                    timer.invalidate()
                    semaphore.signal()
                }
                RunLoop.current.add(timer, forMode: .default)
                RunLoop.current.run()
            }
            Thread.detachNewThread {
                let condition = NSCondition()
                condition.lock()
                lines("condition \(condition.wait(until: Date() + 100))")
                condition.unlock()
                semaphore.signal()
            }
            try process.run(until: 1)
            #expect(lines.all.isEmpty)
            process.end()
            RestTests.wait(semaphore, times: 5)
            #expect(lines.all.sorted() == ["after", "condition false", "repeating", "slept", "timer"])
        }
    }

    @Test("repeats a world of the same seed in one process, with real clocks in between")
    func worldsOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            var runs: [[String]] = []
            for seed: UInt64 in [1, 2, 1] {
                let process = try HeldProcess(seed: seed)
                let lines = Lines()
                let queue = DispatchQueue(label: "q")
                for _ in 0..<5 {
                    queue.asyncAfter(deadline: .now() + .random(in: 1...2)) {
                        lines("\(DispatchTime.now().uptimeNanoseconds)")
                    }
                }
                // Last: a task runs at the same time as what starts it.
                Task {
                    for _ in 0..<5 {
                        try await Task.sleep(for: .milliseconds(.random(in: 1...1000)))
                        lines("\(Date()) \(UUID()) \(ContinuousClock().now)")
                    }
                }
                try process.run(until: 10)
                process.end()
                runs.append(lines.all)
                // Real again, which a real wait shows.
                let start = Date()
                usleep(2000)
                #expect(Date().timeIntervalSince(start) >= 0.002)
                #expect(start > TimersTests.beginning + 365 * 86400)
            }
            #expect(runs[0].count == 10)
            #expect(runs[0] == runs[2])
            #expect(runs[0] != runs[1])
        }
    }

    @Test("permits one world at a time, which only its own end ends")
    func onlyOneAtATime() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            // One that could not begin does not end the one that lives.
            for _ in 1...2 {
                #expect {
                    _ = try HeldProcess()
                } throws: { error in
                    "\(error)".hasPrefix("another world in process time lives")
                }
            }
            process.end()
            let second = try HeldProcess(seed: 2)
            process.end()
            try second.run(until: 1)
            #expect(now() == 1)
            second.end()
            #expect(Date() > TimersTests.beginning + 365 * 86400)
        }
    }

    @inline(never) static func runForEver() { while true {} }

    @Test("names code that does not come to rest")
    func besideAThreadThatRuns() async {
        await #expect(processExitsWith: .success) {
            Thread { BeginningAndEndTests.runForEver() }.start()
            #expect {
                _ = try HeldProcess()
            } throws: { error in
                "\(error)".contains("state R, in user code") && "\(error)".contains("BeginningAndEndTests.runForEver()")
            }
        }
    }
}
