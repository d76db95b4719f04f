// The code of the article "The life of an app", which is CoreBluetoothTesting.docc/AppLifeCycle.md: a test compares the
// two.

import CoreBluetoothTesting
import Testing

final class DoorApp: NSObject, CBCentralManagerDelegate {
    private(set) var isAtTheDoor = false
    private var central: CBCentralManager!
    private var door: CBPeripheral?

    override init() {
        super.init()
        let options = [CBCentralManagerOptionRestoreIdentifierKey: "door"]
        self.central = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        self.door = (dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])?.first
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, self.door == nil else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "FFD0")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.door = peripheral
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { self.isAtTheDoor = true }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.isAtTheDoor = false
        central.connect(peripheral)
    }
}

@Test func isLaunchedAtTheDoor() throws {
    let world = World(seed: 1)
    let door = world.addPeripheral(ScriptedPeripheral(name: "Door", services: [.init("FFD0", characteristics: [])]))
    let app = world.addDevice("phone").install("Key", backgroundModes: .central) { DoorApp() }
    app.launch()  // the user opens it
    try world.run(until: app.instance?.isAtTheDoor == true)
    app.enterBackground()  // the user turns to another app: ten seconds are left
    door.distance = 1_000
    world.advance(by: .seconds(60))
    #expect(app.state == .suspended)
    app.terminate()  // the system needs the memory
    #expect(app.instance == nil)
    door.distance = 2
    try world.run(until: app.instance?.isAtTheDoor == true)
    #expect(app.launches == [.byUser, .bySystem])
    #expect(app.state == .background)
}
