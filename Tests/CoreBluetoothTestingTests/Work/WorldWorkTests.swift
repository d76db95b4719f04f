// The calls of a world's work to the clocks of a process, their order, and rest.

import CoreBluetooth
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("WorldWork")
struct WorldWorkTests {
    private static func held(_ deadlines: [UInt64] = []) -> (work: WorldWork, clock: NotedClock) {
        let (work, clock) = (WorldWork(), NotedClock(deadlines))
        work.clock = clock
        return (work, clock)
    }

    private static func owner(_ work: WorldWork, _ device: Int?, _ start: UInt64) -> WorkOwner {
        WorkOwner(work, order: WorkOrder(device: device, start: start), streams: 1, context: nil)
    }

    @Test("waits for rest once, and reports a failed wait once")
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

    @Test("arms timers at rest, in the order of the work, and waits for rest again")
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
        // Remaining timers are armed at the end, and no more are deferred.
        let order = WorkOrder(device: 0, start: 1)
        _ = work.takeArming(order) { clock.note("arm e") }
        work.end()
        #expect(clock.takeNotes() == ["arm e"])
        let isTakenAfterTheEnd = work.takeArming(order) { clock.note("arm f") }
        // Without the clocks of the process work arms its timers itself.
        let isTakenWithoutClock = WorldWork().takeArming(order) { clock.note("arm g") }
        #expect(!isTakenAfterTheEnd && !isTakenWithoutClock && clock.notes.isEmpty)
    }

    @Test("is at rest without a clock when its work has ended, and does not wait for itself")
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

    @Test("serves code that may wait, and what it calls, by the clock")
    func serving() {
        let (work, clock) = Self.held()
        func serve() -> Int { work.serve { work.serve { 2 } + 1 } }
        // Waiting code cannot be served before a loop has the work.
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

    @Test("names timers of real time if a condition does not become true")
    func timers() {
        let work = WorldWork()
        func words() -> String? { work.likelyCause.map { String($0.prefix { $0 != "(" }) } }
        #expect(work.likelyCause == nil)
        work.countTimer(1)
        #expect(words() == "the devices' code waits for a timer of real time ")
        #expect(work.likelyCause?.contains("(asyncAfter), next to none") == true)
        work.timerCallers[.after] = "Poller.start()"
        #expect(work.likelyCause?.contains("(asyncAfter in Poller.start()), next to none") == true)
        work.countTimer(1)
        #expect(words() == "the devices' code waits for 2 timers of real time ")
        work.clock = NotedClock()
        #expect(work.likelyCause == nil)
        work.clock = nil
        work.countTimer(-1)
        #expect(words() == "the devices' code waits for a timer of real time ")
        work.countTimer(-1)
        #expect(work.likelyCause == nil)
    }

    @Test("runs work for the main queue after the code that occupies it returns")
    @MainActor
    func mainQueue() {
        let work = WorldWork()
        work.clock = NotedClock()
        let owner = WorkOwner.first(work)
        let runs = Watched(0)
        for number in 1...2 {
            work.handOver(to: .main, owner: owner) { runs.update { $0 += 1 } }
            work.rest(servesMain: false)
            #expect(runs.value == number - 1 && !work.isAtRest)
            work.rest()
            #expect(runs.value == number && work.isAtRest)
        }
        work.end()
    }
}
