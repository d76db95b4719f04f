// An app as people write it, in the peripheral role: a thermometer.

import CoreBluetooth

final class Thermometer: NSObject, CBPeripheralManagerDelegate {
    private(set) var manager: CBPeripheralManager!
    let measurement = CBMutableCharacteristic(
        type: Reader.measurement,
        properties: [.read, .write, .notify],
        value: nil,
        permissions: [.readable, .writeable]
    )
    var temperature: UInt8 = 21
    private(set) var calls: [String] = []
    private(set) var written: [Data] = []

    override init() {
        super.init()
        self.manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func send(_ temperature: UInt8) -> Bool {
        self.temperature = temperature
        return self.manager.updateValue(Data([temperature]), for: self.measurement, onSubscribedCentrals: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        self.calls.append("state \(peripheral.state.rawValue)")
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Reader.service, primary: true)
        service.characteristics = [self.measurement]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Thermo", CBAdvertisementDataServiceUUIDsKey: [Reader.service],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        self.calls.append("advertising")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        self.calls.append("added")
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
        request.value = Data([self.temperature])
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        self.calls.append("write")
        self.written += requests.compactMap(\.value)
        peripheral.respond(to: requests[0], withResult: .success)
    }
}
