/// Finds a speaker and hears its messages.
final class Listener: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Called with each message.
    let onMessage: ([String: String]) -> Void
    var speaker: CBPeripheral?
    private var central: CBCentralManager?
    private var pieces = Pieces()

    /// - Parameter identifier: Under which name the system preserves the manager; lesson 9 needs one.
    init(restoreIdentifier identifier: String? = nil, onMessage: @escaping ([String: String]) -> Void) {
        self.onMessage = onMessage
        super.init()
        let options = identifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0] }
        central = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, speaker == nil else { return }
        central.scanForPeripherals(withServices: [Messenger.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        speaker = peripheral
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        pieces = Pieces()
        peripheral.delegate = self
        peripheral.discoverServices([Messenger.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([Messenger.messages], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let message = pieces.take(characteristic.value ?? Data()) else { return }
        onMessage(message)
    }
}
