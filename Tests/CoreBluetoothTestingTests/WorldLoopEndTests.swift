// The end of a world's event loop, and what it counts from second to second.

import Dispatch
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("The end of a world's event loop")
struct WorldLoopEndTests {
    @Test("A loop that is shut down does what is due, cancels the rest, and says so without an error")
    func shutdown() async {
        let loop = WorldLoop()
        let runs = Watched<[String]>([])
        let isDone = Watched<Bool?>(nil)
        loop.advanceTime(by: .seconds(2))
        loop.execute { runs.update { $0.append("due") } }
        let later = loop.scheduleTask(in: .nanoseconds(1)) { runs.update { $0.append("later") } }
        later.futureResult.whenFailure { _ in runs.update { $0.append("cancelled") } }
        loop.shutdownGracefully(queue: .global()) { error in
            let isWithoutError = error == nil
            isDone.update { $0 = isWithoutError }
        }
        #expect(runs.value == ["due", "cancelled"])
        await isDone.wait { $0 != nil }
        #expect(isDone.value == true)
        loop.execute { runs.update { $0.append("never") } }
        loop.advanceTime(by: .seconds(1))
        #expect(runs.value == ["due", "cancelled"] && loop.now == .uptimeNanoseconds(3_000_000_000))
    }

    @Test("What a loop cancels at its end fails in the order in which it was asked for, whatever its time, and once")
    func order() {
        let loop = WorldLoop()
        let failures = Watched<[String]>([])
        for (name, seconds) in [("a", 3), ("b", 1), ("c", 2), ("d", 1)] as [(String, Int64)] {
            loop.scheduleTask(in: .seconds(seconds)) {}.futureResult.whenFailure { _ in
                failures.update { $0.append(name) }
            }
        }
        loop.end()
        #expect(failures.value == ["a", "b", "c", "d"])
        loop.end()
        loop.advanceTime(by: .seconds(5))
        #expect(failures.value.count == 4)
    }

    @Test("A task that is cancelled by another one of its instant does not run, and those behind it do")
    func cancelledMeanwhile() {
        let loop = WorldLoop()
        let runs = Watched<[String]>([])
        let second = Watched<Scheduled<Void>?>(nil)
        loop.scheduleTask(in: .seconds(1)) {
            runs.update { $0.append("first") }
            second.value?.cancel()
        }
        let scheduled = loop.scheduleTask(in: .seconds(1)) { runs.update { $0.append("second") } }
        second.update { $0 = scheduled }
        loop.scheduleTask(in: .seconds(1)) { runs.update { $0.append("third") } }
        loop.advanceTime(by: .seconds(1))
        #expect(runs.value == ["first", "third"])
        loop.end()
    }

    @Test("What a task asks for at once runs at its instant, behind what was there, and before time goes on")
    func askedAtOnce() {
        let loop = WorldLoop()
        let runs = Watched<[String]>([])
        @Sendable func note(_ name: String) {
            let now = loop.now.uptimeNanoseconds
            runs.update { $0.append("\(name) \(now)") }
        }
        loop.scheduleTask(in: .nanoseconds(5)) {
            note("a")
            loop.execute { note("c") }
            loop.scheduleTask(in: .nanoseconds(1)) { note("e") }
            loop.scheduleTask(in: .zero) { note("d") }
        }
        loop.scheduleTask(in: .nanoseconds(5)) { note("b") }
        loop.advanceTime(to: .uptimeNanoseconds(5))
        #expect(runs.value == ["a 5", "b 5", "c 5", "d 5"])
        loop.advanceTime(to: .uptimeNanoseconds(6))
        #expect(runs.value.last == "e 6" && runs.value.count == 5)
        loop.end()
    }

    @Test("The largest number of tasks is that of the fullest second, and no task is counted without a limit")
    func largestCount() {
        let loop = WorldLoop()
        loop.taskLimit = 10
        func run(_ count: Int) -> Int {
            for _ in 0..<count { loop.execute {} }
            loop.advanceTime(by: .seconds(1))
            return loop.largestTaskCount
        }
        let largest: [Int] = [run(3), run(1), run(5), run(5), run(0)]
        #expect(largest == [3, 3, 5, 5, 5] as [Int])
        loop.taskLimit = nil
        #expect(loop.taskLimit == nil && run(50) == 5 && loop.stoppedAt == nil)
        loop.taskLimit = 10
        #expect(loop.taskLimit == 10 && run(10) == 10 && loop.stoppedAt == nil)
        #expect(run(11) == 11 && loop.stoppedAt == .uptimeNanoseconds(7_000_000_000))
        // It has stopped for good, though time goes on.
        #expect(run(1) == 11 && loop.now == .uptimeNanoseconds(9_000_000_000))
        loop.end()
    }
}
