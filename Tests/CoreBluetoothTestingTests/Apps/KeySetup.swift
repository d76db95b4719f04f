import CoreBluetooth
import CoreBluetoothTesting

/// A world with a thermometer, and an app on a phone that is subscribed to it.
struct KeySetup {
    let world: World
    let thermo: ScriptedDevice
    let phone: Device
    let app: App<Reader>

    init(
        _ modes: BackgroundModes,
        seed: UInt64 = 1,
        script: ScriptedPeripheral = .thermometer(),
        _ make: @escaping () -> Reader = { .key() }
    ) throws {
        self.world = World(seed: seed)
        self.thermo = self.world.addPeripheral(script)
        self.phone = self.world.addDevice("phone")
        self.app = self.phone.install("key", backgroundModes: modes, make)
        let key = self.app.launch()
        try self.world.run(until: key.calls.contains("notifying true"))
    }

    func send(_ value: UInt8) {
        self.thermo.notify(Data([value]), for: Reader.measurement)
        self.world.advance(by: .milliseconds(500))
    }
}
