// What a walk on record takes by chance: the same for the same seed.

import BluetoothTypes
import NIOCore

/// The choices of a walk.
struct WalkChoice {
    var generator: SeededGenerator

    init(_ seed: UInt64) { self.generator = SeededGenerator(seed: 0x5EED_0000 &+ seed) }

    /// A number from 0 to one less than a limit.
    mutating func below(_ limit: Int) -> Int { Int(self.generator.next() % UInt64(max(limit, 1))) }

    /// A number of a range.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + self.below(range.upperBound - range.lowerBound + 1)
    }

    /// True once in so many times.
    mutating func oneIn(_ count: Int) -> Bool { self.below(count) == 0 }

    /// One of some values.
    mutating func one<Value>(_ values: [Value]) -> Value { values[self.below(values.count)] }

    /// So many octets.
    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: self.generator.next()) }
    }

    /// So many octets.
    mutating func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(bytes: self.octets(count)) }

    /// A number of 16 bits, mostly a small one.
    mutating func short() -> UInt16 {
        UInt16(self.oneIn(4) ? self.below(0x1_0000) : self.below(16))
    }
}
