// The event loop of a world: how many tasks a second of virtual time may have.

import Fixtures
import NIOCore
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
}
