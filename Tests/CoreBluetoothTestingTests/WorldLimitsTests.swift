// How long a world waits for a condition, to the nanosecond, and how it says numbers and durations.

import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Limits of a world")
struct WorldLimitsTests {
    @Test("A condition that becomes true at the end of the limit is in time, and a millisecond later it is not")
    func exactLimit() throws {
        for (delay, isInTime) in [(1_000, true), (1_001, false)] {
            let world = World(seed: 1)
            var isDone = false
            world.after(.milliseconds(delay)) { isDone = true }
            if isInTime {
                try world.run(until: isDone, within: .seconds(1))
            } else {
                #expect(throws: WorldError.self) { try world.run(until: isDone, within: .seconds(1)) }
            }
            #expect(world.now == .seconds(1))
        }
    }

    @Test("A limit that is no whole number of milliseconds is the limit, and without one it is 30 seconds")
    func limits() async throws {
        let world = World(seed: 1)
        #expect(throws: WorldError.self) { try world.run(until: false, within: .microseconds(1_500)) }
        #expect(world.now == .microseconds(1_500))
        let other = World(seed: 1)
        #expect(throws: WorldError.self) { try other.run(until: false) }
        #expect(other.now == .seconds(30))
        await #expect(throws: WorldError.self) { try await other.wait(until: false) }
        #expect(other.now == .seconds(60))
        #expect(throws: WorldError.self) { try other.run(until: { false }) }
        #expect(other.now == .seconds(90))
    }

    @Test(
        "A number with decimal places, and a duration in its unit",
        arguments: [
            (decimal(0.007, places: 3), "0.007"), (decimal(2, places: 3), "2.000"), (decimal(1.25, places: 1), "1.3"),
            (decimal(1.5, places: 0, trims: true), "2"), (decimal(2, places: 3, trims: true), "2"),
            (decimal(10.10, places: 2, trims: true), "10.1"), (text(of: .milliseconds(999)), "999 ms"),
            (text(of: .milliseconds(1_000)), "1 s"), (text(of: .microseconds(1_500)), "1.5 ms"),
            (text(of: .milliseconds(61_500)), "61.5 s"),
        ]
    )
    func texts(text: String, expected: String) { #expect(text == expected) }
}
