// Work on the main queue, which cannot be kept waiting while a world runs, and work beside it, which can.

import CDispatchWork
import CoreBluetooth
import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("Work on the main queue and beside it")
struct MainQueueWorkTests {
    private static func owner(_ work: WorldWork) -> WorkOwner {
        WorkOwner(work, order: WorkOrder(device: 0, start: 1), streams: 1, surroundings: nil)
    }

    /// Whether a thread may be kept waiting: outside of all work, in work, and outside again.
    private static func mayBlock() -> [Bool] {
        let work = WorldWork()
        let callbacks = DeviceCallbacks(work, place: 0)
        let before = callbacks.mayBlock
        let during = Self.owner(work).run { callbacks.mayBlock }
        return [before, during, callbacks.mayBlock]
    }

    /// Hands over work that adds one to a count; whether it was taken.
    private static func handOver(
        _ count: Watched<Int>,
        to queue: UnsafeMutableRawPointer,
        isWaiting: Bool,
        _ work: WorldWork
    ) -> Bool {
        work.handOver(
            to: queue,
            isBarrier: false,
            isWaiting: isWaiting,
            owner: Self.owner(work),
            task: 0,
            { argument in
                guard let argument else { return }
                Unmanaged<Watched<Int>>.fromOpaque(argument).takeUnretainedValue().update { $0 += 1 }
            },
            Unmanaged.passUnretained(count).toOpaque()
        )
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
        let isTakenWhereWaiting = Self.handOver(count, to: queue, isWaiting: true, work)
        #expect(!isTakenWhereWaiting && count.value == 0 && work.isAtRest)
        let isTaken = Self.handOver(count, to: queue, isWaiting: false, work)
        #expect(isTaken)
        #expect(await count.wait { $0 == 1 })
        work.end()
        withExtendedLifetime(count) {}
    }
}
