// The peripheral role: being found, and serving neighbours that have connected to us.

import CoreBluetooth

extension MeshTransport: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        assertOnQueue()
        guard peripheral.state == .poweredOn else {
            for id in links.keys where id.role == .incoming { close(id) }
            return
        }
        let characteristic = CBMutableCharacteristic(
            type: MeshTransport.stream,
            properties: [.notify, .write, .writeWithoutResponse],
            value: nil,
            permissions: [.readable, .writeable]
        )
        self.characteristic = characteristic
        let service = CBMutableService(type: MeshTransport.service, primary: true)
        service.characteristics = [characteristic]
        peripheral.removeAllServices()
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        assertOnQueue()
        guard error == nil else { return }
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [MeshTransport.service]])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        open(LinkID(role: .incoming, device: central.identifier), .central(central))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        close(LinkID(role: .incoming, device: central.identifier))
        // They may have gone for good, and we may be able to reach them.
        connectCandidates()
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        assertOnQueue()
        for request in requests {
            guard let value = request.value, request.offset == 0 else { continue }
            received(value, over: LinkID(role: .incoming, device: request.central.identifier))
        }
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        assertOnQueue()
        for link in links.values where link.id.role == .incoming && !link.isIdle { pump(link) }
    }
}
