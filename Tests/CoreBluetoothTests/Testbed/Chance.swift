// What a walk on record does next: choices that follow from a seed alone.

import BluetoothTypes
import Foundation
import NIOCore

/// Choices that follow from a seed.
struct Chance {
    private var generator: SeededGenerator

    init(seed: UInt64) { self.generator = SeededGenerator(seed: seed &* 0x1000_0001) }

    mutating func next() -> UInt64 { self.generator.next() }

    /// A number from 0 on that is less than `count`.
    mutating func below(_ count: Int) -> Int { Int(self.generator.next() % UInt64(count)) }

    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool { self.below(count) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[self.below(elements.count)] }

    /// Some of the elements, in their order.
    mutating func some<Element>(_ elements: [Element]) -> [Element] { elements.filter { _ in self.once(in: 2) } }

    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: self.generator.next()) }
    }

    mutating func data(_ count: Int) -> Data { Data(self.octets(count)) }

    mutating func buffer(_ count: Int) -> ByteBuffer { ByteBuffer(bytes: self.octets(count)) }
}
