// An app as people write it that lives through everything, in the peripheral role.

import CoreBluetooth

final class Sensor: NSObject, CBPeripheralManagerDelegate {
    private(set) var manager: CBPeripheralManager!
    private(set) var calls: [String] = []
    private(set) var restored: [String: Any] = [:]
    private(set) var measurement: CBMutableCharacteristic?

    init(restoreIdentifier: String? = "sensor") {
        super.init()
        var options: [String: Any] = [:]
        options[CBPeripheralManagerOptionRestoreIdentifierKey] = restoreIdentifier
        self.manager = CBPeripheralManager(delegate: self, queue: nil, options: options)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        self.calls.append("restore")
        self.restored = dict
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
        self.measurement = services?.first?.characteristics?.first as? CBMutableCharacteristic
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        self.calls.append("state \(peripheral.state.rawValue)")
        guard peripheral.state == .poweredOn, self.measurement == nil else { return }
        let measurement = CBMutableCharacteristic(
            type: Reader.measurement,
            properties: [.read, .write, .notify],
            value: nil,
            permissions: [.readable, .writeable]
        )
        self.measurement = measurement
        let service = CBMutableService(type: Reader.service, primary: true)
        service.characteristics = [measurement]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Sensor", CBAdvertisementDataServiceUUIDsKey: [Reader.service],
        ])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        self.calls.append("added")
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        self.calls.append("advertising")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        self.calls.append("subscribed")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        self.calls.append("unsubscribed")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        self.calls.append("read")
        request.value = Data([42])
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        self.calls.append("write")
        peripheral.respond(to: requests[0], withResult: .success)
    }
}
