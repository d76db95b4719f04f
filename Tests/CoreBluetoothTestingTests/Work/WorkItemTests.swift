// The streams of random numbers from which work draws.

import Testing

@testable import CoreBluetoothTesting

@Suite("WorkItem")
struct WorkItemTests {
    private static func stream(_ label: String, streams: UInt64, number: UInt64 = 1) -> UInt64 {
        let (work, clock) = (WorldWork(), NotedClock())
        work.clock = clock
        let order = WorkOrder(device: 0, start: number)
        let owner = WorkOwner(work, order: order, streams: streams, context: nil)
        let queue = WorkQueue(label: label, isMain: false)
        WorkItem(number: number, owner: owner, queue: queue, end: nil, {}).perform()
        #expect(clock.streams.count == 2 && clock.streams.last == 0)
        return clock.streams.first ?? 0
    }

    @Test("gives each queue of each owner a stream of its own")
    func streams() {
        var all: [UInt64] = []
        for label in ["a", "b", "timer", ""] {
            for streams in [1, 2, 1 << 32, 2 << 32] as [UInt64] {
                let stream = Self.stream(label, streams: streams)
                // The number of an item and its start do not count.
                #expect(Self.stream(label, streams: streams, number: 9) == stream)
                all.append(stream)
            }
        }
        #expect(Set(all).count == 16 && !all.contains(0))
        // Zero is for code that is not work of a world.
        #expect(Self.stream("", streams: 0 &- 0xCBF2_9CE4_8422_2325) == 1)
    }
}
