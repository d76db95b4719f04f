import CoreBluetoothTesting
import Fixtures
import Testing

@Suite("WorldClock")
struct WorldClockTests {
    /// Sleeps until an instant, and notes the result.
    private static func sleep(
        until offset: Duration,
        by clock: WorldClock,
        _ outcome: Watched<String>
    ) -> Task<Void, Never> {
        Task {
            do {
                try await clock.sleep(until: WorldClock.Instant(offset: offset))
                outcome.update { $0 = "ended" }
            } catch {
                let isCancellation = error is CancellationError
                outcome.update { $0 = isCancellation ? "cancelled" : "failed" }
            }
        }
    }

    @Test("ends a cancelled sleep immediately")
    func cancelled() {
        let world = World(seed: 1)
        let outcome = Watched("sleeps")
        let task = Self.sleep(until: .seconds(3_600), by: world.clock, outcome)
        world.advance(by: .seconds(1))
        #expect(outcome.value == "sleeps")
        task.cancel()
        world.advance(by: .milliseconds(1))
        #expect(outcome.value == "cancelled")
        #expect(world.now == .milliseconds(1_001))
    }

    @Test("cancels a sleep at the end of the world")
    func endOfTheWorld() async throws {
        let outcome = Watched("sleeps")
        var world: World? = World(seed: 1)
        let task = try Self.sleep(until: .seconds(3_600), by: #require(world).clock, outcome)
        world?.advance(by: .seconds(1))
        #expect(outcome.value == "sleeps")
        world = nil
        await task.value
        #expect(outcome.value == "cancelled")
    }

    @Test("ends a sleep until a past or present instant without time passing")
    func past() {
        for offset in [Duration.seconds(1), .seconds(5)] {
            let world = World(seed: 1)
            world.advance(by: .seconds(5))
            let outcome = Watched("sleeps")
            _ = Self.sleep(until: offset, by: world.clock, outcome)
            world.advance(by: .zero)
            #expect(outcome.value == "ended" && world.now == .seconds(5))
        }
    }

    @Test("ends a sleep at its instant, to the nanosecond")
    func instant() {
        let world = World(seed: 1)
        let outcome = Watched("sleeps")
        _ = Self.sleep(until: .nanoseconds(1_000_000_001), by: world.clock, outcome)
        world.advance(by: .seconds(1))
        #expect(outcome.value == "sleeps")
        world.advance(by: .nanoseconds(1))
        #expect(outcome.value == "ended" && world.now == .nanoseconds(1_000_000_001))
    }
}
