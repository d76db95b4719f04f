// The work and the loop of a world part by part: whose work a test starts, what is said of work that does not come to
// rest, what a step takes up, and what is left when the world goes.

import CoreBluetooth
import Dispatch
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Parts of work")
struct WorkPartsTests {
    @Test("What a test starts is work of the world that it has made last, as long as that is there")
    func makers() {
        let (first, second) = (WorldWork(), WorldWork())
        var found = [WorkObserver.workOfTest == nil]
        WorkObserver.add(first)
        found.append(WorkObserver.workOfTest === first)
        WorkObserver.add(second)
        found.append(WorkObserver.workOfTest === second)
        WorkObserver.remove(first)
        found.append(WorkObserver.workOfTest === second)
        WorkObserver.remove(second)
        found.append(WorkObserver.workOfTest == nil)
        WorkObserver.add(first)
        found.append(WorkObserver.workOfTest === first)
        WorkObserver.remove(first)
        found.append(WorkObserver.workOfTest == nil)
        #expect(found == [true, true, true, true, true, true, true])
        withExtendedLifetime((first, second)) {}
    }

    @Test("Of work that does not come to rest the queues are said, each once, and whether it has begun")
    func unrest() {
        let work = WorldWork()
        let owner = WorkOwner.first(work)
        func item(_ label: String, isRunning: Bool) -> WorkItem {
            let queue = WorkQueue(label: label, isMain: false)
            let item = WorkItem(number: 1, owner: owner, queue: queue, end: nil, {})
            if isRunning { item.state = .running(thread: 7) }
            return item
        }
        let items = [
            item("b", isRunning: true), item("a", isRunning: false), item("b", isRunning: true),
            item("a", isRunning: true),
        ]
        #expect(items.map(\.thread) == [7, nil, 7, 7])
        for (limit, text) in [(120, "120"), (1.5, "1.5"), (1, "1"), (0.1, "0.1")] as [(Double, String)] {
            work.limit = limit
            let start = "the work of the world does not come to rest: after \(text) s of real time there is work on "
            #expect(work.text(of: items).hasPrefix(start + "\"a\" (not begun), \"a\" (running), \"b\" (running); "))
            #expect(work.text(of: [items[1]]).hasPrefix(start + "\"a\" (not begun); "))
            RunRecord.note(work.text(of: items))
        }
    }

    @Test("What code asks for that waits is done in the step that is made meanwhile")
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

    @Test("Timers that were armed before a step are armed in it, and rest is waited for once more")
    func armedInAStep() {
        let loop = WorldLoop()
        let clock = NotedClock()
        loop.clock = clock
        let isTaken = loop.work.takeArming(WorkOrder(device: 0, start: 1)) { clock.note("arm") }
        let isDone = loop.step(until: loop.now)
        #expect(isTaken && !isDone && clock.takeNotes() == ["arm", "rest"] && loop.work.isAtRest)
        loop.end()
    }

    @Test("Where a device asks for something while real time is waited for, that comes to rest first")
    func askedInRealTime() {
        let loop = WorldLoop(pace: WorldPace(factor: 1))
        let clock = NotedClock()
        loop.clock = clock
        let hour = NIODeadline.uptimeNanoseconds(3_600_000_000_000)
        for _ in 1...2 {
            loop.pace.begin(at: loop.now)
            loop.pace.wake()
            loop.work.somethingWakes()
            let isDone = loop.step(until: hour)
            #expect(isDone && clock.takeNotes() == ["rest"] && loop.work.isAtRest && loop.now < hour)
        }
        loop.end()
    }

    @Test("When a world goes, what was to come later is cancelled, and nothing is asked for or counted any more")
    func worldGoes() {
        let runs = Watched(0)
        let failures = Watched(0)
        let loop: WorldLoop
        do {
            let world = World(seed: 1)
            loop = world.loop
            let scheduled = loop.scheduleTask(in: .seconds(1)) { runs.update { $0 += 1 } }
            scheduled.futureResult.whenFailure { _ in failures.update { $0 += 1 } }
            world.advance(by: .milliseconds(1))
            #expect(failures.value == 0)
        }
        #expect(failures.value == 1)
        let late = loop.scheduleTask(in: .seconds(0)) { runs.update { $0 += 1 } }
        late.futureResult.whenFailure { _ in failures.update { $0 += 1 } }
        loop.execute { runs.update { $0 += 1 } }
        loop.advanceTime(by: .seconds(2))
        #expect(runs.value == 0 && failures.value == 2)
        var isCounted = true
        loop.work.run(WorkOwner.first(loop.work)) { isCounted = !loop.work.isAtRest }
        #expect(!isCounted && WorkObserver.workOfTest == nil)
    }

    @Test("The clocks of a process are given back when all else of a world is gone")
    func clocksOfAWorld() {
        let clock = NotedClock()
        do {
            let world = World(seed: 1, time: WorldTime { _ in clock })
            world.loop.scheduleTask(in: .seconds(5)) { clock.note("never") }
            world.loop.scheduleTask(in: .milliseconds(1)) { clock.note("once") }
            world.advance(by: .milliseconds(2))
        }
        #expect(clock.notes.count { $0 == "once" } == 1 && clock.notes.count { $0 == "never" } == 0)
        #expect(clock.notes.count { $0 == "end" } == 1 && clock.notes.last == "end")
    }

    @Test("What is set for a pair of devices is so for both, and zero takes it away")
    func attenuations() {
        let world = World(seed: 1)
        let (one, other, third) = (world.addDevice("m"), world.addDevice("a"), world.addDevice("z"))
        var pairs = PairAttenuations()
        func all() -> [[String]] {
            [one, other, third].map { device in
                pairs.all(of: device).map { "\($0.name) \($0.attenuation)" }
            }
        }
        #expect(all() == [[], [], []])
        pairs.set(3, between: one, and: third)
        pairs.set(.infinite, between: one, and: other)
        #expect(all() == [["a inf dB", "z 3.0 dB"], ["m inf dB"], ["m 3.0 dB"]])
        pairs.set(0, between: other, and: one)
        #expect(all() == [["z 3.0 dB"], [], ["m 3.0 dB"]])
        pairs.set(0.5, between: third, and: one)
        #expect(all() == [["z 0.5 dB"], [], ["m 0.5 dB"]])
        pairs.set(0, between: one, and: third)
        #expect(all() == [[], [], []])
        withExtendedLifetime(world) {}
    }
}

@Suite("Callbacks on queues")
struct WorkQueueTests {
    @Test("Callbacks on a concurrent queue run beside each other, and those on a serial one after each other")
    func queues() {
        let world = World(seed: 1)
        let callbacks = DeviceCallbacks(world.loop.work, place: 0)
        let done = DispatchSemaphore(value: 0)
        // Each of the two waits for the other one.
        let signals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let met = Watched<[Bool]>([])
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for number in 0...1 {
            callbacks.call(on: concurrent, in: nil) {
                signals[number].signal()
                let isMet = signals[1 - number].wait(timeout: .now() + 60) == .success
                met.update { $0.append(isMet) }
                done.signal()
            }
        }
        for _ in 0...1 { done.wait() }
        #expect(met.value == [true, true])
        let order = Watched<[Int]>([])
        let serial = DispatchQueue(label: "serial")
        for number in 0..<20 {
            callbacks.call(on: serial, in: nil) {
                order.update { $0.append(number) }
                done.signal()
            }
        }
        for _ in 0..<20 { done.wait() }
        #expect(order.value == Array(0..<20))
        withExtendedLifetime(world) {}
    }
}
