// What was before a world and what is after it: clocks that are real, timers of either side, worlds one after the other.

import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Foundation
import Testing

@Suite struct BeginningAndEndTests {
    /// A time limit of the runner is a sleep from before the world: it is not over after an hour of the world's time,
    /// and not lost.
    @Test func timersFromBefore() async {
        await #expect(processExitsWith: .success) {
            let start = ContinuousClock().now
            let lines = Lines()
            let semaphore = DispatchSemaphore(value: 0)
            let isAboutToSleep = DispatchSemaphore(value: 0)
            Task {
                isAboutToSleep.signal()
                try await Task.sleep(for: .milliseconds(300))
                lines("sleep")
                semaphore.signal()
            }
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + 0.3) {
                lines("wall")
                semaphore.signal()
            }
            // A real wait, since nothing says when a sleep has begun.
            isAboutToSleep.wait()
            usleep(20000)
            let process = try HeldProcess()
            DispatchQueue.global().asyncAfter(deadline: .now() + 3000) { lines("in the world") }
            try process.run(until: 3600)
            #expect(lines.all == ["in the world"])
            process.end()
            RestTests.wait(semaphore, times: 2)
            let passed = ContinuousClock().now - start
            #expect(passed >= .milliseconds(300) && passed < .seconds(60))
            #expect(Set(lines.all) == ["in the world", "sleep", "wall"])
        }
    }

    /// What was armed in a world and is left there ends with it; timers that repeat go on in real time.
    @Test func timersLeftBehind() async {
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
            let sleeper = Thread {
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
            sleeper.start()
            let waiter = Thread {
                let condition = NSCondition()
                condition.lock()
                lines("condition \(condition.wait(until: Date() + 100))")
                condition.unlock()
                semaphore.signal()
            }
            waiter.start()
            try process.run(until: 1)
            #expect(lines.all.isEmpty)
            process.end()
            RestTests.wait(semaphore, times: 5)
            #expect(lines.all.sorted() == ["after", "condition false", "repeating", "slept", "timer"])
        }
    }

    @Test func worldsOneAfterTheOther() async {
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

    @Test func onlyOneAtATime() async {
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
            try HeldProcess().end()
        }
    }

    /// This test runs beside others, unless the runner was asked for one test at a time.
    @Test(.enabled(if: !CommandLine.arguments.contains("--no-parallel"))) func besideOtherTests() {
        #expect {
            _ = try HeldProcess()
        } throws: { error in
            "\(error)".contains("#expect(processExitsWith: .success)") && "\(error)".contains("--no-parallel")
        }
    }

    @inline(never) static func runForEver() { while true {} }

    /// Code that does not come to rest is named.
    @Test func besideAThreadThatRuns() async {
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
