// The code of the article "Many seeds", which is CoreBluetoothTesting.docc/ManySeeds.md, with that of the tutorial: a
// test compares the two.

import CoreBluetoothTesting
import Testing

@Test func readsThroughLosses() throws {
    try withWorlds(seed: 1) { world in
        world.loss = 0.2
        world.addPeripheral(thermometer())
        let reader = world.addDevice("phone").run { TemperatureReader() }
        try world.run(until: reader.temperature == 21, within: .seconds(60))
    }
}

@Test func readsFromAnyDistance() throws {
    try sweepSeeds { seed in
        let world = World(seed: seed)
        world.addPeripheral(thermometer(), distance: 1 + Double(seed % 100))
        let reader = world.addDevice("phone").run { TemperatureReader() }
        try world.run(until: reader.temperature == 21)
    }
}
