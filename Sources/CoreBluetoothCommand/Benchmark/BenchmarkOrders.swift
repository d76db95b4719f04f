// Parses what a central asks for on the benchmark's L2CAP channel: octets in pieces of any size, one order after
// the other.

import Foundation

/// The orders of one channel, at the peripheral.
///
///     8 octets: a number ──► so many octets follow ──► they are confirmed with one octet
///          │
///          └─ with the highest bit: the central gets so many octets, and none follow
struct BenchmarkOrders {
    private enum State {
        /// An order comes; so much of it has.
        case order(Data)
        /// So many octets are to follow.
        case octets(UInt64)
    }

    /// The result of an order.
    enum Effect: Hashable {
        /// All that it announced has come.
        case confirm
        /// The central gets so many octets.
        case send(UInt64)
    }

    private static let length = 8
    private var state = State.order(Data())

    /// The most octets to read at once, so that none belongs to the next order.
    func readLimit(_ capacity: Int) -> Int {
        switch self.state {
        case .order(let head): Self.length - head.count
        case .octets(let left): Int(min(left, UInt64(capacity)))
        }
    }

    /// Takes octets, at most ``readLimit``.
    mutating func receive(_ octets: some Collection<UInt8>) -> Effect? {
        switch self.state {
        case .order(var head):
            head += octets
            guard head.count == Self.length else {
                self.state = .order(head)
                return nil
            }
            let number = UInt64(littleEndianData: head)
            guard number & BenchmarkService.sendsBit == 0 else {
                self.state = .order(Data())
                return .send(number & ~BenchmarkService.sendsBit)
            }
            return self.expect(number)
        case .octets(let left): return self.expect(left - min(left, UInt64(octets.count)))
        }
    }

    private mutating func expect(_ left: UInt64) -> Effect? {
        self.state = left == 0 ? .order(Data()) : .octets(left)
        return left == 0 ? .confirm : nil
    }
}
