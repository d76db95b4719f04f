import Dispatch
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("WorldLoop")
struct WorldLoopTests {
    @Test("runs tasks at their time, in their order")
    func order() {
        let loop = WorldLoop()
        let runs = Watched<[String]>([])
        for (name, seconds) in [("c", 2), ("a", 1), ("d", 2), ("b", 1)] as [(String, Int64)] {
            loop.scheduleTask(in: .seconds(seconds)) { runs.update { $0.append(name) } }
        }
        loop.scheduleTask(in: .seconds(2) + .nanoseconds(1)) { runs.update { $0.append("late") } }
        loop.advanceTime(by: .seconds(1) - .nanoseconds(1))
        #expect(runs.value.isEmpty)
        loop.advanceTime(to: .uptimeNanoseconds(2_000_000_000))
        #expect(runs.value == ["a", "b", "c", "d"] && loop.now == .uptimeNanoseconds(2_000_000_000))
        // Time does not go back.
        loop.advanceTime(to: .uptimeNanoseconds(1_000_000_000))
        #expect(loop.now == .uptimeNanoseconds(2_000_000_000))
        loop.end()
        loop.advanceTime(by: .seconds(1))
        #expect(runs.value.count == 4)
    }

    @Test("runs a task for the past now, after those handed over before it")
    func past() {
        let loop = WorldLoop()
        loop.advanceTime(by: .seconds(2))
        let runs = Watched<[String]>([])
        loop.execute { runs.update { $0.append("now") } }
        loop.scheduleTask(deadline: loop.now - TimeAmount.seconds(1)) { runs.update { $0.append("past") } }
        loop.scheduleTask(in: .zero) { runs.update { $0.append("next") } }
        loop.run()
        #expect(runs.value == ["now", "past", "next"])
        loop.end()
    }

    @Test("runs what a task asks for at its instant, before time passes")
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

    @Test("does not run a task that another one of its instant cancels")
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

    @Test("fails a cancelled task and one that comes after the end")
    func cancelled() {
        let loop = WorldLoop()
        let runs = Watched(0)
        let failures = Watched(0)
        func schedule() -> Scheduled<Void> {
            let scheduled = loop.scheduleTask(in: .seconds(1)) { runs.update { $0 += 1 } }
            scheduled.futureResult.whenFailure { _ in failures.update { $0 += 1 } }
            return scheduled
        }
        schedule().cancel()
        _ = schedule()
        loop.advanceTime(by: .seconds(1))
        #expect(runs.value == 1 && failures.value == 1)
        _ = schedule()
        loop.end()
        #expect(failures.value == 2)
        _ = schedule()
        loop.execute { runs.update { $0 += 1 } }
        loop.advanceTime(by: .seconds(2))
        #expect(runs.value == 1 && failures.value == 3)
    }

    @Test("completes a task with its value or error")
    func results() throws {
        struct Thrown: Error {}
        let loop = WorldLoop()
        let results = Watched<[String]>([])
        let values: [(String, Scheduled<Int>)] = [
            ("value", loop.scheduleTask(deadline: loop.now) { 7 }),
            ("error", loop.scheduleTask(deadline: loop.now) { throw Thrown() }),
        ]
        for (name, scheduled) in values {
            scheduled.futureResult.whenComplete { result in
                switch result {
                case .success(let value): results.update { $0.append("\(name) \(value)") }
                case .failure(let error): results.update { $0.append("\(name) \(error is Thrown)") }
                }
            }
        }
        loop.run()
        #expect(results.value.sorted() == ["error true", "value 7"])
        loop.end()
    }

    @Test("stops for good after a second with too many tasks")
    func taskLimit() {
        let loop = WorldLoop()
        loop.taskLimit = 10
        let executed = Watched(0)
        func run(_ count: Int) -> Int {
            executed.update { $0 = 0 }
            for _ in 0..<count { loop.execute { executed.update { $0 += 1 } } }
            loop.advanceTime(by: .seconds(1))
            return executed.value
        }
        let counts: [Int] = [run(3), run(1), run(5), run(5), run(0)]
        #expect(counts == [3, 1, 5, 5, 0] as [Int])
        loop.taskLimit = nil
        #expect(loop.taskLimit == nil && run(50) == 50 && loop.stoppedAt == nil)
        loop.taskLimit = 10
        #expect(loop.taskLimit == 10 && run(10) == 10 && loop.stoppedAt == nil)
        #expect(run(11) == 10 && loop.stoppedAt == .uptimeNanoseconds(7_000_000_000))
        // Time still passes.
        #expect(run(1) == 0 && loop.now == .uptimeNanoseconds(9_000_000_000))
        loop.end()
    }

    @Test("does what is due and cancels the rest when it is shut down")
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

    @Test("cancels tasks at the end in the order in which they were scheduled")
    func endOrder() {
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
}
