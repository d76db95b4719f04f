// How often work goes on before time does: tasks that yield again and again while rest is waited for are held back
// until a millisecond has passed, and all else is not.

import CDispatchWork
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Turns of tasks before time passes")
struct TurnsOfTasksTests {
    /// Hands over work that adds one to a count, so many times.
    private static func handOver(
        _ turns: Int,
        _ count: Watched<Int>,
        to queue: UnsafeMutableRawPointer,
        task: UInt64,
        _ work: WorldWork
    ) {
        let owner = WorkOwner.first(work)
        for _ in 0..<turns {
            let isTaken = work.handOver(counting: count, to: queue, owner: owner, task: task)
            #expect(isTaken)
        }
    }

    @Test("Work that is no task is not held back while rest is waited for, however often it goes on")
    func noTask() async {
        let (work, clock, count) = (WorldWork(), TurningClock(), Watched(0))
        work.clock = clock
        let queue = dispatch_work_make_queue("no task")
        clock.atRest = { Self.handOver(40, count, to: queue, task: 0, work) }
        work.rest()
        #expect(await count.wait { $0 == 40 })
        work.end()
        withExtendedLifetime(count) {}
    }

    @Test("A task is not held back while nobody waits for rest, neither before the first wait nor behind it")
    func outsideOfRest() async {
        let (work, clock, count) = (WorldWork(), TurningClock(), Watched(0))
        work.clock = clock
        let queue = dispatch_work_make_queue("a task outside of rest")
        for round in 1...2 {
            Self.handOver(40, count, to: queue, task: 7, work)
            #expect(await count.wait { $0 == 40 * round })
            work.rest()
        }
        work.end()
        withExtendedLifetime(count) {}
    }

    @Test("A task that yields goes on with what happens a millisecond after it went on last, and not before")
    func eachMillisecond() {
        let world = World(seed: 1)
        let loop = world.loop
        let times = Watched<[UInt64]>([])
        let isOver = Watched(false)
        let task = Task {
            while !isOver.value {
                let now = loop.now.uptimeNanoseconds
                times.update { all in
                    if all.last != now { all.append(now) }
                }
                await Task.yield()
            }
        }
        for microseconds in [400, 800, 1_000, 1_400, 1_999, 2_000, 2_500] as [UInt64] {
            loop.scheduleTask(deadline: .uptimeNanoseconds(microseconds * 1_000)) {}
        }
        world.advance(by: .milliseconds(3))
        isOver.update { $0 = true }
        world.advance(by: .zero)
        // From the end of that time on it is not held back.
        #expect(times.value.filter { $0 < 3_000_000 } == [0, 1_000_000, 2_000_000])
        withExtendedLifetime(task) {}
    }

    @Test("A task that yields goes on each time that the test lets time pass, also where nothing else happens")
    func nothingElse() {
        let world = World(seed: 1)
        let isDone = Watched(false)
        let task = Task {
            for _ in 0..<100 { await Task.yield() }
            isDone.update { $0 = true }
        }
        for _ in 1...10 { world.advance(by: .microseconds(50)) }
        #expect(isDone.value)
        withExtendedLifetime(task) {}
    }
}
