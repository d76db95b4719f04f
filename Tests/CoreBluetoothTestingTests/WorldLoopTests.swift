// The event loop of a world: how many tasks a second of virtual time may have.

import Fixtures
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("The event loop of a world")
struct WorldLoopTests {
    @Test("as many tasks as the limit may run in a second, and one more stops the loop", arguments: [10, 11])
    func limit(count: Int) {
        let loop = WorldLoop()
        loop.taskLimit = 10
        let runs = Watched(0)
        for _ in 0..<count { loop.execute { runs.update { $0 += 1 } } }
        loop.run()
        #expect(runs.value == 10)
        #expect(loop.largestTaskCount == count)
        #expect((loop.stoppedAt == nil) == (count == 10))
        // Another second has a count of its own, unless the loop has stopped.
        loop.scheduleTask(in: .seconds(1)) { runs.update { $0 += 1 } }
        loop.advanceTime(by: .seconds(1))
        #expect(runs.value == (count == 10 ? 11 : 10))
        // What did not run is cancelled, and its promise is kept.
        loop.end()
    }

    @Test("a task for the past runs now, after those that were handed over before it")
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

    @Test("tasks run at their time, the earlier ones first, and those of one time in their order; the last at the end")
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

    @Test("a task that is cancelled does not run, nor does one that comes after the end, and both fail")
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

    @Test("tasks are counted in whole seconds of virtual time, and not at all without a limit")
    func seconds() {
        let loop = WorldLoop()
        loop.execute {}
        loop.run()
        #expect(loop.largestTaskCount == 0)
        loop.taskLimit = 1
        let runs = Watched(0)
        for nanoseconds in [999_999_999, 1_000_000_000, 2_500_000_000, 2_999_999_999] as [UInt64] {
            loop.scheduleTask(deadline: .uptimeNanoseconds(nanoseconds)) { runs.update { $0 += 1 } }
        }
        loop.advanceTime(by: .seconds(2))
        #expect(runs.value == 2 && loop.stoppedAt == nil)
        loop.advanceTime(by: .seconds(1))
        #expect(runs.value == 3 && loop.stoppedAt == .uptimeNanoseconds(2_999_999_999))
        loop.end()
    }

    @Test("a task that throws fails its promise, and one that is cancelled does not run")
    func results() throws {
        struct Thrown: Error {}
        let loop = WorldLoop()
        let results = Watched<[String]>([])
        let runs = Watched(0)
        let values: [(String, Scheduled<Int>)] = [
            ("value", loop.scheduleTask(deadline: loop.now) { 7 }),
            ("error", loop.scheduleTask(deadline: loop.now) { throw Thrown() }),
            (
                "cancelled",
                loop.scheduleTask(deadline: loop.now) {
                    runs.update { $0 += 1 }
                    return 1
                }
            ),
        ]
        for (name, scheduled) in values {
            scheduled.futureResult.whenComplete { result in
                switch result {
                case .success(let value): results.update { $0.append("\(name) \(value)") }
                case .failure(let error): results.update { $0.append("\(name) \(error is Thrown)") }
                }
            }
        }
        values[2].1.cancel()
        loop.run()
        #expect(results.value.sorted() == ["cancelled false", "error true", "value 7"] && runs.value == 0)
        loop.end()
    }
}
