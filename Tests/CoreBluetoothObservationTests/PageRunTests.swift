// The code of the page of the module at work.

import CoreBluetoothTesting
import Testing

@Suite("Page of CoreBluetoothObservation")
struct PageRunTests {
    @Test("follows the scan with a button and the connection with a text")
    func follows() async throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Tag", services: [.init("FFF0", characteristics: [])]))
        let app = world.addDevice("phone").run { Connector() }
        let button = ScanButton(app.central)
        try world.run(until: button.title == "Stop")
        try world.run(until: app.state.text == "connecting")
        #expect(button.title == "Scan")
        try world.run(until: app.state.text == "connected")
        app.central.cancelPeripheralConnection(try #require(app.peripheral))
        try world.run(until: app.state.text == "not connected")
        app.state.leave()
        app.central.connect(try #require(app.peripheral))
        try world.run(until: app.peripheral?.state == .connected)
        #expect(app.state.text == "not connected")
        await waitUntilReady(app.central)
    }
}

private final class Connector: NSObject, CBCentralManagerDelegate {
    let state = ConnectionState()
    private(set) var peripheral: CBPeripheral?
    private(set) var central: CBCentralManager!

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.peripheral = peripheral
        self.state.follow(peripheral)
        central.stopScan()
        central.connect(peripheral)
    }
}
