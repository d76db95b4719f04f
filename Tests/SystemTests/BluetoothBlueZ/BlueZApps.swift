// Apps on an adapter of BlueZ, which write down what happens to them, and nothing but Apple's API is in them.

import Fixtures
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import BluetoothBlueZ
@testable import CoreBluetooth

private var serviceUUID: CBUUID { CBUUID(string: "56ac0001-4b5f-4b3b-8aff-ede134a8446a") }
private var valueUUID: CBUUID { CBUUID(string: "56ac0002-4b5f-4b3b-8aff-ede134a8446a") }

extension BluetoothAdapter {
    /// The adapter that BlueZ has on a bus.
    convenience init(bus: PrivateBus, pairingAgent: (any PairingAgent)? = nil) {
        let configuration = {
            var configuration = Configuration()
            configuration.pairingAgent = pairingAgent
            return configuration
        }()
        let thread = EventLoopThread()
        let eventLoop = thread.eventLoop
        let address = bus.address
        self.init(
            eventLoop: eventLoop,
            configuration: configuration,
            callbacks: .onQueues,
            identities: IdentityStore(),
            retained: thread
        ) {
            let source = BlueZSource(adapter: nil, on: eventLoop, bus: address)
            return AdapterComponents(source, configuration)
        }
    }
}

/// What happened to an app, in words.
final class BlueZEvents: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])
    func add(_ line: String) { self.lines.withLockedValue { $0.append(line) } }
    func has(_ line: String) -> Bool { self.lines.withLockedValue { $0.contains(line) } }
    var all: [String] { self.lines.withLockedValue(\.self) }

    /// Waits for a line.
    func wait(for line: String) async throws {
        do { try await eventually { self.has(line) } } catch { throw NotSeen(line: line, events: self.all) }
    }

    struct NotSeen: Error {
        var line: String
        var events: [String]
    }
}

// Unchecked: it lives on its queue.
final class BlueZCentralApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    let events = BlueZEvents()
    let queue = DispatchQueue(label: "central")
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var characteristic: CBCharacteristic?

    init(_ adapter: BluetoothAdapter) {
        super.init()
        self.queue.sync { self.manager = adapter.run { CBCentralManager(delegate: self, queue: self.queue) } }
    }

    func connectRetrieved() {
        self.queue.async {
            guard let found = self.manager?.retrieveConnectedPeripherals(withServices: [serviceUUID]).first else {
                return
            }
            self.peripheral = found
            self.events.add("retrieved \(found.name ?? "")")
            self.manager?.connect(found)
        }
    }

    func scan() { self.queue.async { self.manager?.scanForPeripherals(withServices: [serviceUUID]) } }
    func end() { self.with { self.manager?.cancelPeripheralConnection($0) } }
    func connect() { self.with { self.manager?.connect($0) } }
    func pair(by adapter: BluetoothAdapter) { self.with { adapter.secure($0.identifier, to: .authenticated) { _ in } } }
    func read() { self.withValue { $0.readValue(for: $1) } }
    func subscribe(_ isOn: Bool) { self.withValue { $0.setNotifyValue(isOn, for: $1) } }
    func write(_ text: String, _ type: CBCharacteristicWriteType) {
        self.withValue { $0.writeValue(Data(text.utf8), for: $1, type: type) }
    }

    private func with(_ body: @escaping @Sendable (CBPeripheral) -> Void) {
        self.queue.async { if let peripheral = self.peripheral { body(peripheral) } }
    }

    private func withValue(_ body: @escaping @Sendable (CBPeripheral, CBCharacteristic) -> Void) {
        self.queue.async {
            if let peripheral = self.peripheral, let characteristic = self.characteristic {
                body(peripheral, characteristic)
            }
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.events.add("state \(central.state.rawValue)")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        self.peripheral = peripheral
        self.events.add("discovered \(advertisementData[CBAdvertisementDataLocalNameKey] ?? "") \(rssi)")
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.events.add("connected")
        peripheral.delegate = self
        peripheral.discoverServices([serviceUUID])
    }

    func centralManager(_: CBCentralManager, didDisconnectPeripheral: CBPeripheral, error: (any Error)?) {
        self.events.add("disconnected \((error as? CBError).map { "\($0.code.rawValue)" } ?? "by itself")")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.characteristic = service.characteristics?.first { $0.uuid == valueUUID }
        self.events.add("discovered \(service.characteristics?.count ?? 0)")
    }

    func peripheral(_: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
        let text = String(decoding: characteristic.value ?? Data(), as: UTF8.self)
        self.events.add(error.map { "refused \(($0 as? CBATTError)?.code.rawValue ?? -1)" } ?? "value \(text)")
    }

    func peripheral(_: CBPeripheral, didWriteValueFor: CBCharacteristic, error: (any Error)?) {
        self.events.add("written \((error as? CBATTError)?.code.rawValue ?? 0)")
    }

    func peripheral(
        _: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.events.add(
            "notifying \(characteristic.isNotifying) \((error as? CBATTError)?.code.rawValue ?? 0)"
        )
    }

    func peripheral(_: CBPeripheral, didModifyServices: [CBService]) { self.events.add("modified") }
}

/// A user who writes down what is shown.
final class BlueZLoggingAgent: PairingAgent {
    let events = BlueZEvents()
    private let isWilling: Bool
    var capabilities: PairingCapabilities { .keyboardAndDisplay }

    init(isWilling: Bool = true) { self.isWilling = isWilling }

    func pairing(_ prompt: PairingPrompt) {
        switch prompt.kind {
        case .showCode(let code): self.events.add("show \(code)")
        case .enterCode:
            self.events.add("enter")
            prompt.enter(self.isWilling ? "4711" : nil)
        case .compareCode(let code):
            self.events.add("compare \(code)")
            prompt.confirm(self.isWilling)
        case .pair:
            self.events.add("pair")
            prompt.confirm(self.isWilling)
        }
    }

    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        self.events.add(outcome == .paired ? "paired" : "failed")
    }
}

// Unchecked: it lives on its queue.
final class BlueZPeripheralApp: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let events = BlueZEvents()
    let queue = DispatchQueue(label: "peripheral")
    private var manager: CBPeripheralManager?
    private let characteristic = CBMutableCharacteristic(
        type: valueUUID,
        properties: [.read, .write, .notify],
        value: nil,
        permissions: [.readable, .writeable]
    )

    private let poured = CBMutableCharacteristic(
        type: CBUUID(string: "56ac0003-4b5f-4b3b-8aff-ede134a8446a"),
        properties: .writeWithoutResponse,
        value: nil,
        permissions: .writeable
    )

    init(_ adapter: BluetoothAdapter) {
        super.init()
        self.queue.sync { self.manager = adapter.run { CBPeripheralManager(delegate: self, queue: self.queue) } }
    }

    func update(_ text: String) {
        self.queue.async {
            _ = self.manager?.updateValue(Data(text.utf8), for: self.characteristic, onSubscribedCentrals: nil)
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        self.events.add("state \(peripheral.state.rawValue)")
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: serviceUUID, primary: true)
        service.characteristics = [self.characteristic, self.poured]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Ours"])
    }

    func peripheralManager(_: CBPeripheralManager, didAdd: CBService, error: (any Error)?) {
        self.events.add(error == nil ? "added" : "not added")
    }

    func peripheralManagerDidStartAdvertising(_: CBPeripheralManager, error: (any Error)?) {
        self.events.add(error == nil ? "advertising" : "not advertising")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data("ours".utf8).dropFirst(request.offset)
        self.events.add("read at \(request.offset)")
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        let text = String(decoding: requests[0].value ?? Data(), as: UTF8.self)
        self.events.add("written \(text)")
        peripheral.respond(to: requests[0], withResult: text == "bad" ? .invalidAttributeValueLength : .success)
    }

    func peripheralManager(_: CBPeripheralManager, central: CBCentral, didSubscribeTo: CBCharacteristic) {
        self.events.add("subscribed \(central.maximumUpdateValueLength)")
    }

    func peripheralManager(_: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom: CBCharacteristic) {
        self.events.add("unsubscribed")
    }
}
