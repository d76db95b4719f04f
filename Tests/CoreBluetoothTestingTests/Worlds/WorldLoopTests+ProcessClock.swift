// The event loop of a world that holds the clocks of a process.

import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("WorldLoop with the clocks of a process")
struct ProcessClockTests {
    private static func owner(_ work: WorldWork, _ device: Int?, _ start: UInt64) -> WorkOwner {
        WorkOwner(work, order: WorkOrder(device: device, start: start), streams: 1, context: nil)
    }

    @Test("orders deadlines and tasks by their instants, up to the end of the time")
    func first() {
        let end = "advance 5"
        for (deadline, task, expected) in [
            (1, 2, ["advance 1", "rest", "advance 2", "task", end]),
            (2, 2, ["advance 2", "rest", "advance 2", "task", end]),
            (3, 2, ["advance 2", "task", "advance 3", "rest", end]),
            (0, 4, ["advance 0", "rest", "advance 4", "task", end]),
            (5, 6, ["advance 5", "rest", end]), (6, 7, [end]), (6, 5, ["advance 5", "task", end]),
        ] as [(UInt64, Int64, [String])] {
            let loop = WorldLoop()
            let clock = NotedClock([deadline])
            loop.clock = clock
            loop.scheduleTask(in: .nanoseconds(task)) { clock.note("task") }
            loop.advanceTime(to: .uptimeNanoseconds(5))
            #expect(clock.notes == expected, "\(deadline) \(task)")
            loop.end()
        }
    }

    @Test("runs a due task before a due deadline")
    func dueTask() {
        for (now, deadline) in [(0, 0), (3, 0), (3, 3)] as [(UInt64, UInt64)] {
            let loop = WorldLoop()
            loop.advanceTime(to: .uptimeNanoseconds(now))
            let clock = NotedClock([deadline])
            loop.clock = clock
            loop.scheduleTask(in: .zero) { clock.note("task") }
            loop.advanceTime(to: .uptimeNanoseconds(5))
            #expect(clock.notes == ["advance \(now)", "task", "advance 5"], "\(now) \(deadline)")
            loop.end()
        }
    }

    @Test("brings what code starts to rest before the test continues")
    func settle() {
        let loop = WorldLoop()
        let clock = NotedClock()
        func start() {
            loop.settle(after: {
                loop.work.somethingWakes()
                loop.settle(after: { clock.note("inner") })
                clock.note("outer")
            })
        }
        start()
        #expect(clock.takeNotes() == ["inner", "outer"])
        loop.clock = clock
        for _ in 1...2 {
            start()
            #expect(clock.takeNotes() == ["inner", "outer", "rest"])
        }
        loop.end()
    }

    @Test("runs what work asks for in the order of devices and starts")
    func arrivals() {
        let loop = WorldLoop()
        let runs = Watched<[String]>([])
        func ask(_ name: String, _ owner: WorkOwner?, delay: Int64 = 0) {
            let schedule = {
                _ = loop.scheduleTask(in: .nanoseconds(delay)) { runs.update { $0.append(name) } }
            }
            if let owner { owner.run(schedule) } else { schedule() }
        }
        ask("device 2", Self.owner(loop.work, 2, 1))
        ask("device 0, later start", Self.owner(loop.work, 0, 9))
        ask("device 0", Self.owner(loop.work, 0, 3))
        ask("of the test's work", Self.owner(loop.work, nil, 12))
        ask("late", Self.owner(loop.work, nil, 1), delay: 1)
        ask("the test", nil)
        ask("device 0 again", Self.owner(loop.work, 0, 3))
        loop.run()
        #expect(
            runs.value == [
                "the test", "of the test's work", "device 0", "device 0 again", "device 0, later start", "device 2",
            ]
        )
        loop.advanceTime(by: .nanoseconds(1))
        #expect(runs.value.last == "late" && runs.value.count == 7)
        loop.end()
    }

    @Test("runs in a step what code that waits asked for")
    func askedInAStep() {
        let loop = WorldLoop()
        let clock = NotedClock()
        loop.clock = clock
        let owner = WorkOwner.first(loop.work)
        loop.work.serve { owner.run { loop.execute { clock.note("task") } } }
        #expect(clock.takeNotes() == ["serve", "advance 0", "task", "served true"])
        owner.run { loop.execute { clock.note("next") } }
        let isDone = loop.step(until: loop.now)
        #expect(isDone && clock.takeNotes() == ["advance 0", "next"])
        let isMore = loop.step(until: loop.now)
        #expect(!isMore && clock.takeNotes() == [])
        loop.end()
    }

    @Test("gets the clocks for its seed, and reports once that it cannot have them")
    func world() throws {
        let clock = NotedClock()
        do {
            let time = WorldTime { seed in
                clock.note("seed \(seed)")
                return clock
            }
            let world = World(seed: 42, time: time)
            world.advance(by: .milliseconds(1))
            #expect(world.now == .milliseconds(1) && time.factor == nil)
        }
        #expect(clock.notes.first == "seed 42" && clock.notes.last == "end" && clock.notes.count { $0 == "end" } == 1)
        let world = World(time: WorldTime { _ in throw NotedClock.Awake() })
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.hasSuffix(".swift:\(#line - 1): a thread is awake") == true)
        try world.run(until: true)
    }
}
