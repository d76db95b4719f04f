// Work on the main queue, which cannot be kept waiting while a world runs, and work beside it, which can.

import CDispatchWork
import CoreBluetooth
import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("Work on the main queue and beside it")
struct MainQueueWorkTests {
    /// Whether a thread may be kept waiting: outside of all work, in work, and outside again.
    private static func mayBlock() -> [Bool] {
        let work = WorldWork()
        let callbacks = DeviceCallbacks(work, place: 0)
        let before = callbacks.mayBlock
        let during = WorkOwner.first(work).run { callbacks.mayBlock }
        return [before, during, callbacks.mayBlock]
    }

    @Test("Beside the main queue a thread may be kept waiting while it does work of a world")
    func besideMainQueue() {
        #expect(Self.mayBlock() == [false, true, false])
    }

    @Test("On the main queue no thread may be kept waiting, whatever it does")
    @MainActor
    func onMainQueue() {
        #expect(Self.mayBlock() == [false, false, false])
    }

    @Test("Work for whose end the main queue waits goes its own way; other work that it hands over is taken")
    @MainActor
    func waitingOnMainQueue() async {
        let work = WorldWork()
        let queue = dispatch_work_make_queue("beside the main queue")
        let count = Watched(0)
        let isTakenWhereWaiting = work.handOver(counting: count, to: queue, isWaiting: true)
        #expect(!isTakenWhereWaiting && count.value == 0 && work.isAtRest)
        let isTaken = work.handOver(counting: count, to: queue)
        #expect(isTaken)
        #expect(await count.wait { $0 == 1 })
        work.end()
        withExtendedLifetime(count) {}
    }
}
