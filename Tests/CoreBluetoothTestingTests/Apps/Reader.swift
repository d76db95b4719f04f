// An app as people write it, in the central role: finds a thermometer, connects, reads it and subscribes. It knows
// nothing of worlds, and records its delegate calls.

import CoreBluetooth

final class Reader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    static var service: CBUUID { CBUUID(string: "1809") }
    static var measurement: CBUUID { CBUUID(string: "2A1C") }

    private(set) var central: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    private(set) var rssi: Int?
    /// What was read or notified, as octets.
    private(set) var values: [[UInt8]] = []
    private(set) var errors: [any Error] = []
    /// The calls of the delegates, in order.
    private(set) var calls: [String] = []
    var connectOptions: [String: Any]?
    var subscribes = true
    var reads = true

    init(queue: DispatchQueue? = nil) {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: queue)
    }

    var characteristic: CBCharacteristic? {
        self.peripheral?.services?.first?.characteristics?.first { $0.uuid == Self.measurement }
    }

    private func note(_ call: String, _ error: (any Error)? = nil) {
        if let error { self.errors.append(error) }
        self.calls.append(error.map { "\(call) \(($0 as NSError).code)" } ?? call)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.note("state \(central.state.rawValue)")
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Self.service]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.note("discovered \(peripheral.name ?? "-")")
        self.rssi = RSSI.intValue
        self.peripheral = peripheral
        peripheral.delegate = self
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
