// A central as an app writes one, which notes its callbacks in the trace of its world.

import CoreBluetooth
import CoreBluetoothTesting
import Foundation

/// Finds a peripheral, connects, discovers its attributes, and then does what the scenario wants.
final class TracedPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private unowned let world: World
    private let service: CBUUID
    private(set) var central: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    private(set) var channel: CBL2CAPChannel?
    /// What was noted, for conditions to wait for.
    private(set) var calls: [String] = []
    /// Called when the characteristics of a connection are known.
    var whenReady: (CBPeripheral) -> Void = { _ in }
    /// Whether a connection that ends is requested again.
    var reconnects = false

    init(in world: World, service: String, restoreIdentifier: String? = nil) {
        self.world = world
        self.service = CBUUID(string: service)
        super.init()
        let options = restoreIdentifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0 as Any] }
        self.central = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    /// The characteristic with a UUID.
    subscript(uuid: String) -> CBCharacteristic? {
        let all = (self.peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }
        return all.first { $0.uuid == CBUUID(string: uuid) }
    }

    private func note(_ call: String, _ error: (any Error)? = nil) {
        let line = error.map { "\(call): \($0.localizedDescription)" } ?? call
        self.calls.append(line)
        self.world.note("app: \(line)")
    }

    // MARK: Central manager

    func centralManager(_ central: CBCentralManager, willRestoreState state: [String: Any]) {
        self.peripheral = (state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])?.first
        self.peripheral?.delegate = self
        self.note("willRestoreState with \(self.peripheral?.name ?? "nothing")")
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.note("didUpdateState \(central.state == .poweredOn ? "poweredOn" : "\(central.state.rawValue)")")
        guard central.state == .poweredOn, self.peripheral == nil else { return }
        central.scanForPeripherals(withServices: [self.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.note("didDiscover \(peripheral.name ?? "-")")
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.note("didConnect")
        peripheral.discoverServices([self.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.note("didDisconnect", error)
        if self.reconnects { central.connect(peripheral) }
    }

    // MARK: Peripheral

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.note("didDiscoverServices", error)
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.note("didDiscoverCharacteristics", error)
        self.whenReady(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.note("didUpdateValue of \(characteristic.uuid) with \(characteristic.value?.count ?? 0) octets", error)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.note("didWriteValue of \(characteristic.uuid)", error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.note("didUpdateNotificationState of \(characteristic.uuid): \(characteristic.isNotifying)", error)
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices services: [CBService]) {
        self.note("didModifyServices \(services.map(\.uuid.uuidString).joined(separator: " "))")
        peripheral.discoverServices([self.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.note("didOpen channel", error)
        self.channel = channel
        channel?.inputStream.open()
        channel?.outputStream.open()
    }
}
