// An app as people write it that lives through everything: in the central role, with a restore identifier, it connects
// to a thermometer and subscribes; connections are asked for again whenever they end.

import CoreBluetooth
import CoreBluetoothTesting

final class Key: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var central: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    private(set) var calls: [String] = []
    private(set) var values: [UInt8] = []
    private(set) var restored: [String: Any] = [:]
    private let connectOptions: [String: Any]?
    private let scanServices: [CBUUID]?
    private let scanOptions: [String: Any]?
    private(set) var discoveries: [[String: Any]] = []
    private let connects: Bool
    private let scansAgain: Bool

    init(
        restoreIdentifier: String? = "key",
        connects: Bool = true,
        scansAgain: Bool = true,
        scanServices: [CBUUID]? = [Reader.service],
        scanOptions: [String: Any]? = nil,
        connectOptions: [String: Any]? = nil
    ) {
        self.connectOptions = connectOptions
        self.scanServices = scanServices
        self.scanOptions = scanOptions
        self.connects = connects
        self.scansAgain = scansAgain
        super.init()
        var options: [String: Any] = [:]
        options[CBCentralManagerOptionRestoreIdentifierKey] = restoreIdentifier
        self.central = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    private func note(_ call: String, _ error: (any Error)? = nil) {
        self.calls.append(error.map { "\(call) \(($0 as NSError).code)" } ?? call)
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        self.note("restore")
        self.restored = dict
        self.peripheral = (dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])?.first
        self.peripheral?.delegate = self
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.note("state \(central.state.rawValue)")
        if central.state == .poweredOn, self.peripheral == nil, self.scansAgain || !self.calls.contains("restore") {
            central.scanForPeripherals(withServices: self.scanServices, options: self.scanOptions)
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.note("discovered \(peripheral.name ?? "-")")
        self.discoveries.append(advertisementData)
        self.peripheral = peripheral
        peripheral.delegate = self
        guard self.connects else { return }
        central.stopScan()
        central.connect(peripheral, options: self.connectOptions)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.note("connected")
        peripheral.discoverServices([Reader.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.note("disconnected", error)
        central.connect(peripheral, options: self.connectOptions)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.note("services", error)
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.note("characteristics", error)
        for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.note("notifying", error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.note("value", error)
        self.values += characteristic.value ?? Data()
    }
}

/// A world with a thermometer, and an app on a phone that is subscribed to it.
struct KeySetup {
    let world: World
    let thermo: ScriptedDevice
    let phone: Device
    let app: App<Key>

    init(
        _ modes: BackgroundModes,
        seed: UInt64 = 1,
        script: ScriptedPeripheral = .thermometer(),
        _ make: @escaping () -> Key = { Key() }
    ) throws {
        self.world = World(seed: seed)
        self.thermo = self.world.addPeripheral(script)
        self.phone = self.world.addDevice("phone")
        self.app = self.phone.install("key", backgroundModes: modes, make)
        let key = self.app.launch()
        try self.world.run(until: key.calls.contains("notifying"))
    }

    func send(_ value: UInt8) {
        self.thermo.notify(Data([value]), for: Reader.measurement)
        self.world.advance(by: .milliseconds(500))
    }
}
