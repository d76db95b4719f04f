// Devices that use Core Bluetooth directly, and do what the SDK never does.

import CoreBluetooth
import Foundation

@testable import ITCB

/// A ball that does only what its test tells it.
final class ForeignBall: NSObject, CBPeripheralManagerDelegate {
    var manager: CBPeripheralManager!
    let name: String
    let service = ITCB_SDK_Peripheral._makeService()
    /// Whether the service exists.
    let hasService: Bool
    var requests: [CBATTRequest] = []
    var subscribers: [CBCentral] = []
    var onWrite: ((CBATTRequest) -> Void)?

    init(_ name: String, on adapter: BluetoothAdapter, hasService: Bool = true) {
        self.name = name
        self.hasService = hasService
        super.init()
        manager = adapter.run { CBPeripheralManager(delegate: self, queue: nil) }
    }

    /// Confirms each question, and answers it.
    func answer(_ text: String) { self.answer(Data(text.utf8)) }

    func answer(_ data: Data) {
        onWrite = { [unowned self] in
            manager.respond(to: $0, withResult: .success)
            notify(data)
        }
    }

    /// Notifies all subscribers.
    func notify(_ data: Data) {
        guard
            let answer = service.characteristics?[_static_ITCB_SDK_8BallService_Answer_UUID.uuidString]
                as? CBMutableCharacteristic
        else { return }
        manager.updateValue(data, for: answer, onSubscribedCentrals: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        if hasService { peripheral.add(service) }
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [_static_ITCB_SDK_8BallServiceUUID],
            CBAdvertisementDataLocalNameKey: name,
        ])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        self.requests += requests
        if let first = requests.first { onWrite?(first) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) { subscribers.append(central) }
}

/// A central that does only what its test tells it.
final class ForeignCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var manager: CBCentralManager!
    var peripheral: CBPeripheral?
    var isReady = false
    /// The result of each write: "ok" or the error.
    var writes: [String] = []
    var notified: [String] = []
    var isSubscribed = false
    var reads: [String] = []
    private var isReading = false

    init(on adapter: BluetoothAdapter) {
        super.init()
        manager = adapter.run { CBCentralManager(delegate: self, queue: nil) }
    }

    private func characteristic(_ uuid: CBUUID) -> CBCharacteristic! {
        peripheral?.services?[_static_ITCB_SDK_8BallServiceUUID.uuidString]?.characteristics?[uuid.uuidString]
    }

    /// Whether the ball's characteristics are known.
    var isExplored: Bool {
        nil != characteristic(_static_ITCB_SDK_8BallService_Question_UUID)
            && nil != characteristic(_static_ITCB_SDK_8BallService_Answer_UUID)
    }

    func write(_ data: Data) {
        peripheral?.writeValue(
            data,
            for: characteristic(_static_ITCB_SDK_8BallService_Question_UUID),
            type: .withResponse
        )
    }

    func write(_ text: String) { write(Data(text.utf8)) }

    func subscribe(_ isOn: Bool = true) {
        peripheral?.setNotifyValue(isOn, for: characteristic(_static_ITCB_SDK_8BallService_Answer_UUID))
    }

    func read() {
        isReading = true
        peripheral?.readValue(for: characteristic(_static_ITCB_SDK_8BallService_Answer_UUID))
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [_static_ITCB_SDK_8BallServiceUUID])
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
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([_static_ITCB_SDK_8BallServiceUUID])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        peripheral.services?.forEach { peripheral.discoverCharacteristics(nil, for: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) { isReady = error == nil }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        writes.append(error.map { words($0) } ?? "ok")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { isSubscribed = characteristic.isNotifying }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        let text = error.map { words($0) } ?? String(decoding: characteristic.value ?? Data(), as: UTF8.self)
        if isReading {
            isReading = false
            reads.append(text)
        } else {
            notified.append(text)
        }
    }
}
