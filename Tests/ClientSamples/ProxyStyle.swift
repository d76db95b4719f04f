// A client in the style of RxSwift wrappers: `central.rx.didDiscover` and the like, fed by delegate proxies that sit
// between an object and the delegate that the program set, and pass every call on to it.

import CoreBluetooth

/// What `object.rx` is.
package struct Reactive<Base: AnyObject> {
    let base: Base
}

package protocol ReactiveCompatible: AnyObject {}

extension ReactiveCompatible {
    package var rx: Reactive<Self> { Reactive(base: self) }
}

extension CBManager: ReactiveCompatible {}
extension CBPeer: ReactiveCompatible {}

/// Keeps one proxy for each object, as long as a program wants it.
package final class ProxyFactory {
    private var proxies: [ObjectIdentifier: AnyObject] = [:]

    package init() {}

    func proxy<Proxy: AnyObject>(for object: AnyObject, _ make: () -> Proxy) -> Proxy {
        if let proxy = proxies[ObjectIdentifier(object)] as? Proxy { return proxy }
        let proxy = make()
        proxies[ObjectIdentifier(object)] = proxy
        return proxy
    }
}

/// Stands in for the delegate of a central manager. Every method that anybody may want is on this class: Swift calls
/// none that a subclass adds.
package class CentralManagerDelegateProxy: NSObject, CBCentralManagerDelegate {
    package private(set) weak var forwardToDelegate: CBCentralManagerDelegate?

    fileprivate let stateSubject = Subject<CBManagerState>()
    fileprivate let discoverySubject = Subject<(CBPeripheral, [String: Any], NSNumber)>()
    fileprivate let connectionSubject = Subject<CBPeripheral>()
    fileprivate let failureSubject = Subject<(CBPeripheral, Error?)>()
    fileprivate let disconnectionSubject = Subject<(CBPeripheral, Error?)>()

    init(_ manager: CBCentralManager) {
        forwardToDelegate = manager.delegate
        super.init()
        manager.delegate = self
    }

    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        forwardToDelegate?.centralManagerDidUpdateState(central)
        stateSubject.send(central.state)
    }

    package func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        forwardToDelegate?.centralManager(central, willRestoreState: dict)
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        forwardToDelegate?.centralManager(
            central,
            didDiscover: peripheral,
            advertisementData: advertisementData,
            rssi: RSSI
        )
        discoverySubject.send((peripheral, advertisementData, RSSI))
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        forwardToDelegate?.centralManager(central, didConnect: peripheral)
        connectionSubject.send(peripheral)
    }

    package func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        forwardToDelegate?.centralManager(central, didFailToConnect: peripheral, error: error)
        failureSubject.send((peripheral, error))
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        forwardToDelegate?.centralManager(central, didDisconnectPeripheral: peripheral, error: error)
        disconnectionSubject.send((peripheral, error))
    }
}

/// Stands in for the delegate of a peripheral.
package class PeripheralDelegateProxy: NSObject, CBPeripheralDelegate {
    fileprivate let servicesSubject = Subject<([CBService], Error?)>()
    fileprivate let characteristicsSubject = Subject<(CBService, Error?)>()
    fileprivate let valueSubject = Subject<(CBCharacteristic, Error?)>()
    fileprivate let writeSubject = Subject<(CBCharacteristic, Error?)>()
    fileprivate let notificationSubject = Subject<(CBCharacteristic, Error?)>()
    fileprivate let rssiSubject = Subject<(Int, Error?)>()

    init(_ peripheral: CBPeripheral) {
        super.init()
        peripheral.delegate = self
    }

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        servicesSubject.send((peripheral.services ?? [], error))
    }

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?)
    {
        characteristicsSubject.send((service, error))
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) { valueSubject.send((characteristic, error)) }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        writeSubject.send((characteristic, error))
    }

    package func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) { notificationSubject.send((characteristic, error)) }

    package func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?) {
        rssiSubject.send((RSSI.intValue, error))
    }
}

/// Stands in for the delegate of a peripheral manager.
package class PeripheralManagerDelegateProxy: NSObject, CBPeripheralManagerDelegate {
    fileprivate let stateSubject = Subject<CBManagerState>()
    fileprivate let addSubject = Subject<(CBService, Error?)>()
    fileprivate let readSubject = Subject<CBATTRequest>()
    fileprivate let writeSubject = Subject<[CBATTRequest]>()
    fileprivate let subscriptionSubject = Subject<(CBCentral, CBCharacteristic)>()
    fileprivate let readySubject = Subject<Void>()

    init(_ manager: CBPeripheralManager) {
        super.init()
        manager.delegate = self
    }

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        stateSubject.send(peripheral.state)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        addSubject.send((service, error))
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        readSubject.send(request)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        writeSubject.send(requests)
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) { subscriptionSubject.send((central, characteristic)) }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        readySubject.send(())
    }
}

extension Reactive where Base: CBCentralManager {
    package func proxy(_ factory: ProxyFactory) -> CentralManagerDelegateProxy {
        factory.proxy(for: base) { CentralManagerDelegateProxy(base) }
    }

    package func didUpdateState(_ factory: ProxyFactory) -> Stream<CBManagerState> {
        proxy(factory).stateSubject.stream
    }

    package func didDiscover(_ factory: ProxyFactory) -> Stream<(CBPeripheral, [String: Any], NSNumber)> {
        proxy(factory).discoverySubject.stream
    }

    package func connect(_ peripheral: CBPeripheral, _ factory: ProxyFactory) -> Stream<CBPeripheral> {
        proxy(factory).connectionSubject.stream.filter { $0 == peripheral }.first()
            .onSubscribe { base.connect(peripheral, options: nil) }
    }

    package func didDisconnect(_ factory: ProxyFactory) -> Stream<(CBPeripheral, Error?)> {
        proxy(factory).disconnectionSubject.stream
    }
}

extension Reactive where Base: CBPeripheral {
    package func proxy(_ factory: ProxyFactory) -> PeripheralDelegateProxy {
        factory.proxy(for: base) { PeripheralDelegateProxy(base) }
    }

    package func discoverServices(_ uuids: [CBUUID]?, _ factory: ProxyFactory) -> Stream<[CBService]> {
        proxy(factory).servicesSubject.stream.first().map { try Self.checked($0, $1) }
            .onSubscribe { base.discoverServices(uuids) }
    }

    package func discoverCharacteristics(
        _ uuids: [CBUUID]?,
        for service: CBService,
        _ factory: ProxyFactory
    ) -> Stream<[CBCharacteristic]> {
        proxy(factory).characteristicsSubject.stream.filter { $0.0 == service }.first()
            .map { try Self.checked($0.characteristics ?? [], $1) }
            .onSubscribe { base.discoverCharacteristics(uuids, for: service) }
    }

    package func read(_ characteristic: CBCharacteristic, _ factory: ProxyFactory) -> Stream<Data> {
        proxy(factory).valueSubject.stream.filter { $0.0 == characteristic }.first()
            .map { try Self.checked($0.value ?? Data(), $1) }
            .onSubscribe { base.readValue(for: characteristic) }
    }

    package func write(
        _ data: Data,
        to characteristic: CBCharacteristic,
        _ factory: ProxyFactory
    ) -> Stream<CBCharacteristic> {
        proxy(factory).writeSubject.stream.filter { $0.0 == characteristic }.first()
            .map { try Self.checked($0, $1) }
            .onSubscribe { base.writeValue(data, for: characteristic, type: .withResponse) }
    }

    package func notifications(of characteristic: CBCharacteristic, _ factory: ProxyFactory) -> Stream<Data> {
        proxy(factory).valueSubject.stream.filter { $0.0 == characteristic }
            .map { try Self.checked($0.value ?? Data(), $1) }
            .onSubscribe { base.setNotifyValue(true, for: characteristic) }
    }

    package func didSetNotify(_ factory: ProxyFactory) -> Stream<CBCharacteristic> {
        proxy(factory).notificationSubject.stream.map { try Self.checked($0, $1) }
    }

    package func readRSSI(_ factory: ProxyFactory) -> Stream<Int> {
        proxy(factory).rssiSubject.stream.first().map { try Self.checked($0, $1) }.onSubscribe { base.readRSSI() }
    }

    private static func checked<Value>(_ value: Value, _ error: Error?) throws -> Value {
        if let error = error { throw error }
        return value
    }
}

extension Reactive where Base: CBPeripheralManager {
    package func proxy(_ factory: ProxyFactory) -> PeripheralManagerDelegateProxy {
        factory.proxy(for: base) { PeripheralManagerDelegateProxy(base) }
    }

    package func didUpdateState(_ factory: ProxyFactory) -> Stream<CBManagerState> {
        proxy(factory).stateSubject.stream
    }

    package func add(_ service: CBMutableService, _ factory: ProxyFactory) -> Stream<CBService> {
        proxy(factory).addSubject.stream.filter { $0.0 === service }.first()
            .map { service, error in
                if let error = error { throw error }
                return service
            }
            .onSubscribe { base.add(service) }
    }

    package func didReceiveRead(_ factory: ProxyFactory) -> Stream<CBATTRequest> { proxy(factory).readSubject.stream }

    package func didReceiveWrite(_ factory: ProxyFactory) -> Stream<[CBATTRequest]> {
        proxy(factory).writeSubject.stream
    }

    package func didSubscribe(_ factory: ProxyFactory) -> Stream<(CBCentral, CBCharacteristic)> {
        proxy(factory).subscriptionSubject.stream
    }
}
