// The orders on the benchmark's channel, in pieces of any size.

import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The orders on a channel of corebluetooth benchmark")
struct BenchmarkOrdersTests {
    /// Gives all octets, as many at once as may be read, and `size` at most; says what they led to, and behind how many.
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

    @Test("Each order is confirmed behind its last octet, and the next one starts there", arguments: [1, 3, 8, 1000])
    func confirmed(size: Int) {
        let octets =
            UInt64(20).littleEndianData + Data(repeating: 0xFF, count: 20)
            + UInt64(1).littleEndianData + Data([0]) + UInt64(300).littleEndianData + Data(repeating: 1, count: 299)
        #expect(effects(of: octets, size) == [28: .confirm, 37: .confirm])
        #expect(effects(of: octets + Data([1]), size) == [28: .confirm, 37: .confirm, 345: .confirm])
    }

    @Test("An order of nothing is confirmed at once")
    func nothing() {
        #expect(effects(of: UInt64(0).littleEndianData + UInt64(0).littleEndianData, 8) == [8: .confirm, 16: .confirm])
    }

    @Test("With the highest bit the central gets octets, and another order may follow", arguments: [1, 5, 1000])
    func sent(size: Int) {
        let send = (UInt64(70_000) | 1 << 63).littleEndianData
        let octets = send + send + UInt64(2).littleEndianData + Data([7, 7])
        #expect(effects(of: octets, size) == [8: .send(70_000), 16: .send(70_000), 26: .confirm])
    }

    @Test("An order is read alone, to its last octet, and so is what it announces")
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

    @Test("Octets are read as the buffer permits")
    func capacity() {
        var orders = BenchmarkOrders()
        #expect(orders.receive(UInt64(5000).littleEndianData) == nil)
        #expect(orders.readLimit(4096) == 4096)
    }

    @Test("More octets than were announced end an order all the same")
    func tooMany() {
        var orders = BenchmarkOrders()
        #expect(orders.receive(UInt64(2).littleEndianData) == nil)
        #expect(orders.receive([1, 2, 3]) == .confirm)
        #expect(orders.readLimit(10) == 8)
    }
}

@Suite("Numbers of octets")
struct LittleEndianDataTests {
    @Test("Least significant octet first; what is missing is zero, what is too much is left out")
    func numbers() {
        #expect(UInt32(0x0102_0304).littleEndianData == Data([4, 3, 2, 1]))
        #expect(UInt16(littleEndianData: [0x34, 0x12]) == 0x1234)
        #expect(UInt32(littleEndianData: [0x34, 0x12]) == 0x1234)
        #expect(UInt16(littleEndianData: [0x34, 0x12, 0xFF]) == 0x1234)
        #expect(UInt64(littleEndianData: [0, 0, 0, 0, 0, 0, 0, 0x80]) == BenchmarkService.sendsBit)
        #expect(UInt64(littleEndianData: []) == 0)
    }
}
