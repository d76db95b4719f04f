// The work and the event loop of a world that holds the clocks of a process: what is asked of those clocks, in which
// order, and when all is at rest. The clocks are ones that note what is asked of them.

import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Work with the clocks of a process")
struct HeldClockTests {
    private static func held(_ deadlines: [UInt64] = []) -> (work: WorldWork, clock: NotedClock) {
        let (work, clock) = (WorldWork(), NotedClock(deadlines))
        work.clock = clock
        return (work, clock)
    }

    private static func owner(_ work: WorldWork, _ device: Int?, _ start: UInt64) -> WorkOwner {
        WorkOwner(work, order: WorkOrder(device: device, start: start), streams: 1, surroundings: nil)
    }

    @Test("A loop moves the clocks on to what is first, waits for rest behind a deadline, and goes on to its end")
    func order() {
        let loop = WorldLoop()
        let clock = NotedClock([2_000_000])
        loop.clock = clock
        for delay in [2, 3] as [Int64] { loop.scheduleTask(in: .milliseconds(delay)) { clock.note("task \(delay)") } }
        loop.advanceTime(by: .milliseconds(5))
        #expect(
            clock.takeNotes() == [
                "advance 2000000", "rest", "advance 2000000", "task 2", "advance 3000000", "task 3", "advance 5000000",
            ]
        )
        #expect(loop.work.isAtRest && loop.now == .uptimeNanoseconds(5_000_000))
        loop.end()
    }

    @Test("A deadline is before a task of its instant, behind an earlier one, and counts until the end of the time")
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
            RunRecord.note("\(deadline) \(task) \(clock.notes)")
            loop.end()
        }
    }

    @Test("What may be awake is waited for once, and a wait that fails is a mistake, told once")
    func rest() {
        let (work, clock) = Self.held()
        #expect(work.isAtRest)
        work.somethingWakes()
        #expect(!work.isAtRest)
        work.rest()
        #expect(work.isAtRest && clock.takeNotes() == ["rest"] && clock.limits == [.seconds(120)])
        work.somethingWakes()
        clock.isAwake = true
        work.limit = 1.5
        work.rest()
        #expect(!work.isAtRest && clock.limits.last == .milliseconds(1_500))
        work.reportMistake("a later one")
        #expect(work.takeMistake() == "a thread is awake" && work.takeMistake() == nil)
        clock.isAwake = false
        work.rest()
        #expect(work.isAtRest && work.takeMistake() == nil)
    }

    @Test("Timers that work arms are armed at rest, in the order of the work, and rest is waited for again")
    func armings() {
        let (work, clock) = Self.held()
        let asked: [(Int?, UInt64, String)] = [(1, 5, "a"), (0, 9, "b"), (nil, 7, "c"), (1, 5, "d")]
        for (device, start, name) in asked {
            let isTaken = work.takeArming(WorkOrder(device: device, start: start)) { clock.note("arm \(name)") }
            #expect(isTaken && !work.isAtRest)
        }
        work.rest()
        #expect(clock.takeNotes() == ["rest", "arm c", "arm b", "arm a", "arm d", "rest"] && work.isAtRest)
        #expect(work.armTimers() == false)
        // What is left at the end is armed then, and nothing is taken any more.
        let order = WorkOrder(device: 0, start: 1)
        _ = work.takeArming(order) { clock.note("arm e") }
        work.end()
        #expect(clock.takeNotes() == ["arm e"])
        let isTakenAfterTheEnd = work.takeArming(order) { clock.note("arm f") }
        // Without the clocks of the process work arms its timers itself.
        let isTakenWithoutClock = WorldWork().takeArming(order) { clock.note("arm g") }
        #expect(!isTakenAfterTheEnd && !isTakenWithoutClock && clock.notes.isEmpty)
    }

    @Test("Work has the stream and the place of its owner, and leaves those of its thread as they were")
    func run() {
        let (work, clock) = Self.held()
        let owner = Self.owner(work, 2, 5)
        work.run(owner) { clock.note("owned \(WorkOwner.ofThread === owner) \(work.isAtRest)") }
        let place = owner.order.place
        #expect(clock.takeNotes() == ["a stream", "place \(place)", "owned true false", "place 0", "no stream"])
        #expect(WorkOwner.ofThread == nil && !work.isAtRest)
        work.rest()
        #expect(work.isAtRest)
        // After the end it is done, and not counted.
        work.end()
        _ = clock.takeNotes()
        work.run(owner) { clock.note("owned \(WorkOwner.ofThread === owner) \(work.isAtRest)") }
        #expect(clock.notes == ["owned true true"])
    }

    @Test("Without the clocks of a process work is at rest when it has ended, and does not wait for itself")
    func withoutClock() {
        let work = WorldWork()
        let owner = Self.owner(work, 0, 1)
        work.somethingWakes()
        #expect(work.isAtRest)
        var isDone = false
        work.run(owner) {
            #expect(!work.isAtRest)
            work.rest()
            isDone = true
        }
        #expect(isDone && work.isAtRest && work.takeMistake() == nil)
        let callbacks = DeviceCallbacks(work, place: 0)
        let mayBlock = owner.run { callbacks.mayBlock }
        #expect(!callbacks.mayBlock && mayBlock)
    }

    @Test("What work starts belongs to its start; what the test starts has a start of its own, and a stream until rest")
    func owners() {
        let work = WorldWork()
        func text(_ owner: WorkOwner) -> String {
            "\(owner.order.device.map { "\($0)" } ?? "-") \(owner.order.start) \(owner.streams)"
        }
        var made = [work.makeOwner(place: nil, surroundings: nil), work.makeOwner(place: nil, surroundings: nil)]
        work.rest(servesMain: false)
        made.append(work.makeOwner(place: nil, surroundings: nil))
        work.rest()
        made.append(work.makeOwner(place: nil, surroundings: nil))
        let ofDevice = work.makeOwner(place: 3, surroundings: nil)
        made.append(ofDevice)
        for place in [3, 0] {
            let inside: WorkOwner = ofDevice.run { work.makeOwner(place: place, surroundings: nil) }
            made.append(inside)
        }
        // The work of another world has its own starts.
        let other: WorkOwner = Self.owner(WorldWork(), 1, 77).run { work.makeOwner(place: 1, surroundings: nil) }
        made.append(other)
        #expect(
            made.map(text) == [
                "- 1 \(1 << 32)", "- 2 \(2 << 32)", "- 3 \(3 << 32)", "- 4 \(1 << 32)", "3 5 4", "3 5 4", "0 5 1",
                "1 6 2",
            ]
        )
        #expect(made.allSatisfy { $0.work === work && $0.surroundings == nil })
    }

    @Test("Code that may wait is served by the clocks, and what it calls is served with it")
    func serving() {
        let (work, clock) = Self.held()
        func serve() -> Int { work.serve { work.serve { 2 } + 1 } }
        // Nothing can be done for code that waits before a loop has the work.
        #expect(serve() == 3)
        #expect(clock.takeNotes() == [])
        work.step = { false }
        for _ in 1...2 {
            #expect(serve() == 3)
            #expect(clock.takeNotes() == ["serve", "served false"])
        }
        #expect(throws: NotedClock.Awake.self) {
            try work.serve { () throws -> Int in throw NotedClock.Awake() }
        }
        #expect(clock.takeNotes() == ["serve", "served false"])
        #expect(serve() == 3)
        #expect(clock.takeNotes() == ["serve", "served false"])
        work.clock = nil
        #expect(serve() == 3)
        #expect(clock.takeNotes() == [])
    }

    @Test("What code starts comes to rest before the test goes on, once for code in code; without clocks it does not")
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

    @Test("Timers of real time are counted where a condition does not become true, unless the world has the clocks")
    func timers() {
        let work = WorldWork()
        func words() -> String { String(work.likelyCause.prefix { $0 != "(" }) }
        #expect(work.likelyCause.isEmpty)
        work.countTimer(1)
        #expect(words() == "; the devices' code waits for a timer of real time ")
        work.countTimer(1)
        #expect(words() == "; the devices' code waits for 2 timers of real time ")
        RunRecord.note(work.likelyCause)
        work.clock = NotedClock()
        #expect(work.likelyCause.isEmpty)
        work.clock = nil
        work.countTimer(-1)
        #expect(words() == "; the devices' code waits for a timer of real time ")
        work.countTimer(-1)
        #expect(work.likelyCause.isEmpty)
    }

    @Test("What counted work asks for gets its place at rest, in the order of the devices and of the starts")
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

    @Test("A world has the clocks for its seed until it goes, and says once why it cannot have them")
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
        #expect(error?.reason == "a thread is awake")
        try world.run(until: true)
    }
}
