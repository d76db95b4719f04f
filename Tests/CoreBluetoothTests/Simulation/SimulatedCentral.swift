// An app in the central role that does anything at any time, and compares each callback with the calls before it.

import BluetoothTypes

@testable import CoreBluetooth

/// One central manager of a simulation, with its peripherals.
final class SimulatedCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// A procedure whose callback is awaited.
    enum Awaited: Equatable {
        case services
        case included(ObjectIdentifier)
        case characteristics(ObjectIdentifier)
        case descriptors(ObjectIdentifier)
        case read(ObjectIdentifier)
        case write(ObjectIdentifier)
        case notify(ObjectIdentifier)
        case readDescriptor(ObjectIdentifier)
        case writeDescriptor(ObjectIdentifier)
    }

    /// The state of one of its peripherals, as far as it follows from calls and callbacks.
    final class Known {
        let peripheral: CBPeripheral
        /// Requested connections whose end was not reported yet.
        var openAttempts = 0
        var reconnectsByItself = false
        /// Whether a cancelled request whose end was not reported yet reconnects by itself.
        var didReconnectByItself = false
        /// Whether a request that was made while the peripheral was connected reconnects by itself; `nil` if there was none.
        var repeatedRequest: Bool?
        /// Requests that were made while the peripheral is connected.
        var repeatedRequests = 0
        /// Those of a cancelled connection: each ends by itself if the link was lost before it.
        var possibleEnds = 0
        /// Cancellations that no end without an error has reported.
        var cancellations = 0
        var awaited: [(what: Awaited, attribute: CBAttribute?)] = []
        var awaitedRSSI = 0
        /// Characteristics for which notifications were asked for on this connection.
        var notified: Set<ObjectIdentifier> = []
        /// Whether `canSendWriteWithoutResponse` was false.
        var awaitsCapacity = false

        init(_ peripheral: CBPeripheral) { self.peripheral = peripheral }

        func forgetConnection() {
            self.repeatedRequest = nil
            self.repeatedRequests = 0
            self.awaited = []
            self.awaitedRSSI = 0
            self.notified = []
            self.awaitsCapacity = false
        }
    }

    let name: String
    let log: SimulationLog
    private(set) var manager: CBCentralManager!
    private(set) var known: [Known] = []
    private var lastState = CBManagerState.unknown
    /// Called in the callbacks of a peripheral.
    var onCallback: ((Known) -> Void)?

    init(_ name: String, on adapter: BluetoothAdapter, log: SimulationLog) {
        self.name = name
        self.log = log
        super.init()
        self.manager = CBCentralManager(
            delegate: self,
            queue: nil,
            options: [BluetoothAdapter.optionKey: adapter]
        )
    }

    func known(_ peripheral: CBPeripheral) -> Known? { self.known.first { $0.peripheral === peripheral } }

    // MARK: Actions

    func connect(_ known: Known, options: [String: Any]?) {
        self.log.note("\(self.name) connects \(known.peripheral.name ?? "-"), \(known.peripheral.state)")
        guard self.manager.state == .poweredOn, known.peripheral.isValid else { return }
        switch known.peripheral.state {
        case .disconnected, .disconnecting:
            known.openAttempts += 1
            known.reconnectsByItself = options?[CBConnectPeripheralOptionEnableAutoReconnect] != nil
        case .connected:
            // Where the link is lost and the app does not know, this is a request that goes on after the report.
            let reconnects = options?[CBConnectPeripheralOptionEnableAutoReconnect] != nil
            known.repeatedRequest = reconnects || known.repeatedRequest == true
            known.repeatedRequests += 1
        case .connecting: break
        @unknown default: break
        }
        self.manager.connect(known.peripheral, options: options)
    }

    func cancel(_ known: Known) {
        self.log.note("\(self.name) cancels \(known.peripheral.name ?? "-"), \(known.peripheral.state)")
        if self.manager.state == .poweredOn, known.peripheral.isValid,
            known.peripheral.state == .connected || known.peripheral.state == .connecting
        {
            known.cancellations += 1
            known.possibleEnds += known.repeatedRequests
            if known.reconnectsByItself { known.didReconnectByItself = true }
            known.forgetConnection()
        }
        self.manager.cancelPeripheralConnection(known.peripheral)
    }

    /// Lets the last reference of a peripheral go.
    func drop(_ known: Known) { self.known.removeAll { $0 === known } }

    func keep(_ peripheral: CBPeripheral) {
        peripheral.delegate = self
        if self.known(peripheral) == nil { self.known.append(Known(peripheral)) }
    }

    /// Calls `body`, which asks for something about `attribute`, and waits for its callback.
    func ask(_ known: Known, _ what: Awaited, _ attribute: CBAttribute?, _ body: (CBPeripheral) -> Void) {
        if known.peripheral.state == .connected, attribute.map({ self.isAlive($0, of: known.peripheral) }) ?? true {
            known.awaited.append((what, attribute))
        }
        body(known.peripheral)
    }

    /// Whether an attribute belongs to the present connection.
    private func isAlive(_ attribute: CBAttribute, of peripheral: CBPeripheral) -> Bool {
        let attributes = peripheral.attributes
        return switch attribute {
        case let service as CBService: attributes.services.all.contains { $0 === service }
        case let characteristic as CBCharacteristic: attributes.characteristics.all.contains { $0 === characteristic }
        case let descriptor as CBDescriptor: attributes.descriptors.all.contains { $0 === descriptor }
        default: false
        }
    }

    // MARK: Invariants

    func check() {
        let isOn = self.manager.state == .poweredOn
        self.log.require(isOn || !self.manager.isScanning, "\(self.name) scans while it is off")
        for known in self.known {
            let peripheral = known.peripheral
            switch peripheral.state {
            case .disconnected:
                self.log.require(peripheral.services == nil, "\(self.name): services without a connection")
            case .connecting, .connected, .disconnecting:
                self.log.require(isOn, "\(self.name): \(peripheral.state) while it is off")
                self.log.require(known.openAttempts > 0, "\(self.name): \(peripheral.state) without a request")
            @unknown default: self.log.violation("state \(peripheral.state.rawValue)")
            }
            if peripheral.state != .connected, !(known.reconnectsByItself && peripheral.state == .connecting) {
                self.log.require(
                    known.awaited.isEmpty,
                    "\(self.name): \(known.awaited) awaited in state \(peripheral.state)"
                )
            }
        }
    }

    /// Checks that nothing is awaited when everything has come to rest.
    func checkRest() {
        for known in self.known {
            self.log.require(known.awaited.isEmpty, "\(self.name): never reported: \(known.awaited.map(\.what))")
            self.log.require(known.awaitedRSSI == 0, "\(self.name): never reported: RSSI")
            self.log.require(!known.awaitsCapacity, "\(self.name): ready never called")
            self.log.require(known.peripheral.state != .disconnecting, "\(self.name): disconnecting for ever")
        }
    }

    // MARK: CBCentralManagerDelegate

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.log.note("\(self.name) state \(central.state.rawValue)")
        self.log.require(central.state != self.lastState, "\(self.name): the same state twice")
        self.lastState = central.state
        guard central.state != .poweredOn else { return }
        for known in self.known {
            known.forgetConnection()
            known.openAttempts = 0
            known.possibleEnds = 0
            known.cancellations = 0
            known.didReconnectByItself = false
            self.log.require(known.peripheral.state == .disconnected, "\(self.name): connected while switched off")
        }
    }

    private func manager(_ call: String) {
        self.log.note("\(self.name) \(call)")
        self.log.require(self.manager.state == .poweredOn, "\(self.name): \(call) while off")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.manager("discover \(peripheral.name ?? "-")")
        self.log.require(central.isScanning, "\(self.name): discovery without a scan")
        self.keep(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.manager("connect \(peripheral.name ?? "-")")
        guard let known = self.known(peripheral) else {
            return self.log.violation("\(self.name): connect of an unknown peripheral")
        }
        self.log.require(peripheral.state == .connected, "\(self.name): connected in state \(peripheral.state)")
        self.log.require(known.openAttempts > 0, "\(self.name): a connection without a request")
        self.onCallback?(known)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        self.manager("fail \(peripheral.name ?? "-") \(error.map { "\(($0 as NSError).code)" } ?? "-")")
        self.ended(peripheral, error)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        let code = error.map { "\(($0 as NSError).code)" } ?? "-"
        self.manager("disconnect \(peripheral.name ?? "-") \(isReconnecting) \(code)")
        guard isReconnecting else { return self.ended(peripheral, error) }
        guard let known = self.known(peripheral) else { return }
        // A report that was on its way when the app cancelled.
        let isAsked = known.reconnectsByItself || known.didReconnectByItself
        self.log.require(isAsked, "\(self.name): reconnects without the option")
        if peripheral.state == .connecting { known.forgetConnection() }
    }

    private func ended(_ peripheral: CBPeripheral, _ error: (any Error)?) {
        guard let known = self.known(peripheral) else {
            return self.log.violation("\(self.name): end of an unknown peripheral")
        }
        if known.openAttempts == 0, known.possibleEnds > 0 {
            known.possibleEnds -= 1
            known.openAttempts = 1
        }
        self.log.require(known.openAttempts > 0, "\(self.name): an end without a beginning")
        self.log.require(error != nil || known.cancellations > 0, "\(self.name): an end without a reason")
        known.openAttempts -= 1
        if known.repeatedRequest == true { known.reconnectsByItself = true }
        if known.openAttempts == 0, peripheral.state != .disconnected, let reconnects = known.repeatedRequest {
            known.forgetConnection()
            known.openAttempts = 1
            known.reconnectsByItself = known.reconnectsByItself || reconnects
        }
        if known.openAttempts == 0, peripheral.state != .disconnected, known.possibleEnds > 0 {
            // The link was lost before: the cancelled request ends after it.
            known.possibleEnds -= 1
            known.openAttempts = 1
        }
        if error == nil { known.cancellations -= 1 }
        // A later request goes on.
        if known.openAttempts == 0 {
            self.log.require(peripheral.state == .disconnected, "\(self.name): ended in state \(peripheral.state)")
            known.forgetConnection()
            known.didReconnectByItself = false
        }
        self.onCallback?(known)
    }

    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    ) {
        self.manager("event \(event.rawValue)")
        self.keep(peripheral)
    }

    // MARK: CBPeripheralDelegate

    /// A callback of a procedure: the one that was to come next.
    private func reported(_ peripheral: CBPeripheral, _ what: Awaited, _ error: (any Error)?, _ text: String) {
        self.log.note("\(self.name) \(text) \(error.map { "\(($0 as NSError).code)" } ?? "")")
        self.log.require(peripheral.state == .connected, "\(self.name): \(text) without a connection")
        guard let known = self.known(peripheral) else {
            return self.log.violation("\(self.name): \(text) of an unknown peripheral")
        }
        // A procedure on an invalidated attribute has no callback.
        while let first = known.awaited.first, first.what != what,
            let attribute = first.attribute, !self.isAlive(attribute, of: peripheral)
        {
            known.awaited.removeFirst()
        }
        // What concerns services that become invalid is answered at once, before what was asked earlier.
        if (error as? CBATTError)?.code == .invalidHandle,
            let index = known.awaited.firstIndex(where: { $0.what == what })
        {
            known.awaited.remove(at: index)
            self.onCallback?(known)
            return
        }
        guard let first = known.awaited.first, first.what == what else {
            return self.log.violation(
                "\(self.name): \(text) while \(known.awaited.first.map { "\($0.what)" } ?? "nothing") is awaited"
            )
        }
        known.awaited.removeFirst()
        self.onCallback?(known)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.reported(peripheral, .services, error, "services")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
    {
        self.reported(peripheral, .included(ObjectIdentifier(service)), error, "included")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.reported(peripheral, .characteristics(ObjectIdentifier(service)), error, "characteristics")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.reported(peripheral, .descriptors(ObjectIdentifier(characteristic)), error, "descriptors")
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        // Values of the test say by their first letter whether they were read or sent.
        if error == nil, characteristic.value?.first == UInt8(ascii: "n") {
            self.log.note("\(self.name) notification")
            self.log.require(peripheral.state == .connected, "\(self.name): a notification without a connection")
            let isAsked = self.known(peripheral)?.notified.contains(ObjectIdentifier(characteristic)) == true
            self.log.require(isAsked, "\(self.name): a notification without a subscription")
            return
        }
        self.reported(peripheral, .read(ObjectIdentifier(characteristic)), error, "value")
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.reported(peripheral, .write(ObjectIdentifier(characteristic)), error, "wrote")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.reported(peripheral, .notify(ObjectIdentifier(characteristic)), error, "notifying")
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        self.reported(peripheral, .readDescriptor(ObjectIdentifier(descriptor)), error, "descriptor")
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        self.reported(peripheral, .writeDescriptor(ObjectIdentifier(descriptor)), error, "wrote descriptor")
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        self.log.note("\(self.name) rssi")
        guard let known = self.known(peripheral) else {
            return self.log.violation("\(self.name): RSSI of an unknown peripheral")
        }
        self.log.require(peripheral.state == .connected, "\(self.name): RSSI without a connection")
        self.log.require(known.awaitedRSSI > 0, "\(self.name): RSSI without a request")
        known.awaitedRSSI -= 1
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        self.log.note("\(self.name) ready")
        self.log.require(peripheral.state == .connected, "\(self.name): ready without a connection")
        self.log.require(
            peripheral.canSendWriteWithoutResponse,
            "\(self.name): ready while canSendWriteWithoutResponse is false"
        )
        self.known(peripheral)?.awaitsCapacity = false
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        self.log.note("\(self.name) modified \(invalidatedServices.count)")
        self.log.require(peripheral.state == .connected, "\(self.name): modified without a connection")
        for service in invalidatedServices {
            self.log.require(
                peripheral.services?.contains { $0 === service } != true,
                "\(self.name): an invalid service is still there"
            )
        }
        guard let known = self.known(peripheral) else { return }
        known.awaited.removeAll { awaited in
            awaited.attribute.map { !self.isAlive($0, of: peripheral) } ?? false
        }
    }
}
