// What the code of a device has started when the test goes on, in a world with the clocks of a process: which place it
// has, and that work for the main queue waits for what runs there. And where such work is done.

import CDispatchWork
import Dispatch
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Work of code that has returned")
struct SettledWorkTests {
    /// The clocks of no process, which any thread may use.
    private final class SilentClock: IdleClock, Sendable {}

    @Test("What code has asked for comes before what the test asks for behind it")
    func place() {
        let loop = WorldLoop()
        let clock = NotedClock()
        loop.clock = clock
        let owner = WorkOwner.first(loop.work)
        for _ in 1...2 {
            loop.settle(after: { owner.run { loop.execute { clock.note("code") } } })
            loop.execute { clock.note("test") }
            loop.run()
            #expect(clock.takeNotes().filter { !$0.hasPrefix("advance ") } == ["code", "test"])
        }
        loop.end()
    }

    @Test("What comes to rest behind code is no rest of the test: its starts are counted on")
    func starts() {
        let loop = WorldLoop()
        loop.clock = NotedClock()
        func streams() -> UInt64 { loop.work.makeOwner(place: nil, surroundings: nil).streams }
        let first = streams()
        loop.settle(after: { loop.work.somethingWakes() })
        let second = streams()
        loop.work.somethingWakes()
        loop.run()
        let third = streams()
        let expected: [UInt64] = [1 << 32, 2 << 32, 1 << 32]
        #expect([first, second, third] == expected)
        loop.end()
    }

    @Test("A task that is due comes before a deadline of the process that is due, too, or was before")
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

    @Test("Work for the main queue waits until the code that has the queue returns, and is done when time passes")
    @MainActor
    func mainQueue() {
        let work = WorldWork()
        work.clock = SilentClock()
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

    @Test("Work for the main queue is done there, also where another thread waits for rest")
    func besideMainQueue() async {
        let work = WorldWork()
        work.clock = SilentClock()
        let owner = WorkOwner.first(work)
        let places = Watched<[Bool]>([])
        for _ in 0..<50 {
            work.handOver(to: .main, owner: owner) {
                let isMain = dispatch_work_is_on_main_queue()
                places.update { $0.append(isMain) }
            }
            work.rest()
        }
        #expect(await places.wait { $0.count == 50 })
        #expect(places.value.allSatisfy { $0 })
        work.end()
    }
}
