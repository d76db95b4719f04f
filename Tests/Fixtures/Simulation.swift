// The seeds and the choices of simulations: random runs whose invariants are checked.
//
//     SEEDS=1-5000 swift test --filter Simulation

import Foundation

/// The seeds of a simulation: 1 to `count`, unless `SEEDS` names others, such as `17` or `1-5000`.
package func simulationSeeds(_ count: UInt64) -> [UInt64] {
    guard let text = ProcessInfo.processInfo.environment["SEEDS"] else { return Array(1...count) }
    let ends = text.split(separator: "-").compactMap { UInt64($0) }
    guard let first = ends.first, let last = ends.last, first <= last else {
        preconditionFailure("SEEDS is a number or FIRST-LAST, not \"\(text)\"")
    }
    return Array(first...last)
}

/// The number of rounds of a long simulation: a fifth of `count`, unless `SEEDS` asks for all.
package func simulationRounds(_ count: Int) -> Int {
    ProcessInfo.processInfo.environment["SEEDS"] == nil ? count / 5 : count
}

/// Choices that follow from a seed (SplitMix64).
package struct SeededChoices: RandomNumberGenerator {
    private var state: UInt64

    /// The factor is not the generator's step, by which the choices of one seed would be those of the seed before, less
    /// one.
    package init(seed: UInt64) { self.state = seed &* 0xD134_2543_DE82_EF95 }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// A number from 0 up to but not including `count`.
    package mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    /// True once in `count` times on average.
    package mutating func once(in count: Int) -> Bool { self.below(count) == 0 }

    /// One of the elements.
    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[self.below(elements.count)] }

    /// Some of the elements, in their order.
    package mutating func some<Element>(_ elements: [Element]) -> [Element] {
        elements.filter { _ in self.once(in: 2) }
    }

    /// Random octets.
    package mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
