// The peripheral of the soak: ordinary Core Bluetooth code.

import CoreBluetooth

final class SoakPeripheral: Role, CBPeripheralManagerDelegate {
    private var manager: CBPeripheralManager?
    private let source = CBMutableCharacteristic(type: Role.source, properties: .notify, value: nil, permissions: [])

    override func start() { self.manager = CBPeripheralManager(delegate: self, queue: self.queue) }

    override var sentValues: Stream { .notify }

    override func send(_ value: Data) -> Bool {
        self.manager?.updateValue(value, for: self.source, onSubscribedCentrals: nil) ?? false
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else {
            if peripheral.state != .unknown { Self.fail("the adapter's state is \(peripheral.state)") }
            return
        }
        peripheral.publishL2CAPChannel(withEncryption: false)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        if let error { Self.fail("no channel is published: \(error)") }
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: Self.sink,
                properties: .writeWithoutResponse,
                value: nil,
                permissions: .writeable
            ),
            self.source,
            CBMutableCharacteristic(type: Self.fence, properties: .read, value: nil, permissions: .readable),
            CBMutableCharacteristic(
                type: CBUUID(string: CBUUIDL2CAPPSMCharacteristicString),
                properties: .read,
                value: Data([UInt8(truncatingIfNeeded: PSM), UInt8(truncatingIfNeeded: PSM >> 8)]),
                permissions: .readable
            ),
        ]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { Self.fail("no advertising: \(error)") }
        Self.say("advertising")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else { Self.fail("no channel: \(error.map { "\($0)" } ?? "")") }
        self.opened(channel)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        Self.fail("the central has gone")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests { self.received(request.value ?? Data()) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data([1])
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.sendValues() }
}
