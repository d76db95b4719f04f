// An app in the central role that looks at all that a peripheral has, reads what can be read, subscribes to what sends,
// and then writes what it was given. It knows nothing of worlds, and keeps what it found as lines.

import CoreBluetooth
import CoreBluetoothTesting

final class Explorer: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var central: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    /// The name and the services that were advertised.
    private(set) var advertisement = ""
    /// What was found of the database, sorted.
    var database: [String] { self.found.sorted() }
    private var found: Set<String> = []
    /// The values that came by themselves: characteristic and octets.
    private(set) var notified: [String] = []
    private(set) var errors: [String] = []
    private(set) var isConnected = false
    var name: String?
    var reads = true
    var subscribes = true
    /// What is to be written, by characteristics.
    var writes: [(uuid: String, value: [UInt8])] = []
    private(set) var written = 0
    private var reading: Set<ObjectIdentifier> = []
    /// Called with each value that comes by itself.
    var onNotification: ((String) -> Void)?

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func characteristic(_ uuid: String) -> CBCharacteristic? {
        self.peripheral?.services?.flatMap { $0.characteristics ?? [] }.first { $0.uuid == CBUUID(string: uuid) }
    }

    /// Writes the next of the values.
    func writeNext() {
        guard self.written < self.writes.count else { return }
        let next = self.writes[self.written]
        guard let characteristic = self.characteristic(next.uuid) else { return }
        let type: CBCharacteristicWriteType =
            characteristic.properties.contains(.write) ? .withResponse : .withoutResponse
        self.peripheral?.writeValue(Data(next.value), for: characteristic, type: type)
        if type == .withoutResponse { self.written += 1 }
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
        if let name = self.name, peripheral.name != name { return }
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        self.advertisement = "\(peripheral.name ?? "-") \(services.map(\.uuidString).joined(separator: " "))"
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.isConnected = true
        peripheral.discoverServices(nil)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) { self.isConnected = false }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            self.found.insert("\(service.uuid.uuidString) \(service.isPrimary)")
            peripheral.discoverIncludedServices(nil, for: service)
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {
        for included in service.includedServices ?? [] {
            self.found.insert("\(service.uuid.uuidString) includes \(included.uuid.uuidString)")
            if peripheral.services?.contains(where: { $0.uuid == included.uuid }) != true {
                peripheral.discoverCharacteristics(nil, for: included)
            }
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] {
            self.found.insert(
                "\(service.uuid.uuidString) \(characteristic.uuid.uuidString) \(characteristic.properties.rawValue)"
            )
            peripheral.discoverDescriptors(for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        for descriptor in characteristic.descriptors ?? [] {
            self.found.insert("\(characteristic.uuid.uuidString) \(descriptor.uuid.uuidString)")
            if self.reads { peripheral.readValue(for: descriptor) }
        }
        if self.reads, characteristic.properties.contains(.read) {
            self.reading.insert(ObjectIdentifier(characteristic))
            peripheral.readValue(for: characteristic)
        }
        if self.subscribes, !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        if let error { return self.errors.append("\(descriptor.uuid.uuidString) \((error as NSError).code)") }
        // Its own configuration is not the peripheral's.
        guard descriptor.uuid != CBUUID(string: "2902") else { return }
        self.found.insert("\(descriptor.uuid.uuidString) = \(descriptor.value ?? "-")")
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error { return self.errors.append("\(characteristic.uuid.uuidString) \((error as NSError).code)") }
        let text = "\(characteristic.uuid.uuidString) \(Array(characteristic.value ?? Data()))"
        if self.reading.remove(ObjectIdentifier(characteristic)) != nil {
            self.found.insert(text)
        } else {
            self.notified.append(text)
            self.onNotification?(text)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if let error { self.errors.append("\(characteristic.uuid.uuidString) \((error as NSError).code)") }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error { self.errors.append("\(characteristic.uuid.uuidString) \((error as NSError).code)") }
        self.written += 1
    }

    private(set) var channels: [CBL2CAPChannel] = []

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        if let channel { self.channels.append(channel) }
        if let error { self.errors.append("channel \((error as NSError).code)") }
    }
}

extension Explorer {
    /// A world with a device and a phone that has looked at all of it.
    static func meet(
        _ script: ScriptedPeripheral,
        seed: UInt64 = 1,
        setUp: (Explorer) -> Void = { _ in }
    ) throws -> (world: World, device: ScriptedDevice, phone: Explorer) {
        let world = World(seed: seed)
        let device = world.addPeripheral(script, as: "device")
        let phone = world.addDevice("phone").run { Explorer() }
        setUp(phone)
        try world.run(until: phone.isConnected)
        world.advance(by: .seconds(3))
        return (world, device, phone)
    }
}
