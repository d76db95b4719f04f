// An app in the central role: ordinary delegate code that records each call.

import NIOCore

@testable import CoreBluetooth

final class CentralApp: NSObject, RecordingApp, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var manager: CBCentralManager!
    /// The calls, in order.
    var calls: [String] = []
    /// The peripherals found, kept as an app has to.
    var found: [CBPeripheral] = []
    var advertisements: [[String: Any]] = []
    var rssi: [NSNumber] = []
    var errors: [any Error] = []
    var values: [String] = []
    /// The channels that were opened, kept as an app has to.
    var channels: [CBL2CAPChannel] = []
    /// Takes a channel in place of `channels`.
    var onChannel: ((CBL2CAPChannel) -> Void)?
    /// The dictionaries that were restored.
    var restored: [[String: Any]] = []
    /// When connections ended, and whether the system connects again by itself.
    var ends: [(timestamp: CFAbsoluteTime, isReconnecting: Bool)] = []
    /// Called after a call was recorded.
    var onCall: ((String) -> Void)?
    /// Called after a call that concerns a peripheral was recorded.
    var onReport: ((Report) -> Void)?

    /// A call that concerns a peripheral, and perhaps one of its attributes.
    struct Report {
        let call: String
        let peripheral: CBPeripheral
        let attribute: CBAttribute?
        let error: (any Error)?
    }

    init(on adapter: BluetoothAdapter, restoring identifier: String? = nil) {
        super.init()
        self.manager = CBCentralManager(
            delegate: self,
            queue: nil,
            options: BluetoothAdapter.options(for: adapter, restoring: identifier)
        )
    }

    func end() { self.manager = nil }

    /// Records a call that concerns a peripheral, and reports it.
    private func record(
        _ call: String,
        _ error: (any Error)? = nil,
        of peripheral: CBPeripheral,
        _ attribute: CBAttribute? = nil
    ) {
        self.record(call, error)
        self.onReport?(Report(call: call, peripheral: peripheral, attribute: attribute, error: error))
    }

    // MARK: CBCentralManagerDelegate

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        self.restored.append(dict)
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        self.found += peripherals
        for peripheral in peripherals { peripheral.delegate = self }
        self.record("restore \(central.state.rawValue)")
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { self.record("state \(central.state.rawValue)") }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        if !self.found.contains(where: { $0 === peripheral }) { self.found.append(peripheral) }
        self.advertisements.append(advertisementData)
        self.rssi.append(RSSI)
        peripheral.delegate = self
        self.record("discover \(peripheral.name ?? "-")", of: peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.record("connect \(peripheral.state.rawValue)", of: peripheral)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        self.record("fail", error, of: peripheral)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        self.ends.append((timestamp, isReconnecting))
        self.record("disconnect \(peripheral.state.rawValue)", error, of: peripheral)
    }

    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    ) {
        self.found.append(peripheral)
        self.record("event \(event.rawValue)", of: peripheral)
    }

    // MARK: CBPeripheralDelegate

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        self.record("name \(peripheral.name ?? "-")", of: peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.record("services \(peripheral.services?.count ?? -1)", error, of: peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
    {
        self.record("included \(service.includedServices?.count ?? -1)", error, of: peripheral, service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.record("characteristics \(service.characteristics?.count ?? -1)", error, of: peripheral, service)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.record("descriptors \(characteristic.descriptors?.count ?? -1)", error, of: peripheral, characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if error == nil, let value = characteristic.value { self.values.append(value.text) }
        self.record("value", error, of: peripheral, characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.record("wrote", error, of: peripheral, characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.record("notifying \(characteristic.isNotifying)", error, of: peripheral, characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        self.record("descriptor \(descriptor.value.map { "\($0)" } ?? "-")", error, of: peripheral, descriptor)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        self.record("wrote descriptor", error, of: peripheral, descriptor)
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        self.rssi.append(RSSI)
        self.record("rssi", error, of: peripheral)
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        self.record("ready", of: peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        let invalid = invalidatedServices.map(\.uuid.uuidString).joined(separator: ",")
        self.record("modified \(invalid)", of: peripheral, invalidatedServices.first)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        if let channel {
            if let onChannel = self.onChannel { onChannel(channel) } else { self.channels.append(channel) }
        }
        self.record(channel.map { "channel \($0.psm)" } ?? "channel", error, of: peripheral)
    }
}
