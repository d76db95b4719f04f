// A client in the oldest style: one object that owns the manager, is its delegate, keeps peripherals by identifier and
// calls a delegate of its own. The peripheral's half is built likewise.

import CoreBluetooth

package protocol GadgetCentralDelegate: AnyObject {
    func gadgetCentral(_ central: GadgetCentral, didBecomeReady isReady: Bool)
    func gadgetCentral(_ central: GadgetCentral, didFind identifier: UUID, named name: String?, rssi: Int)
    func gadgetCentral(_ central: GadgetCentral, didPrepare identifier: UUID)
    func gadgetCentral(_ central: GadgetCentral, didReceive event: String, from identifier: UUID)
    func gadgetCentral(_ central: GadgetCentral, didLose identifier: UUID, error: Error?)
}

extension GadgetCentralDelegate {
    package func gadgetCentral(_ central: GadgetCentral, didBecomeReady isReady: Bool) {}
}

package final class GadgetCentral: NSObject {
    package typealias Completion = (Result<Data, Error>) -> Void

    package enum Failure: Error {
        case unknownGadget
        case notReady
    }

    package weak var delegate: GadgetCentralDelegate?

    private var centralManager: CBCentralManager!
    private var peripherals = [UUID: CBPeripheral]()
    private var reads = [CBCharacteristic: Completion]()
    private var writes = [CBCharacteristic: Completion]()

    package init(queue: DispatchQueue? = nil) {
        super.init()
        centralManager = CBCentralManager(
            delegate: self,
            queue: queue,
            options: [CBCentralManagerOptionShowPowerAlertKey: false]
        )
    }

    package func connect(to identifier: UUID) {
        guard let peripheral = peripherals[identifier] else { return }
        centralManager.connect(peripheral, options: nil)
    }

    package func disconnect(from identifier: UUID) {
        guard let peripheral = peripherals[identifier], peripheral.state != .disconnected else { return }
        centralManager.cancelPeripheralConnection(peripheral)
    }

    package func readStatus(of identifier: UUID, completion: @escaping Completion) {
        guard let (peripheral, status) = find(Gadget.status, of: identifier) else {
            return completion(.failure(Failure.unknownGadget))
        }
        reads[status] = completion
        peripheral.readValue(for: status)
    }

    package func send(_ command: String, to identifier: UUID, completion: @escaping Completion) {
        guard let (peripheral, characteristic) = find(Gadget.command, of: identifier) else {
            return completion(.failure(Failure.unknownGadget))
        }
        writes[characteristic] = completion
        peripheral.writeValue(command.data(using: .utf8)!, for: characteristic, type: .withResponse)
    }

    private func find(_ uuid: CBUUID, of identifier: UUID) -> (CBPeripheral, CBCharacteristic)? {
        guard let peripheral = peripherals[identifier],
            let service = peripheral.services?.first(where: { $0.uuid == Gadget.service }),
            let characteristic = service.characteristics?.first(where: { $0.uuid == uuid })
        else { return nil }
        return (peripheral, characteristic)
    }
}

extension GadgetCentral: CBCentralManagerDelegate {
    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            delegate?.gadgetCentral(self, didBecomeReady: true)
            central.scanForPeripherals(
                withServices: [Gadget.service],
                options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: false)]
            )
        case .poweredOff, .resetting, .unauthorized, .unsupported, .unknown:
            delegate?.gadgetCentral(self, didBecomeReady: false)
            peripherals.removeAll()
        @unknown default:
            break
        }
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        peripherals[peripheral.identifier] = peripheral
        peripheral.delegate = self
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
        delegate?.gadgetCentral(self, didFind: peripheral.identifier, named: name, rssi: RSSI.intValue)
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Gadget.service])
    }

    package func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        delegate?.gadgetCentral(self, didLose: peripheral.identifier, error: error)
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        delegate?.gadgetCentral(self, didLose: peripheral.identifier, error: error)
    }
}

extension GadgetCentral: CBPeripheralDelegate {
    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        peripheral.services?.forEach {
            peripheral.discoverCharacteristics([Gadget.status, Gadget.command, Gadget.event], for: $0)
        }
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: Error?
    ) {
        for characteristic in service.characteristics ?? [] where characteristic.properties.contains(.notify) {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        guard error == nil, characteristic.isNotifying else { return }
        delegate?.gadgetCentral(self, didPrepare: peripheral.identifier)
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        if let completion = reads.removeValue(forKey: characteristic) {
            if let error = error { return completion(.failure(error)) }
            completion(.success(characteristic.value ?? Data()))
        } else if characteristic.uuid == Gadget.event, let value = characteristic.value {
            let event = String(data: value, encoding: .utf8) ?? ""
            delegate?.gadgetCentral(self, didReceive: event, from: peripheral.identifier)
        }
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        guard let completion = writes.removeValue(forKey: characteristic) else { return }
        if let error = error { return completion(.failure(error)) }
        completion(.success(Data()))
    }
}

/// The gadget itself.
package final class GadgetPeripheral: NSObject, CBPeripheralManagerDelegate {
    /// Answers a command with the event that it causes; `nil` refuses it.
    package var onCommand: (String) -> String? = { $0 }
    package var status = "ready"
    package private(set) var subscribers = [CBCentral]()

    private lazy var peripheralManager = CBPeripheralManager(delegate: self, queue: queue)
    private let queue: DispatchQueue?
    private let name: String
    private var event: CBMutableCharacteristic?
    private var unsent = [Data]()

    package init(name: String, queue: DispatchQueue? = nil) {
        self.name = name
        self.queue = queue
        super.init()
        _ = peripheralManager
    }

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard case .poweredOn = peripheral.state else { return }
        let status = CBMutableCharacteristic(
            type: Gadget.status,
            properties: .read,
            value: nil,
            permissions: .readable
        )
        let command = CBMutableCharacteristic(
            type: Gadget.command,
            properties: [.write],
            value: nil,
            permissions: [.writeable]
        )
        let event = CBMutableCharacteristic(
            type: Gadget.event,
            properties: [.notify],
            value: nil,
            permissions: [.readable]
        )
        let service = CBMutableService(type: Gadget.service, primary: true)
        service.characteristics = [status, command, event]
        self.event = event
        peripheral.removeAllServices()
        peripheral.add(service)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        guard error == nil else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: name,
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = Data(status.utf8)
        guard request.characteristic.uuid == Gadget.status, request.offset <= value.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            guard let value = request.value, let text = String(data: value, encoding: .utf8),
                let answer = onCommand(text)
            else { return peripheral.respond(to: requests[0], withResult: .unlikelyError) }
            unsent.append(Data(answer.utf8))
        }
        peripheral.respond(to: requests[0], withResult: .success)
        sendEvents()
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        subscribers.append(central)
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        subscribers.removeAll { $0 == central }
    }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        sendEvents()
    }

    private func sendEvents() {
        guard let event = event else { return }
        while let next = unsent.first, peripheralManager.updateValue(next, for: event, onSubscribedCentrals: nil) {
            unsent.removeFirst()
        }
    }
}
