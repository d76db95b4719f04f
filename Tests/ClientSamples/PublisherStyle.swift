// A client in the style of Combine wrappers: managers and peripherals are wrapped, every call returns a publisher, and
// a whole conversation is one chain.

import CoreBluetooth

package final class PublishedCentral: NSObject {
    package enum Failure: Error {
        case notFound(String)
    }

    package let manager: CBCentralManager
    private let proxy: Proxy

    /// One object for the manager's calls and those of all its peripherals.
    fileprivate final class Proxy: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
        let state = Subject<CBManagerState>()
        let discovery = Subject<(peripheral: CBPeripheral, advertisement: [String: Any], rssi: Double)>()
        let connection = Subject<(CBPeripheral, Error?)>()
        let disconnection = Subject<(CBPeripheral, Error?)>()
        let services = Subject<(CBPeripheral, Error?)>()
        let characteristics = Subject<(CBService, Error?)>()
        let value = Subject<(CBCharacteristic, Error?)>()
        let write = Subject<(CBCharacteristic, Error?)>()
        let notification = Subject<(CBCharacteristic, Error?)>()

        func centralManagerDidUpdateState(_ central: CBCentralManager) { state.send(central.state) }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) { discovery.send((peripheral, advertisementData, RSSI.doubleValue)) }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            connection.send((peripheral, nil))
        }

        func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
            connection.send((peripheral, error ?? CBError(.connectionFailed)))
        }

        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: Error?
        ) { disconnection.send((peripheral, error)) }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
            services.send((peripheral, error))
        }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
            characteristics.send((service, error))
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: Error?
        ) { value.send((characteristic, error)) }

        func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
            write.send((characteristic, error))
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateNotificationStateFor characteristic: CBCharacteristic,
            error: Error?
        ) { notification.send((characteristic, error)) }
    }

    package override init() {
        let proxy = Proxy()
        self.proxy = proxy
        self.manager = CBCentralManager(delegate: proxy, queue: nil)
        super.init()
    }

    /// Publishes once the manager can work.
    package var poweredOn: Stream<CBCentralManager> {
        Stream { [manager, proxy] receive in
            if manager.state == .poweredOn { return Stream.just(manager).sink(receive) }
            return proxy.state.stream.filter { $0 == .poweredOn }.first().map { _ in manager }.sink(receive)
        }
    }

    package func scan(for services: [CBUUID]?) -> Stream<CBPeripheral> {
        proxy.discovery.stream.map { $0.peripheral }
            .onSubscribe { [manager] in manager.scanForPeripherals(withServices: services) }
    }

    package func connect(_ peripheral: CBPeripheral) -> Stream<CBPeripheral> {
        peripheral.delegate = proxy
        return Self.unwrap(proxy.connection.stream.filter { $0.0 === peripheral })
            .onSubscribe { [manager] in manager.connect(peripheral) }
    }

    package func disconnect(_ peripheral: CBPeripheral) -> Stream<CBPeripheral> {
        Self.unwrap(proxy.disconnection.stream.filter { $0.0 === peripheral })
            .onSubscribe { [manager] in manager.cancelPeripheralConnection(peripheral) }
    }

    package func characteristic(
        _ uuid: CBUUID,
        of service: CBUUID,
        on peripheral: CBPeripheral
    ) -> Stream<CBCharacteristic> {
        Self.unwrap(proxy.services.stream.filter { $0.0 === peripheral })
            .onSubscribe { peripheral.discoverServices([service]) }
            .map { peripheral in
                guard let found = peripheral.services?.first(where: { $0.uuid == service }) else {
                    throw Failure.notFound(service.uuidString)
                }
                return found
            }
            .flatMap { [proxy] found in
                Self.unwrap(proxy.characteristics.stream.filter { $0.0 === found })
                    .onSubscribe { peripheral.discoverCharacteristics([uuid], for: found) }
            }
            .map { service in
                guard let found = service.characteristics?.first(where: { $0.uuid == uuid }) else {
                    throw Failure.notFound(uuid.uuidString)
                }
                return found
            }
    }

    package func read(_ characteristic: CBCharacteristic) -> Stream<Data> {
        Self.unwrap(proxy.value.stream.filter { $0.0 === characteristic })
            .onSubscribe { characteristic.service?.peripheral?.readValue(for: characteristic) }
            .map { $0.value ?? Data() }
    }

    package func write(_ value: Data, to characteristic: CBCharacteristic) -> Stream<CBCharacteristic> {
        Self.unwrap(proxy.write.stream.filter { $0.0 === characteristic })
            .onSubscribe {
                characteristic.service?.peripheral?.writeValue(value, for: characteristic, type: .withResponse)
            }
    }

    /// Publishes all values from the moment on when the peripheral is known to send them; the first is empty.
    package func values(of characteristic: CBCharacteristic) -> Stream<Data> {
        let values = proxy.value.stream.filter { $0.0 === characteristic }.map { $0.0.value ?? Data() }
        return Self.unwrap(proxy.notification.stream.filter { $0.0 === characteristic })
            .onSubscribe { characteristic.service?.peripheral?.setNotifyValue(true, for: characteristic) }
            .flatMap { _ in
                Stream { receive in
                    let subscription = values.sink(receive)
                    receive(.value(Data()))
                    return subscription
                }
            }
    }

    /// The first pair as a value or a failure.
    private static func unwrap<Value>(_ stream: Stream<(Value, Error?)>) -> Stream<Value> {
        stream.first().map { value, error in
            if let error = error { throw error }
            return value
        }
    }
}

/// The peripheral's half: requests are a stream, answers are calls.
package final class PublishedPeripheral: NSObject, CBPeripheralManagerDelegate {
    package private(set) lazy var manager = CBPeripheralManager(delegate: self, queue: .main, options: nil)

    private let stateSubject = Subject<CBManagerState>()
    private let addSubject = Subject<(CBService, Error?)>()
    private let advertisingSubject = Subject<Error?>()
    private let readSubject = Subject<CBATTRequest>()
    private let writeSubject = Subject<[CBATTRequest]>()

    package var reads: Stream<CBATTRequest> { readSubject.stream }
    package var writes: Stream<[CBATTRequest]> { writeSubject.stream }

    /// Publishes a service and advertises it.
    package func open(_ service: CBMutableService, name: String) -> Stream<Void> {
        stateSubject.stream.onSubscribe { [self] in _ = manager }
            .filter { $0 == .poweredOn }
            .flatMap { [self] _ in addSubject.stream.onSubscribe { [self] in manager.add(service) } }
            .flatMap { [self] added, error -> Stream<Error?> in
                if let error = error { return .fail(error) }
                return advertisingSubject.stream.onSubscribe { [self] in
                    manager.startAdvertising([
                        CBAdvertisementDataServiceUUIDsKey: [added.uuid],
                        CBAdvertisementDataLocalNameKey: name,
                    ])
                }
            }
            .map { error in if let error = error { throw error } }
    }

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        stateSubject.send(peripheral.state)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        addSubject.send((service, error))
    }

    package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        advertisingSubject.send(error)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        readSubject.send(request)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        writeSubject.send(requests)
    }
}
