// What published Core Bluetooth code expects of the module beyond its symbols, point by point. The numbers are those of
// docs/coverage/core-bluetooth.md.

import ClientSamples
import CoreBluetooth
import CoreBluetoothTesting
import Testing

@Suite("Client code")
struct ClientCodeTests {
    /// A peripheral that publishes one service and answers everything.
    private final class Host: NSObject, CBPeripheralManagerDelegate {
        private(set) var manager: CBPeripheralManager!
        let level = CountingCharacteristic(Gadget.status)
        let command = CBMutableCharacteristic(
            type: Gadget.command,
            properties: [.write],
            value: nil,
            permissions: [.writeable]
        )
        var subscribed: [CBCharacteristic] = []
        var requested: [CBCharacteristic] = []

        override init() {
            super.init()
            self.manager = CBPeripheralManager(delegate: self, queue: nil)
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: Gadget.service, primary: true)
            service.characteristics = [self.level, self.command]
            peripheral.add(service)
            peripheral.startAdvertising([
                CBAdvertisementDataServiceUUIDsKey: [Gadget.service], CBAdvertisementDataLocalNameKey: "Lamp",
            ])
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager,
            central: CBCentral,
            didSubscribeTo characteristic: CBCharacteristic
        ) { self.subscribed.append(characteristic) }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
            self.requested.append(request.characteristic)
            request.value = Data([42])
            peripheral.respond(to: request, withResult: .success)
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
            self.requested.append(requests[0].characteristic)
            peripheral.respond(to: requests[0], withResult: .unlikelyError)
        }
    }

    /// A central that does one thing after the other: state, scan, connect, discover, subscribe, read, write.
    private class Visitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
        private(set) var manager: CBCentralManager!
        var advertisement: [String: Any] = [:]
        var peripheral: CBPeripheral?
        var errors: [any Error] = []
        var isDone = false

        override init() {
            super.init()
            self.manager = CBCentralManager(delegate: self, queue: nil)
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [Gadget.service]) }
        }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            self.advertisement.merge(advertisementData) { $1 }
            guard advertisementData[CBAdvertisementDataLocalNameKey] != nil, self.peripheral == nil else { return }
            self.peripheral = peripheral
            peripheral.delegate = self
            central.connect(peripheral)
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            peripheral.discoverServices(nil)
        }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
            for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            for characteristic in service.characteristics ?? [] {
                switch characteristic.uuid {
                case Gadget.status:
                    peripheral.setNotifyValue(true, for: characteristic)
                    peripheral.readValue(for: characteristic)
                case Gadget.command:
                    peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
                default: break
                }
            }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didWriteValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            error.map { self.errors.append($0) }
            self.isDone = true
        }
    }

    @Test("client code 1: brings Foundation and Dispatch with `import CoreBluetooth`")
    func imports() throws {
        // No other import in ClientSamples, and none here.
        let queue = DispatchQueue(label: "client")
        let number: NSNumber = queue.sync { NSNumber(value: 5) }
        let data = Data([1, 2]) as NSData
        #expect(number.intValue == 5 && data.length == 2 && !UUID().uuidString.isEmpty)
    }

    /// Has the newer method alone.
    private final class NewerDelegate: NSObject, CBCentralManagerDelegate {
        var timestamps: [CFAbsoluteTime] = []
        var isReconnecting: [Bool] = []
        func centralManagerDidUpdateState(_ central: CBCentralManager) {}
        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            timestamp: CFAbsoluteTime,
            isReconnecting: Bool,
            error: (any Error)?
        ) {
            self.timestamps.append(timestamp)
            self.isReconnecting.append(isReconnecting)
        }
    }

    /// Has the older method alone.
    private final class OlderDelegate: NSObject, CBCentralManagerDelegate {
        var count = 0
        func centralManagerDidUpdateState(_ central: CBCentralManager) {}
        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) { self.count += 1 }
    }

    @Test("client code 2: calls the disconnection method that a delegate has")
    func disconnections() throws {
        let world = World(settings: .instant)
        let host = world.addDevice("gadget").run { Host() }
        let visitor = world.addDevice("phone").run { Visitor() }
        let newer = NewerDelegate()
        let older = OlderDelegate()
        for delegate in [newer, older] as [any CBCentralManagerDelegate] {
            visitor.isDone = false
            visitor.manager.delegate = visitor
            if let peripheral = visitor.peripheral { visitor.manager.connect(peripheral) }
            try world.run(until: visitor.isDone)
            visitor.manager.delegate = delegate
            visitor.manager.cancelPeripheralConnection(try #require(visitor.peripheral))
            try world.run(until: visitor.peripheral?.state == .disconnected)
            world.advance(by: .seconds(1))
        }
        #expect(newer.timestamps.count == 1 && newer.isReconnecting == [false])
        #expect(older.count == 1)
        withExtendedLifetime(host) {}
    }

    /// Conforms and leaves a method out.
    private class Base: NSObject, CBCentralManagerDelegate {
        var calls: [String] = []
        func centralManagerDidUpdateState(_ central: CBCentralManager) { self.calls.append("state") }
    }

    /// Adds the method that the base left out: Swift never calls it.
    private final class Trapped: Base {
        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) { self.calls.append("discover") }
        override func centralManagerDidUpdateState(_ central: CBCentralManager) {
            super.centralManagerDidUpdateState(central)
            if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
        }
    }

    /// Has the method on the base: the cure.
    private class Cured: NSObject, CBCentralManagerDelegate {
        var calls: [String] = []
        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
        }
        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {}
    }

    private final class CuredSubclass: Cured {
        override func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) { self.calls.append("discover") }
    }

    @Test("client code 3: calls a method that the base class has, not one that only a subclass adds")
    func dispatchTrap() throws {
        let world = World(settings: .instant)
        let host = world.addDevice("gadget").run { Host() }
        let trapped = Trapped()
        let cured = CuredSubclass()
        let managers = world.addDevice("phone").run {
            [CBCentralManager(delegate: trapped, queue: nil), CBCentralManager(delegate: cured, queue: nil)]
        }
        try world.run(until: cured.calls.contains("discover"))
        #expect(trapped.calls == ["state"])
        withExtendedLifetime((host, managers)) {}
    }

    @Test("client code 4: compiles what exists on iOS alone")
    func phone() throws {
        let world = World(settings: .instant)
        let delegate = PhoneDelegate()
        let manager = world.addDevice("phone").run { CBCentralManager(delegate: delegate, queue: nil) }
        try world.run(until: manager.state == .poweredOn)
        #expect(!CBCentralManager.supports(.channelSounding))
        #expect(delegate.events.isEmpty)
    }

    @Test("client code 4: has no peer with the Apple Notification Center Service")
    func appleNotifications() throws {
        let world = World(settings: .instant)
        let host = world.addDevice("gadget").run { Host() }
        let visitor = world.addDevice("phone").run { Visitor() }
        try world.run(until: visitor.isDone)
        #expect(visitor.peripheral?.ancsAuthorized == false)
        withExtendedLifetime(host) {}
    }

    @Test("client code 5: makes `canImport(CoreBluetooth)` true")
    func canImport() throws {
        #if canImport(CoreBluetooth)
        let isThere = true
        #else
        let isThere = false
        #endif
        #expect(isThere)
    }

    @Test("client code 6: casts, catches and bridges errors")
    func errors() throws {
        let world = World(settings: .instant)
        let host = world.addDevice("gadget").run { Host() }
        let visitor = world.addDevice("phone").run { Visitor() }
        try world.run(until: visitor.isDone)
        let error = try #require(visitor.errors.first)
        #expect((error as? CBATTError)?.code == .unlikelyError)
        #expect((error as NSError).domain == CBATTErrorDomain && (error as NSError).code == 14)
        #expect(error.localizedDescription == "Unlikely error.")
        #expect(attempt { throw error } == "ATT 14")
        #expect(describe(error) == "ATT 14")
        #expect(attempt { throw CBError(.connectionFailed) } == "connectionFailed")
        #expect(attempt { throw CBError(.operationCancelled) } == "cancelled")
        #expect(attempt { throw CBATTError(.insufficientEncryption) } == "pair first")
        #expect(attempt { throw CBError(.notConnected) } == "Core Bluetooth 3")
        #expect((error as Any as? NSError)?.code == 14)
        #expect((NSError(domain: CBErrorDomain, code: 7) as any Error as? CBError)?.code == .peripheralDisconnected)
        #expect(describe(NSError(domain: CBATTErrorDomain, code: 1)) == "ATT 1")
        #expect(NSError(domain: NSURLErrorDomain, code: 1) as any Error as? CBError == nil)
        #expect(describe(CBError(.peripheralDisconnected)) == "gone")
        #expect(describe(CBError(.connectionTimeout)) == "timeout")
        withExtendedLifetime(host) {}
    }

    @Test("client code 7 and 8: has the types and raw keys of advertisements that apps read")
    func advertisements() throws {
        let world = World(settings: .instant)
        let host = world.addDevice("gadget").run { Host() }
        let visitor = world.addDevice("phone").run { Visitor() }
        try world.run(until: visitor.isDone)
        let seen = SeenAdvertisement(visitor.advertisement)
        #expect(seen.name == "Lamp" && seen.services == [Gadget.service] && seen.isConnectable)
        #expect(seen.serviceData.isEmpty && seen.company == nil && seen.timestamp != nil)
        let raw = visitor.advertisement
        #expect(raw["kCBAdvDataLocalName"] as? NSString == "Lamp")
        #expect((raw["kCBAdvDataServiceUUIDs"] as? NSArray)?.count == 1)
        #expect(raw["kCBAdvDataIsConnectable"] as? Bool == true)
        #expect(raw["kCBAdvDataRxPrimaryPHY"] as? NSNumber == 1)
        #expect(raw["kCBAdvDataRxSecondaryPHY"] as? Int == 0)
        #expect(CBCentralManagerOptionRestoreIdentifierKey == CBPeripheralManagerOptionRestoreIdentifierKey)

        // Dictionaries that apps build and read themselves.
        let built: [String: Any] = ["a": true, "b": 5, "c": [CBUUID?.some(Gadget.service)], "d": Data([1])]
        #expect(built["a"] as? NSNumber == NSNumber(value: true) && built["b"] as? NSNumber == 5)
        #expect(built["c"] as? [CBUUID] == [Gadget.service] && (built["d"] as? NSData)?.length == 1)
        withExtendedLifetime(host) {}
    }

    @Test("client code 9: has open classes, late delegates and discardable results")
    func openClasses() throws {
        let world = World(settings: .instant)
        let late = world.addDevice("phone").run { LateManager(delegate: nil, queue: nil) }
        try world.run(until: late.state == .poweredOn)
        late.stopScan()
        #expect(late.stops == 1 && "\(late)" == "late")
        let client = LateClient()
        world.addDevice("watch").run {
            client.central.delegate = Base()
            _ = client.peripheral
        }
        try world.run(until: client.central.state == .poweredOn && client.peripheral.state == .poweredOn)
        let service = build()
        client.peripheral.add(service)
        let level = service.characteristics?.first as? CountingCharacteristic
        client.peripheral.updateValue(Data(), for: level!, onSubscribedCentrals: nil)
        #expect(CBUUID().uuidString == "00000000-0000-0000-0000-000000000000")
    }

    @Test("client code 10: has weak optional owners of attributes")
    func weakOwners() throws {
        var service: CBMutableService? = CBMutableService(type: Gadget.service, primary: true)
        let characteristic = CountingCharacteristic(Gadget.status)
        let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Status")
        characteristic.descriptors = [descriptor]
        service?.characteristics = [characteristic]
        #expect(characteristic.service === service && descriptor.characteristic === characteristic)
        #expect(characteristic.service?.peripheral == nil)
        service = nil
        #expect(characteristic.service == nil)
    }

    @Test("client code 11: passes the published objects in requests and subscriptions")
    func identity() throws {
        let world = World(settings: .instant)
        let host = world.addDevice("gadget").run { Host() }
        let visitor = world.addDevice("phone").run { Visitor() }
        try world.run(until: visitor.isDone)
        #expect(host.subscribed.count == 1 && host.subscribed.first === host.level)
        #expect(host.requested.count == 2)
        #expect(host.requested.first as? CountingCharacteristic === host.level)
        #expect(host.requested.last === host.command)
        #expect(host.level.subscribedCentrals?.count == 1)
    }

    @Test("client code 12: has Core Foundation's times")
    func times() throws {
        let start: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        let span: CFTimeInterval = CFAbsoluteTimeGetCurrent() - start
        #expect(span >= 0 && abs(Date().timeIntervalSinceReferenceDate - start) < 60)
    }

    @Test("client code 14: calls back for each change that key-value observation would show")
    func observation() throws {
        let world = World(settings: .instant)
        let base = Base()
        let phone = world.addDevice("phone")
        let manager = phone.run { CBCentralManager(delegate: base, queue: nil) }
        try world.run(until: manager.state == .poweredOn)
        phone.isPowered = false
        try world.run(until: manager.state == .poweredOff)
        #expect(base.calls == ["state", "state"])
    }
}
