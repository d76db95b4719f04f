// `async` operations in a test without an actor.

import CoreBluetoothTesting
import Testing

@Suite("World.wait(for:)")
struct WorldOperationTests {
    @Test("lets an operation use the devices of its world, also in a test without an actor")
    func devices() async throws {
        let world = World(seed: 1)
        let beacon = world.addPeripheral(ScriptedPeripheral(name: "Beacon", services: []))
        let clock = world.clock
        let isOff = try await world.wait {
            beacon.isPowered = false
            try await clock.sleep(for: .seconds(1))
            return !beacon.isPowered
        }
        #expect(isOff && world.now >= .seconds(1))
        beacon.isPowered = true
    }

    @Test("names Task.sleep if an operation waits for real time")
    func realTime() async throws {
        let world = World(seed: 1)
        let error = await #expect(throws: WorldError.self) {
            try await world.wait(within: .milliseconds(10)) { try await Task.sleep(for: .seconds(3_600)) }
        }
        #expect(error?.reason.contains("(Task.sleep), next to none of which passes here") == true)
    }
}
