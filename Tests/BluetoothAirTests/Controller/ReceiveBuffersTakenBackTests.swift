// The buffers of a host that says it has fewer than before, while it holds packets (Vol 4, Part E, 7.3.39).

import BluetoothHCI
import Fixtures
import Testing

@testable import BluetoothAir

@Suite("Buffers that the host takes back")
struct ReceiveBuffersTakenBackTests {
    private let pair = ControllerPair()

    @Test("A link of which the host holds nothing gets a packet where one buffer is free, whatever another link holds")
    func fewer() {
        let (first, second) = (self.pair.end(.central), self.pair.end(.peripheral))
        var buffers = ReceiveBuffers(linkLimit: 4)
        buffers.isLimited = true
        buffers.capacity = 12
        // An only link leaves four buffers to other links, and a quarter of the eight others, behind its own.
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
