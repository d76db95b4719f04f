// A phone that has looked at all of a scripted peripheral, for tests that go on from there.

import CoreBluetooth
import CoreBluetoothTesting

extension Explorer {
    /// A world with a device and a phone that has looked at all of it.
    static func meet(
        _ script: ScriptedPeripheral,
        seed: UInt64,
        setUp: (Explorer) -> Void
    ) throws -> (world: World, device: ScriptedDevice, phone: Explorer) {
        let world = World(seed: seed)
        let device = world.addPeripheral(script, as: "device")
        let phone = world.addDevice("phone").run { Explorer() }
        setUp(phone)
        try world.run(until: phone.isConnected)
        world.advance(by: .seconds(3))
        return (world, device, phone)
    }
}

extension ScriptedPeripheral {
    /// A peripheral with one service.
    static func thing(_ characteristics: [Characteristic]) -> ScriptedPeripheral {
        ScriptedPeripheral(name: "Thing", services: [.init("FFF0", characteristics: characteristics)])
    }
}
