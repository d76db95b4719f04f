// From which stream of random numbers work draws: one of its owner and its queue, whatever else runs.

import Testing

@testable import CoreBluetoothTesting

@Suite("Streams of random numbers of work")
struct WorkStreamsTests {
    /// The clocks of no process, which note the streams that are set.
    private final class StreamClock: IdleClock, @unchecked Sendable {
        // Unchecked: one thread uses it, that of the test.

        private(set) var streams: [UInt64] = []

        func setRandomStream(_ identifier: UInt64) -> UInt64 {
            self.streams.append(identifier)
            return 0
        }
    }

    /// The stream of an item of work.
    private static func stream(_ label: String, streams: UInt64, number: UInt64 = 1) -> UInt64 {
        let (work, clock) = (WorldWork(), StreamClock())
        work.clock = clock
        let order = WorkOrder(device: 0, start: number)
        let owner = WorkOwner(work, order: order, streams: streams, surroundings: nil)
        let queue = WorkQueue(label: label, isMain: false)
        WorkItem(number: number, owner: owner, queue: queue, end: nil, {}).perform()
        #expect(clock.streams.count == 2 && clock.streams.last == 0)
        return clock.streams.first ?? 0
    }

    @Test("A stream is the FNV-1a hash of the queue's name, from a beginning that the owner has")
    func hash() {
        #expect(Self.stream("", streams: 0) == 0xCBF2_9CE4_8422_2325)
        #expect(Self.stream("", streams: 1 << 32) == 0xCBF2_9CE5_8422_2325)
        #expect(Self.stream("a", streams: 0) == 0xAF63_DC4C_8601_EC8C)
    }

    @Test("Each queue of each owner has a stream of its own, and none has that of what is no work")
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
        // Zero is for what is no work of a world.
        #expect(Self.stream("", streams: 0 &- 0xCBF2_9CE4_8422_2325) == 1)
    }
}
