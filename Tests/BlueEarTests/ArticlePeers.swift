// The article's two apps, without their logs and labels.

import CoreBluetooth
import Foundation

private var serviceUUID: CBUUID { CBUUID(string: "0cdbe648-eed0-11e6-bc64-92361f002671") }
private var characteristicUUID: CBUUID { CBUUID(string: "199ab74c-eed0-11e6-bc64-92361f002672") }

/// A message as the article writes it.
func list(_ message: [String: String]) -> Data {
    // A dictionary of strings is always a property list.
    (try? PropertyListSerialization.data(fromPropertyList: message, format: .binary, options: 0)) ?? Data()
}

/// The article's peripheral.
final class ArticlePeripheral: NSObject, CBPeripheralManagerDelegate {
    var peripheralManager: CBPeripheralManager?
    let service = CBMutableService(type: serviceUUID, primary: true)
    let characteristic: CBMutableCharacteristic
    /// The messages that it could read.
    var received: [[String: String]] = []
    /// The number of values that it could not read.
    var misunderstood = 0
    /// The value for a new subscriber.
    var hello = list(["Hello": "Darkness"])
    /// Whether it sends anything at all.
    var isSilent = false
    /// The answer to each write; without one it does not respond.
    var result: CBATTError.Code? = .success
    private(set) var writeCount = 0

    init(
        on adapter: BluetoothAdapter,
        properties: CBCharacteristicProperties = [.read, .notify, .writeWithoutResponse, .write]
    ) {
        characteristic = CBMutableCharacteristic(
            type: characteristicUUID,
            properties: properties,
            value: nil,
            permissions: [.readable, .writeable]
        )
        super.init()
        service.characteristics = [characteristic]
        peripheralManager = adapter.run { CBPeripheralManager(delegate: self, queue: nil, options: nil) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheralManager?.removeAllServices()
        peripheralManager?.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        peripheralManager?.stopAdvertising()
        peripheralManager?.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [serviceUUID as CBUUID?],
            CBAdvertisementDataLocalNameKey: "Peripheral - iOS",
        ])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard !isSilent else { return }
        peripheralManager?.updateValue(hello, for: self.characteristic, onSubscribedCentrals: [central])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        writeCount += requests.count
        guard let request = requests.first, let value = request.value, let result else { return }
        peripheralManager?.respond(to: request, withResult: result)
        guard result == .success else { return }
        let list = try? PropertyListSerialization.propertyList(from: value, options: [], format: nil)
        if let message = list as? [String: String] { received.append(message) } else { misunderstood += 1 }
    }
}

/// The article's central.
final class ArticleCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var centralManager: CBCentralManager?
    var discoveredPeripheral: CBPeripheral?
    /// The messages that it could read.
    var received: [[String: String]] = []
    /// The number of values that it could not read.
    var misunderstood = 0
    /// The errors of its writes, `nil` for a success.
    var writes: [CBATTError.Code?] = []
    var hasDisconnected = false
    /// The value that it writes.
    var answer = list(["Yo": "Lo"])
    /// The type of its writes.
    var type = CBCharacteristicWriteType.withResponse
    /// Whether it leaves after a write, as in the article.
    var leaves = true
    /// Whether it reads instead of subscribing, as a comment in the article suggests.
    var reads = false

    init(on adapter: BluetoothAdapter) {
        super.init()
        centralManager = adapter.run { CBCentralManager(delegate: self, queue: nil, options: nil) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        centralManager?.scanForPeripherals(withServices: [serviceUUID], options: nil)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        discoveredPeripheral = peripheral
        discoveredPeripheral?.delegate = self
        centralManager?.connect(peripheral, options: nil)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        discoveredPeripheral?.discoverServices([serviceUUID])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) { hasDisconnected = true }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = discoveredPeripheral?.services?.first(where: { $0.uuid == serviceUUID }) else { return }
        discoveredPeripheral?.discoverCharacteristics([characteristicUUID], for: service)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        guard let characteristic = service.characteristics?.first(where: { $0.uuid == characteristicUUID }) else {
            return
        }
        if reads {
            discoveredPeripheral?.readValue(for: characteristic)
        } else {
            discoveredPeripheral?.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let value = characteristic.value {
            let list = try? PropertyListSerialization.propertyList(from: value, options: [], format: nil)
            if let message = list as? [String: String] { received.append(message) } else { misunderstood += 1 }
        }
        discoveredPeripheral?.writeValue(answer, for: characteristic, type: type)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        writes.append((error as? CBATTError)?.code)
        guard leaves else { return }
        centralManager?.cancelPeripheralConnection(peripheral)
        centralManager?.stopScan()
    }
}
