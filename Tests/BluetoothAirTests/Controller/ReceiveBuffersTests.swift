import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Buffers of the host")
struct ReceiveBuffersTests {
    private let pair = ControllerPair()

    @Test("shares the buffers among links, and never gives more than there are", arguments: 1...16)
    func shares(capacity: Int) {
        for linkLimit in [1, 2, 4, 128] {
            for linkCount in 1...min(linkLimit, 4) {
                let ends = (0..<linkCount).map { _ in self.pair.end(.central) }
                var buffers = ReceiveBuffers(linkLimit: linkLimit)
                buffers.isLimited = true
                buffers.capacity = capacity
                // The links take buffers in turn, while any may.
                var isGoing = true
                while isGoing {
                    isGoing = false
                    for end in ends where buffers.hasCapacity(for: end, among: linkCount) {
                        buffers.sent(on: end)
                        isGoing = true
                    }
                    #expect(buffers.used <= capacity)
                }
                let held = ends.map(\.unreportedPackets)
                #expect(buffers.used == held.reduce(0, +))
                for end in ends { buffers.completed(end.unreportedPackets, on: end) }
                #expect(buffers.used == 0)
                for end in ends { #expect(buffers.hasCapacity(for: end, among: linkCount)) }
            }
        }
    }

    @Test("gives everything to a host without flow control, and nothing to one that takes nothing")
    func unlimited() {
        let end = self.pair.end(.central)
        var buffers = ReceiveBuffers(linkLimit: 1)
        buffers.capacity = 1
        for _ in 0..<3 {
            #expect(buffers.hasCapacity(for: end, among: 1))
            buffers.sent(on: end)
        }
        #expect(buffers.used == 0 && end.unreportedPackets == 0)
        buffers.isHostWritable = false
        #expect(!buffers.hasCapacity(for: end, among: 1))
        buffers.isLimited = true
        #expect(!buffers.hasCapacity(for: end, among: 1))
        buffers.reset()
        #expect(!buffers.isLimited && buffers.capacity == 0 && !buffers.isHostWritable)
        buffers.isHostWritable = true
        buffers.reset()
        #expect(buffers.isHostWritable)
    }

    @Test("gives a free buffer to a link without packets at the host")
    func fewer() {
        let (first, second) = (self.pair.end(.central), self.pair.end(.peripheral))
        var buffers = ReceiveBuffers(linkLimit: 4)
        buffers.isLimited = true
        buffers.capacity = 12
        // A single link leaves four buffers to other links, and a quarter of the other eight.
        while buffers.hasCapacity(for: first, among: 1) { buffers.sent(on: first) }
        #expect(first.unreportedPackets == 7 && buffers.used == 7)
        buffers.capacity = 8
        #expect(!buffers.hasCapacity(for: first, among: 2))
        #expect(buffers.hasCapacity(for: second, among: 2))
        buffers.sent(on: second)
        #expect(!buffers.hasCapacity(for: second, among: 2) && buffers.used == 8)
        buffers.completed(7, on: first)
        #expect(buffers.hasCapacity(for: first, among: 2) && buffers.hasCapacity(for: second, among: 2))
    }
}
