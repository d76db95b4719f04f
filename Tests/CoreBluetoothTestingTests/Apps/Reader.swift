// An app as people write it, in the central role: finds a thermometer, connects, reads it and subscribes. It knows
// nothing of worlds, and records its delegate calls. As a key, with a restore identifier, it lives through everything,
// and asks for a connection again whenever one ends.

import CoreBluetooth

final class Reader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    static var service: CBUUID { CBUUID(string: "1809") }
    static var measurement: CBUUID { CBUUID(string: "2A1C") }

    private(set) var central: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    private(set) var rssi: Int?
    /// The octets of values that were read or notified.
    private(set) var values: [[UInt8]] = []
    private(set) var errors: [any Error] = []
    /// The calls of the delegates, in order.
    private(set) var calls: [String] = []
    private(set) var restored: [String: Any] = [:]
    private(set) var discoveries: [[String: Any]] = []
    var connectOptions: [String: Any]?
    var subscribes = true
    var reads = true
    private let connects: Bool
    private var reconnects = false
    private let scansAgain: Bool
    private let scanServices: [CBUUID]?
    private let scanOptions: [String: Any]?

    init(
        queue: DispatchQueue? = nil,
        restoreIdentifier: String? = nil,
        connects: Bool = true,
        scansAgain: Bool = true,
        scanServices: [CBUUID]? = [Reader.service],
        scanOptions: [String: Any]? = nil
    ) {
        self.connects = connects
        self.scansAgain = scansAgain
        self.scanServices = scanServices
        self.scanOptions = scanOptions
        super.init()
        var options: [String: Any] = [:]
        options[CBCentralManagerOptionRestoreIdentifierKey] = restoreIdentifier
        self.central = CBCentralManager(delegate: self, queue: queue, options: options)
    }

    static func key(
        restoreIdentifier: String? = "key",
        scansAgain: Bool = true,
        connects: Bool = true,
        connectOptions: [String: Any]? = nil
    ) -> Reader {
        let key = Reader(restoreIdentifier: restoreIdentifier, connects: connects, scansAgain: scansAgain)
        (key.reads, key.reconnects, key.connectOptions) = (false, true, connectOptions)
        return key
    }

    /// All received octets.
    var octets: [UInt8] { self.values.flatMap { $0 } }

    var characteristic: CBCharacteristic? {
        self.peripheral?.services?.first?.characteristics?.first { $0.uuid == Self.measurement }
    }

    private func note(_ call: String, _ error: (any Error)? = nil) {
        if let error { self.errors.append(error) }
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
        guard central.state == .poweredOn, !self.reconnects || self.peripheral == nil else { return }
        guard self.scansAgain || !self.calls.contains("restore") else { return }
        central.scanForPeripherals(withServices: self.scanServices, options: self.scanOptions)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.note("discovered \(peripheral.name ?? "-")")
        self.rssi = RSSI.intValue
        self.discoveries.append(advertisementData)
        self.peripheral = peripheral
        peripheral.delegate = self
        guard self.connects else { return }
        central.stopScan()
        central.connect(peripheral, options: self.connectOptions)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.note("connected")
        peripheral.discoverServices([Self.service])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        self.note("failed", error)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.note("disconnected", error)
        if self.reconnects { central.connect(peripheral, options: self.connectOptions) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.note("services", error)
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.note("characteristics", error)
        guard let characteristic = self.characteristic else { return }
        if self.reads { peripheral.readValue(for: characteristic) }
        if self.subscribes { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.note("value", error)
        if error == nil, let value = characteristic.value { self.values.append(Array(value)) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.note("notifying \(characteristic.isNotifying)", error)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.note("wrote", error)
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        self.note("rssi", error)
        self.rssi = RSSI.intValue
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        self.note("modified \(invalidatedServices.map(\.uuid.uuidString).joined(separator: " "))")
    }
}
