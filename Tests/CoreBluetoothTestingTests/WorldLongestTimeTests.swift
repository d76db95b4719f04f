// The longest time of a world: whole seconds that a clock can say, with a fraction that it can say, or cannot.

import Testing

@testable import CoreBluetoothTesting

@Suite("The longest time of a world")
struct WorldLongestTimeTests {
    @Test(
        "Seconds that fit and become too many with their fraction are the longest time",
        arguments: [
            // The largest number of nanoseconds is 9,223,372,036,854,775,807.
            (854_775_807, 9_223_372_036_854_775_807), (854_775_808, 4_611_686_018_427_387_903),
            (900_000_000, 4_611_686_018_427_387_903), (0, 9_223_372_036_000_000_000),
        ] as [(Int64, Int64)]
    )
    func fraction(nanoseconds: Int64, expected: Int64) {
        let world = World(seed: 1)
        world.advance(by: Duration.seconds(9_223_372_036) + Duration.nanoseconds(nanoseconds))
        #expect(world.now == .nanoseconds(expected))
    }
}
