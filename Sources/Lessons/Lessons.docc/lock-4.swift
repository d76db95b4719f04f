/// A key that opens its lock whenever the two are near each other.
final class DoorKey: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Called with what the lock said to the response.
    var onVerdict: (Error?) -> Void = { _ in }
    private let respond: (Data) -> Data
    private var lock: CBPeripheral?
    private var central: CBCentralManager?

    /// - Parameter respond: The response to a challenge.
    init(respond: @escaping (Data) -> Data) {
        self.respond = respond
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Door.service]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        lock = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Door.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] where characteristic.uuid == Door.challenge {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        let target = characteristic.service?.characteristics?.first { $0.uuid == Door.response }
        guard let target, let challenge = characteristic.value else { return }
        peripheral.writeValue(respond(challenge), for: target, type: .withResponse)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        onVerdict(error)
    }
}
