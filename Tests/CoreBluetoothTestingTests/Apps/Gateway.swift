// An app as people write it for a small computer: it publishes a service, scans without end and connects to what it is
// told to, all at once.

import CoreBluetooth

final class Gateway: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate {
    let name: String
    private(set) var central: CBCentralManager!
    private(set) var manager: CBPeripheralManager!
    /// The number of reports of each device since ``forget()``.
    private(set) var heard: [String: Int] = [:]
    private var peripherals: [String: CBPeripheral] = [:]
    private(set) var connected: Set<String> = []
    private(set) var starts = 0
    private(set) var problems: [String] = []

    init(_ name: String) {
        self.name = name
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
        self.manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func advertise() {
        self.manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: self.name,
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FFF0")],
        ])
    }

    func scan() {
        self.central.scanForPeripherals(
            withServices: nil,
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        )
    }

    /// Connects to a device that was heard.
    func connect(_ name: String) {
        guard let peripheral = self.peripherals[name] else { return self.problems.append("no \(name)") }
        self.central.connect(peripheral)
    }

    func disconnect(_ name: String) {
        if let peripheral = self.peripherals[name] { self.central.cancelPeripheralConnection(peripheral) }
    }

    func forget() { self.heard = [:] }

    func hears(_ name: String) -> Bool { self.heard[name, default: 0] > 0 }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        self.starts += 1
        if let error { self.problems.append("advertising: \(error)") }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let name = peripheral.name ?? advertisementData[CBAdvertisementDataLocalNameKey] as? String else {
            return
        }
        self.peripherals[name] = peripheral
        self.heard[name, default: 0] += 1
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.connected.insert(peripheral.name ?? "-")
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        self.problems.append("failed to connect: \(String(describing: error))")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.connected.remove(peripheral.name ?? "-")
        if let error { self.problems.append("disconnected: \(error)") }
    }
}
