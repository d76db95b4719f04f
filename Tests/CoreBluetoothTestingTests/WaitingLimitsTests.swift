// Waits of a world at their edges: what is due at once, mistakes that are told to a test that awaits, and the words of
// what has not ended.

import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Waits of a world at their edges")
struct WaitingLimitsTests {
    private final class Flag {
        var isSet = false
    }

    /// A script that cannot be.
    private static func wrongScript() -> ScriptedPeripheral {
        ScriptedPeripheral(name: "Thing", services: [.init("FFF0", characteristics: [.init("FFF1", properties: [])])])
    }

    @Test("What is due at once is done before a condition is looked at for the first time")
    func dueAtOnce() async throws {
        let world = World(seed: 1)
        let (first, second) = (Flag(), Flag())
        world.after(.zero) { first.isSet = true }
        try world.run(until: first.isSet, within: .zero)
        world.after(.zero) { second.isSet = true }
        try await world.wait(until: second.isSet, within: .zero)
        #expect(world.now == .zero)
    }

    @Test(
        "A test that awaits is told of a mistake at once, whether its condition is true or not",
        arguments: [true, false]
    )
    func mistakes(condition: Bool) async throws {
        let world = World(seed: 1)
        _ = world.addPeripheral(Self.wrongScript())
        let error = await #expect(throws: WorldError.self) {
            try await world.wait(until: condition, within: .seconds(5))
        }
        #expect(error?.reason.contains("the characteristic FFF1 has no properties") == true)
        #expect(world.now == .zero)
        // It is told once.
        try await world.wait(until: true)
    }

    @Test("What a test that awaits waited for in vain is told with its place and its limit")
    func words() async throws {
        let world = World(seed: 1)
        world.note("a line")
        let line = #line + 1
        let error = await #expect(throws: WorldError.self) {
            try await world.wait(until: false, within: .milliseconds(1_500))
        }
        let place = "CoreBluetoothTestingTests/WaitingLimitsTests.swift:\(line)"
        #expect(error?.reason == "\(place): the condition did not become true within 1.5 s")
        #expect(error?.lastLines.count == 1 && error?.lastLines.last?.hasSuffix("a line") == true)
        #expect(world.now == .milliseconds(1_500))
    }

    @Test("An operation that has not ended is told with its place and its limit, which is 30 seconds unless given")
    @MainActor
    func operations() async throws {
        let world = World(seed: 1)
        let line = #line + 1
        let error = await #expect(throws: WorldError.self) {
            try await world.wait(within: .milliseconds(1_500)) { while !Task.isCancelled { await Task.yield() } }
        }
        let place = "CoreBluetoothTestingTests/WaitingLimitsTests.swift:\(line)"
        #expect(error?.reason == "\(place): the operation has not ended within 1.5 s")
        #expect(world.now == .milliseconds(1_500))
        await #expect(throws: WorldError.self) {
            try await world.wait { while !Task.isCancelled { await Task.yield() } }
        }
        #expect(world.now == .milliseconds(31_500))
    }

    @Test("An operation that ends at the end of the limit is in time, and a millisecond later it is not")
    @MainActor
    func operationLimit() async throws {
        for (milliseconds, isInTime) in [(1_000, true), (1_001, false)] {
            let world = World(seed: 1)
            let clock = world.clock
            let operation: @MainActor @Sendable () async throws -> Int = {
                try await clock.sleep(until: WorldClock.Instant(offset: .milliseconds(milliseconds)))
                return 7
            }
            if isInTime {
                let value = try await world.wait(within: .seconds(1), for: operation)
                #expect(value == 7)
            } else {
                await #expect(throws: WorldError.self) { try await world.wait(within: .seconds(1), for: operation) }
            }
            #expect(world.now == .seconds(1))
        }
    }

    @Test("An operation that has ended already needs no time, and what it throws comes out as it is")
    @MainActor
    func endedOperation() async throws {
        struct Thrown: Error {}
        let world = World(seed: 1)
        let value = try await world.wait(within: .zero) { 5 }
        #expect(value == 5)
        await #expect(throws: Thrown.self) {
            try await world.wait(within: .zero) { () throws -> Int in throw Thrown() }
        }
        #expect(world.now == .zero)
    }

    @Test("A time that no clock can say is the longest one")
    func longestTime() {
        let world = World(seed: 1)
        world.advance(by: .seconds(Int64.max))
        // Half of the largest number of nanoseconds.
        #expect(world.now == .nanoseconds(4_611_686_018_427_387_903))
    }

    @Test("The share of packets that the air loses stands in the trace in whole percents")
    func loss() {
        let world = World(seed: 1)
        for loss in [0.3, 0.125, 1, 0] { world.loss = loss }
        #expect(
            world.trace.of("world").map(\.text) == [30, 13, 100, 0].map { "the air loses \($0) % of all packets" }
        )
        #expect(world.loss == 0)
    }
}
