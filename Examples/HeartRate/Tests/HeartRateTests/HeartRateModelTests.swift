// The model of a screen, with its timer: in process time every clock of the process is the world's, so five seconds and
// an hour pass at once.

#if canImport(CoreBluetoothProcessTime)
import CoreBluetoothProcessTime
import CoreBluetoothTesting
import HeartRateModel
import Observation
import Testing

@MainActor @Suite struct HeartRateModelTests {
    private let strap = ScriptedPeripheral(
        name: "Strap",
        services: [
            .init(
                "180D",
                characteristics: [
                    .init(
                        "2A37",
                        properties: .notify,
                        updates: .every(.seconds(1)) { Data([0, 60 + UInt8($0 % 100)]) }
                    )
                ]
            )
        ]
    )

    /// Runs a model on a phone.
    private func withModel(_ world: World, _ body: (HeartRateModel) async throws -> Void) async throws {
        let model = HeartRateModel()
        let task = world.addDevice("phone").run { Task { await model.run() } }
        defer { task.cancel() }
        try await body(model)
    }

    @Test func showsTheRate() async throws {
        try await withProcessTime(seed: 1) { world in
            world.addPeripheral(self.strap)
            try await self.withModel(world) { model in
                try await world.wait(until: model.rate == 62)
                #expect(model.status == "Strap")
            }
        }
    }

    @Test func tellsAView() async throws {
        try await withProcessTime(seed: 1) { world in
            world.addPeripheral(self.strap)
            try await self.withModel(world) { model in
                try await confirmation { changed in
                    withObservationTracking {
                        _ = model.rate
                    } onChange: {
                        changed()
                    }
                    try await world.wait(until: model.rate != nil)
                }
            }
        }
    }

    @Test func showsNoRateFiveSecondsAfterTheLastOne() async throws {
        try await withProcessTime(seed: 1) { world in
            let strap = world.addPeripheral(self.strap)
            try await self.withModel(world) { model in
                try await world.wait(until: model.rate != nil)
                strap.distance = 1000
                let start = ContinuousClock.now
                try await world.wait(until: model.rate == nil)
                #expect((4...6).contains((ContinuousClock.now - start) / .seconds(1)))
                #expect(model.status == "Out of range")
                // An hour later it is back.
                world.advance(by: .seconds(3_600))
                strap.distance = 1
                try await world.wait(until: model.rate != nil)
            }
        }
    }
}
#else
import Testing

@Test(.disabled("CoreBluetoothProcessTime runs on Linux; there these tests run in process time"))
func heartRateModel() {}
#endif
