// Apps of Core Bluetooth on dispatch queues of their own.

@testable import CoreBluetooth

/// The UUIDs of these apps.
enum QueueAppUUIDs {
    static var service: CBUUID { CBUUID(string: "FFE0") }
    static var value: CBUUID { CBUUID(string: "FFE1") }
}

/// Publishes one value that its host serves by itself. Unchecked: it lives on its queue.
final class QueuePeripheral: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "peripheral")
    private let value: Data
    private var manager: CBPeripheralManager?

    init(_ adapter: BluetoothAdapter, value: Data) {
        self.value = value
        super.init()
        self.manager = adapter.run { CBPeripheralManager(delegate: self, queue: self.queue) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: QueueAppUUIDs.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: QueueAppUUIDs.value,
                properties: .read,
                value: self.value,
                permissions: .readable
            )
        ]
        peripheral.removeAllServices()
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [QueueAppUUIDs.service]])
    }
}

/// Connects to the first peripheral that is found and discovers its characteristics; a subclass does the rest.
class QueueCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    let queue = DispatchQueue(label: "central")
    private(set) var manager: CBCentralManager!
    private(set) var peripheral: CBPeripheral?

    init(_ adapter: BluetoothAdapter) {
        super.init()
        self.manager = adapter.run { CBCentralManager(delegate: self, queue: self.queue) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        dispatchPrecondition(condition: .onQueue(self.queue))
        guard central.state == .poweredOn else { return }
        self.peripheral = nil
        central.scanForPeripherals(withServices: [QueueAppUUIDs.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([QueueAppUUIDs.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if let service = peripheral.services?.first { peripheral.discoverCharacteristics(nil, for: service) }
    }

    // What a subclass overrides has to be here, since Swift does not find methods that a subclass adds.

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {}
    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {}
}
