// An app in the central role that does something at random with a peripheral whenever it is told to, and keeps what it
// is told.

import BluetoothTypes
import CoreBluetooth

final class Wanderer: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var lines: [String] = []
    private(set) var central: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var channels: [CBL2CAPChannel] = []
    private var generator: SeededGenerator

    init(seed: UInt64) {
        self.generator = SeededGenerator(seed: seed)
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    private func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self.generator) }

    private func octets() -> Data {
        let count = [0, 1, 2, 8, 19, 20, 21, 100, 244, 245, 512][self.below(11)]
        return Data((0..<count).map { _ in UInt8(self.below(256)) })
    }

    private func isFailed(_ what: String, _ error: (any Error)?) -> Bool {
        guard let error = error as NSError? else { return false }
        self.lines.append("\(what) fails: \(error.domain) \(error.code)")
        return true
    }

    /// Does one thing with what is known of the peripheral.
    func step() {
        guard let peripheral = self.peripheral else { return }
        guard peripheral.state == .connected else {
            if peripheral.state == .disconnected { self.central.connect(peripheral) }
            return
        }
        let characteristics = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
        guard let characteristic = characteristics.randomElement(using: &self.generator) else {
            return peripheral.discoverServices(nil)
        }
        let choice = self.below(16)
        // Most of the time it does what the characteristic says that it can.
        let needed: CBCharacteristicProperties? =
            switch choice {
            case 0...3: .read
            case 4...6: .write
            case 7, 8: .writeWithoutResponse
            default: nil
            }
        if let needed, !characteristic.properties.contains(needed), self.below(8) > 0 { return }
        switch choice {
        case 0...3: peripheral.readValue(for: characteristic)
        case 4...6: peripheral.writeValue(self.octets(), for: characteristic, type: .withResponse)
        case 7, 8:
            let limit = peripheral.maximumWriteValueLength(for: .withoutResponse)
            peripheral.writeValue(self.octets().prefix(limit), for: characteristic, type: .withoutResponse)
        case 9, 10: peripheral.setNotifyValue(!characteristic.isNotifying, for: characteristic)
        case 11: peripheral.discoverDescriptors(for: characteristic)
        case 12:
            guard let descriptor = characteristic.descriptors?.randomElement(using: &self.generator) else { return }
            let isOwn = descriptor.uuid == CBUUID(string: "2902")
            if isOwn || self.below(2) == 0 {
                peripheral.readValue(for: descriptor)
            } else {
                peripheral.writeValue(self.octets(), for: descriptor)
            }
        case 13: peripheral.openL2CAPChannel([0x81, 0x82][self.below(2)])
        case 14: peripheral.discoverServices(nil)
        default: if self.below(3) == 0 { self.central.cancelPeripheralConnection(peripheral) }
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.lines.append("state \(central.state.rawValue)")
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let keys = advertisementData.map { key, value in
            if let uuids = value as? [CBUUID] { return "\(key) \(uuids.map(\.uuidString))" }
            if let data = value as? [CBUUID: Data] { return "\(key) \(data.map { "\($0) \($1.count)" }.sorted())" }
            return "\(key) \(value)"
        }
        self.lines.append("discovered \(peripheral.name ?? "-") \(RSSI) \(keys.sorted())")
        guard self.peripheral == nil || peripheral === self.peripheral else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        if peripheral.state == .disconnected { central.connect(peripheral) }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.lines.append("connected, at most \(peripheral.maximumWriteValueLength(for: .withoutResponse))")
        peripheral.discoverServices(nil)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        _ = self.isFailed("connecting", error)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        if !self.isFailed("the link", error) { self.lines.append("disconnected") }
        self.channels = []
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if self.isFailed("discovering", error) { return }
        for service in peripheral.services ?? [] {
            self.lines.append("has \(service.uuid.uuidString) \(service.isPrimary)")
            peripheral.discoverIncludedServices(nil, for: service)
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        self.lines.append("changes \(invalidatedServices.map(\.uuid.uuidString))")
        peripheral.discoverServices(nil)
    }

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { self.lines.append("is \(peripheral.name ?? "-")") }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {
        if self.isFailed("including", error) { return }
        let included = (service.includedServices ?? []).map(\.uuid.uuidString)
        self.lines.append("\(service.uuid.uuidString) includes \(included)")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        if self.isFailed("characteristics", error) { return }
        let found = (service.characteristics ?? []).map { "\($0.uuid.uuidString) \($0.properties.rawValue)" }
        self.lines.append("\(service.uuid.uuidString) has \(found)")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if self.isFailed("descriptors", error) { return }
        let found = (characteristic.descriptors ?? []).map(\.uuid.uuidString)
        self.lines.append("\(characteristic.uuid.uuidString) has \(found)")
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if self.isFailed("\(characteristic.uuid.uuidString)", error) { return }
        self.lines.append("\(characteristic.uuid.uuidString) = \(Array(characteristic.value ?? Data()))")
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        if self.isFailed("\(descriptor.uuid.uuidString)", error) { return }
        self.lines.append("\(descriptor.uuid.uuidString) = \(descriptor.value ?? "-")")
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if !self.isFailed("writing", error) { self.lines.append("\(characteristic.uuid.uuidString) is written") }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        if !self.isFailed("writing", error) { self.lines.append("\(descriptor.uuid.uuidString) is written") }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if self.isFailed("subscribing", error) { return }
        self.lines.append("\(characteristic.uuid.uuidString) notifies: \(characteristic.isNotifying)")
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard !self.isFailed("opening", error), let channel else { return }
        self.channels.append(channel)
        self.lines.append("channel \(channel.psm)")
    }
}
