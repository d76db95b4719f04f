import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The orders on a channel of the benchmark")
struct BenchmarkOrdersTests {
    /// Gives all octets, as many at once as may be read, and `size` at most; says what they led to, and behind how
    /// many.
    private func effects(of octets: Data, _ size: Int) -> [Int: BenchmarkOrders.Effect] {
        var orders = BenchmarkOrders()
        var effects: [Int: BenchmarkOrders.Effect] = [:]
        var position = 0
        while position < octets.count {
            let count = min(orders.readLimit(size), size, octets.count - position)
            let effect = orders.receive(octets[position..<position + count])
            position += count
            effects[position] = effect
        }
        return effects
    }

    @Test("are confirmed behind the last octet, where the next order starts", arguments: [1, 3, 8, 1000])
    func confirmed(size: Int) {
        let octets =
            UInt64(20).littleEndianData + Data(repeating: 0xFF, count: 20)
            + UInt64(1).littleEndianData + Data([0]) + UInt64(300).littleEndianData + Data(repeating: 1, count: 299)
        #expect(effects(of: octets, size) == [28: .confirm, 37: .confirm])
        #expect(effects(of: octets + Data([1]), size) == [28: .confirm, 37: .confirm, 345: .confirm])
    }

    @Test("of nothing are confirmed at once")
    func nothing() {
        #expect(effects(of: UInt64(0).littleEndianData + UInt64(0).littleEndianData, 8) == [8: .confirm, 16: .confirm])
    }

    @Test("with the highest bit ask for octets, and another order may follow", arguments: [1, 5, 1000])
    func sent(size: Int) {
        let send = (UInt64(70_000) | 1 << 63).littleEndianData
        let octets = send + send + UInt64(2).littleEndianData + Data([7, 7])
        #expect(effects(of: octets, size) == [8: .send(70_000), 16: .send(70_000), 26: .confirm])
    }

    @Test("are read alone, to the last octet, and so are the octets that they announce")
    func limit() {
        var orders = BenchmarkOrders()
        #expect(orders.readLimit(4096) == 8)
        #expect(orders.receive([0, 9, 0]) == nil)
        #expect(orders.readLimit(4096) == 5)
        #expect(orders.receive([0, 0, 0, 0, 0]) == nil)
        #expect(orders.readLimit(4096) == 0x900)
        #expect(orders.receive([UInt8](repeating: 0, count: 0x8FF)) == nil)
        #expect(orders.readLimit(4096) == 1)
        #expect(orders.receive([0]) == .confirm)
        #expect(orders.readLimit(4096) == 8)
    }

    @Test("are read as the buffer permits, and ended by more octets than were announced")
    func capacity() {
        var orders = BenchmarkOrders()
        #expect(orders.receive(UInt64(5000).littleEndianData) == nil)
        #expect(orders.readLimit(4096) == 4096)
        #expect(orders.receive([UInt8](repeating: 1, count: 5001)) == .confirm)
        #expect(orders.readLimit(10) == 8)
    }
}
