// Work that is handed over in ways of its own: by a thread that waits for its end, and by a task that goes on again and
// again, which is held back until time passes, or until the world ends.

import CDispatchWork
import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("Work that is handed over")
struct HandedOverWorkTests {
    @Test("A thread that waits for the end of work goes on when it has run, and all is at rest then")
    func waiting() {
        let work = WorldWork()
        let queue = dispatch_work_make_queue("waited for")
        let count = Watched(0)
        for number in 1...3 {
            let isTaken = work.handOver(counting: count, to: queue, isWaiting: true)
            #expect(isTaken && count.value == number && work.isAtRest)
        }
        // After the end it goes its own way.
        work.end()
        let isTaken = work.handOver(counting: count, to: queue, isWaiting: true)
        #expect(!isTaken && count.value == 3)
        withExtendedLifetime(count) {}
    }

    @Test("A task that has gone on 32 times while rest is waited for is held back, until time passes or the work ends")
    func heldBack() async throws {
        let work = WorldWork()
        let clock = TurningClock()
        work.clock = clock
        let queue = dispatch_work_make_queue("a task of the world")
        let count = Watched(0)
        let taken = Watched(0)
        func goOn(_ turns: Int) {
            clock.atRest = {
                for _ in 0..<turns where work.handOver(counting: count, to: queue, task: 7) {
                    taken.update { $0 += 1 }
                }
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
