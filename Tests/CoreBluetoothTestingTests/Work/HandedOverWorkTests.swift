// Work that is handed over in ways of its own: by a thread that waits for its end, and by a task that goes on again and
// again, which is held back until time passes, or until the world ends.

import CDispatchWork
import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("Work that is handed over")
struct HandedOverWorkTests {
    /// The clocks of no process, which call a function whenever rest is waited for.
    private final class RestingClock: ProcessClock, @unchecked Sendable {
        // Unchecked: the test's thread sets the function; what else calls changes nothing.

        var atRest: (() -> Void)?
        let nextDeadline: UInt64? = nil

        func advance(to nanoseconds: UInt64) {}
        func rest(within limit: Duration) throws { self.atRest?() }
        func setRandomStream(_ identifier: UInt64) -> UInt64 { 0 }
        func setPlace(_ place: UInt64) -> UInt64 { 0 }
        func serve(_ work: () -> Void, step: @escaping () -> Bool) { work() }
        func end() {}
    }

    private static func owner(_ work: WorldWork) -> WorkOwner {
        WorkOwner(work, order: WorkOrder(device: 0, start: 1), streams: 1, surroundings: nil)
    }

    /// Hands over work that adds one to a count; whether it was taken.
    private static func handOver(
        _ count: Watched<Int>,
        to queue: UnsafeMutableRawPointer,
        isWaiting: Bool = false,
        task: UInt64 = 0,
        _ work: WorldWork
    ) -> Bool {
        work.handOver(
            to: queue,
            isBarrier: false,
            isWaiting: isWaiting,
            owner: Self.owner(work),
            task: task,
            { argument in
                guard let argument else { return }
                Unmanaged<Watched<Int>>.fromOpaque(argument).takeUnretainedValue().update { $0 += 1 }
            },
            Unmanaged.passUnretained(count).toOpaque()
        )
    }

    @Test("A thread that waits for the end of work goes on when it has run, and all is at rest then")
    func waiting() {
        let work = WorldWork()
        let queue = dispatch_work_make_queue("waited for")
        let count = Watched(0)
        for number in 1...3 {
            let isTaken = Self.handOver(count, to: queue, isWaiting: true, work)
            #expect(isTaken && count.value == number && work.isAtRest)
        }
        // After the end it goes its own way.
        work.end()
        let isTaken = Self.handOver(count, to: queue, isWaiting: true, work)
        #expect(!isTaken && count.value == 3)
        withExtendedLifetime(count) {}
    }

    @Test("A task that has gone on 32 times while rest is waited for is held back, until time passes or the work ends")
    func heldBack() async throws {
        let work = WorldWork()
        let clock = RestingClock()
        work.clock = clock
        let queue = dispatch_work_make_queue("a task of the world")
        let count = Watched(0)
        let taken = Watched(0)
        func goOn(_ turns: Int) {
            clock.atRest = {
                for _ in 0..<turns where Self.handOver(count, to: queue, task: 7, work) { taken.update { $0 += 1 } }
                clock.atRest = nil
            }
            work.rest()
        }
        goOn(33)
        #expect(await count.wait { $0 == 32 })
        #expect(taken.value == 33 && count.value == 32)
        work.timeHasPassed()
        #expect(await count.wait { $0 == 33 })
        // It may go on as often again; what is held back then goes on without the world when that ends.
        goOn(33)
        #expect(await count.wait { $0 == 65 })
        #expect(taken.value == 66 && count.value == 65)
        work.end()
        #expect(await count.wait { $0 == 66 })
        // It is held back no more, and not taken, either.
        goOn(1)
        #expect(taken.value == 66 && count.value == 66)
        withExtendedLifetime(count) {}
    }
}
