// Threads that wait: in the pool of libdispatch, for streams, and the world's own.

import Foundation
import Testing

@Suite("Rest in process time")
struct RestTests {
    static func wait(_ semaphore: DispatchSemaphore, times: Int) { for _ in 0..<times { semaphore.wait() } }

    @Test("rests when more work waits than the pool has threads")
    func poolWhoseThreadsAllWait() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let count = 3 * ProcessInfo.processInfo.activeProcessorCount + 8
            let semaphore = DispatchSemaphore(value: 0)
            for _ in 0..<count {
                DispatchQueue.global().async {
                    semaphore.wait()
                    lines("passed")
                }
            }
            DispatchQueue.global().async { for _ in 0..<count { semaphore.signal() } }
            try process.run(until: 0.001)
            #expect(lines.all.count == count)
        }
    }

    @Test("rests while a thread reads a stream, and passes a quiet hour in a few steps")
    func threadThatReadsAStream() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let pipe = Pipe()
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readData(ofLength: 3)
                lines("\(Array(data)) \(now())")
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 60) {
                try? pipe.fileHandleForWriting.write(contentsOf: Data([1, 2, 3]))
            }
            try process.run(until: 3600)
            #expect(lines.all == ["[1, 2, 3] 60.0"] && process.steps <= 3)
        }
    }

    @Test("lets the thread of the test wait in all ways")
    func worldsOwnThread() async {
        await #expect(processExitsWith: .success) {
            let process = try HeldProcess()
            let lines = Lines()
            let queue = DispatchQueue(label: "q")
            process.serve {
                Thread.sleep(forTimeInterval: 1)
                lines("slept \(now())")
                let semaphore = DispatchSemaphore(value: 0)
                queue.asyncAfter(deadline: .now() + 2) { semaphore.signal() }
                semaphore.wait()
                lines("signalled \(now())")
                lines("\(semaphore.wait(timeout: .now() + 3)) \(now())")
                queue.async { Thread.sleep(forTimeInterval: 4) }
                queue.sync { lines("queue \(now())") }
                let group = DispatchGroup()
                queue.async(group: group) { sleep(5) }
                group.wait()
                lines("group \(now())")
                let condition = NSCondition()
                condition.lock()
                queue.asyncAfter(deadline: .now() + 6) { condition.signal() }
                condition.wait()
                condition.unlock()
                lines("condition \(now())")
            }
            #expect(
                lines.all == [
                    "slept 1.0", "signalled 3.0", "timedOut 6.0", "queue 10.0", "group 15.0", "condition 21.0",
                ]
            )
        }
    }
}
