// What the code of docs/coming-from.md does, in a world.

import CoreBluetoothTesting
import Testing

@Suite("Code for those who come from other tools")
struct ComingFromTests {
    private func thermometer(_ updates: ScriptedPeripheral.Updates) -> ScriptedPeripheral {
        let temperature = ScriptedPeripheral.Characteristic("2A6E", properties: .notify, updates: updates)
        return ScriptedPeripheral(name: "Thermometer", services: [.init("181A", characteristics: [temperature])])
    }

    @Test("gives temperatures as they are notified, below zero too, and again after the device was away")
    func temperatures() async throws {
        let world = World(seed: 1)
        let updates = ScriptedPeripheral.Updates.every(.seconds(1)) { Data([UInt8(truncatingIfNeeded: $0), 0xFF]) }
        let device = world.addPeripheral(self.thermometer(updates))
        let thermometer = world.addDevice("phone").run { Thermometer() }
        var temperatures = thermometer.temperatures.makeAsyncIterator()
        let first = try #require(try await world.wait { await temperatures.next() })
        let second = try #require(try await world.wait { await temperatures.next() })
        #expect((first * 100).rounded() == -256)
        #expect((second * 100).rounded() == -255)
        device.distance = 1000
        world.advance(by: .seconds(5))
        device.distance = 1
        try await world.wait(until: world.trace.of("phone", .gap).count(of: "Connected to") == 2)
        let third = try #require(try await world.wait { await temperatures.next() })
        // The peripheral numbers its values since the subscription.
        #expect((third * 100).rounded() == -256)
    }
}
