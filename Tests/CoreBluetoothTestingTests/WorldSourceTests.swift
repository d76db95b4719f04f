// Where the adapter of a device of a world gets its controllers from: from the air, unless the device has no Bluetooth
// or is gone with its world.

import BluetoothHCI
import CoreBluetooth
import Testing

@testable import CoreBluetoothTesting

@Suite("The controllers of a world's devices")
struct WorldSourceTests {
    /// Why no channel was opened; `nil` where one was.
    private func failure(_ source: WorldSource) -> ChannelFailure? {
        var found: ChannelFailure?
        source.open { result in
            if case .failure(let failure) = result { found = failure }
        }
        return found
    }

    private func radio(in world: World) -> Radio {
        Radio(name: "thing", location: Radio.location(nil, nil), world: world)
    }

    @Test("A device with Bluetooth gets a controller, another one each time it asks")
    func supported() {
        let world = World(seed: 1)
        let radio = self.radio(in: world)
        let source = WorldSource(radio, isSupported: true)
        #expect(radio.channel == nil)
        #expect(self.failure(source) == nil)
        let first = radio.channel
        #expect(first != nil)
        #expect(self.failure(source) == nil)
        #expect(radio.channel != nil && radio.channel !== first)
        withExtendedLifetime(world) {}
    }

    @Test("A device without Bluetooth has no controller, and trying again is of no use")
    func unsupported() {
        let world = World(seed: 1)
        let radio = self.radio(in: world)
        let failure = self.failure(WorldSource(radio, isSupported: false))
        #expect(failure?.reason == "this device of a world has no Bluetooth")
        #expect(failure?.isFinal == true && radio.channel == nil)
        withExtendedLifetime(world) {}
    }

    @Test("A device that is gone has no controller any more, and trying again is of no use")
    func gone() {
        let world = World(seed: 1)
        var radio: Radio? = self.radio(in: world)
        let source = radio.map { WorldSource($0, isSupported: true) }
        radio = nil
        let failure = source.flatMap { self.failure($0) }
        #expect(failure?.reason == "the world of this device is gone" && failure?.isFinal == true)
        withExtendedLifetime(world) {}
    }
}
