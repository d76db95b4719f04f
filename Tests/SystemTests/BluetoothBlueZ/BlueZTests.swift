// Core Bluetooth on an adapter of BlueZ: a mock on a bus of its own, and apps that use nothing but Apple's API.

import BluetoothTypes
import Fixtures
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import BluetoothBlueZ
@testable import CoreBluetooth

private var serviceUUID: CBUUID { CBUUID(string: "56ac0001-4b5f-4b3b-8aff-ede134a8446a") }
private var valueUUID: CBUUID { CBUUID(string: "56ac0002-4b5f-4b3b-8aff-ede134a8446a") }

extension BluetoothAdapter {
    /// The adapter that BlueZ has on a bus.
    fileprivate convenience init(bus: PrivateBus) {
        let configuration = Configuration()
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
            var components = AdapterComponents(.bluez(index: nil), configuration, on: eventLoop)
            components.source = BlueZChannelSource(BlueZSource(adapter: nil, on: eventLoop, bus: address))
            return components
        }
    }
}

/// What happened to an app, in words.
private final class Events: Sendable {
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

private final class CentralApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    let events = Events()
    let queue = DispatchQueue(label: "central")
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var characteristic: CBCharacteristic?

    init(_ adapter: BluetoothAdapter) {
        super.init()
        self.queue.sync { self.manager = adapter.run { CBCentralManager(delegate: self, queue: self.queue) } }
    }

    func scan() { self.queue.async { self.manager?.scanForPeripherals(withServices: [serviceUUID]) } }
    func end() { self.with { self.manager?.cancelPeripheralConnection($0) } }
    func connect() { self.with { self.manager?.connect($0) } }
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

private final class PeripheralApp: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let events = Events()
    let queue = DispatchQueue(label: "peripheral")
    private var manager: CBPeripheralManager?
    private let characteristic = CBMutableCharacteristic(
        type: valueUUID,
        properties: [.read, .write, .notify],
        value: nil,
        permissions: [.readable, .writeable]
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
        service.characteristics = [self.characteristic]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Ours"])
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

@Suite("BlueZ, by a mock", .enabled(if: PrivateBus.isThere, "dbus-daemon and libsystemd are needed"), .serialized)
struct BlueZTests {
    private let bus: PrivateBus
    private let mock: MockBlueZ

    init() async throws {
        self.bus = try await PrivateBus()
        self.mock = try await MockBlueZ(on: self.bus)
    }

    /// An app that is connected to the mock's device and knows its characteristic.
    private func connected() async throws -> CentralApp {
        let app = CentralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "state 5")
        app.scan()
        try await eventually { self.mock.calls.contains("StartDiscovery /org/bluez/hci0") }
        try await self.mock.advertise()
        try await app.events.wait(for: "discovered Mock -61")
        app.connect()
        try await app.events.wait(for: "discovered 1")
        return app
    }

    @Test("gives a central what BlueZ has: advertisements, services, values and notifications")
    func central() async throws {
        let app = try await self.connected()
        app.read()
        try await app.events.wait(for: "value old")
        app.write("new", .withResponse)
        try await app.events.wait(for: "written 0")
        app.subscribe(true)
        try await app.events.wait(for: "notifying true 0")
        for number in 0..<100 { try await self.mock.notify("\(number)") }
        try await app.events.wait(for: "value 99")
        #expect(app.events.all.filter { $0.hasPrefix("value") } == ["value old"] + (0..<100).map { "value \($0)" })
        app.write("command", .withoutResponse)
        try await eventually { self.mock.calls.filter { $0.hasPrefix("WriteValue") }.count == 2 }
        app.subscribe(false)
        try await app.events.wait(for: "notifying false 0")
        app.end()
        try await app.events.wait(for: "disconnected by itself")
        try await eventually { self.mock.calls.contains { $0.hasPrefix("Disconnect ") } }
    }

    @Test(
        "hands BlueZ's refusals on as errors of the attribute",
        arguments: [
            ("NotPermitted", "Read not permitted", 2), ("NotPermitted", "Not paired", 5), ("NotAuthorized", "", 8),
        ]
    )
    func refusals(name: String, text: String, code: Int) async throws {
        let app = try await self.connected()
        try await self.mock.answer { call, message in
            guard ["ReadValue", "StartNotify"].contains(message.member) else { return false }
            call.fail("org.bluez.Error." + name, text)
            return true
        }
        app.read()
        try await app.events.wait(for: "refused \(code)")
        app.subscribe(true)
        try await app.events.wait(for: "notifying false \(code)")
    }

    @Test("waits for a device that is absent, by asking again")
    func absentDevice() async throws {
        let app = CentralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "state 5")
        let refusals = NIOLockedValueBox(3)
        try await self.mock.answer { call, message in
            guard message.member == "Connect",
                refusals.withLockedValue({
                    $0 -= 1
                    return $0 >= 0
                })
            else { return false }
            call.fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
            return true
        }
        app.scan()
        try await self.mock.advertise()
        try await app.events.wait(for: "discovered Mock -61")
        app.connect()
        try await app.events.wait(for: "discovered 1")
        #expect(self.mock.calls.filter { $0.hasPrefix("Connect ") }.count == 4)
    }

    @Test("tells an app of a device that is lost")
    func lostDevice() async throws {
        let app = try await self.connected()
        try await self.mock.set(MockBlueZ.device, BlueZ.device, ["Connected": .boolean(false)])
        try await app.events.wait(for: "disconnected 7")
    }

    @Test("resets when bluetoothd ends, and is back when it is")
    func restart() async throws {
        let app = try await self.connected()
        try await self.mock.crash()
        try await app.events.wait(for: "state 1")
        let next = try await MockBlueZ(on: self.bus)
        try await eventually { app.events.all.filter { $0 == "state 5" }.count == 2 }
        _ = next
    }

    @Test("is off while BlueZ's adapter is")
    func powerOff() async throws {
        let app = CentralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "state 5")
        try await self.mock.set(MockBlueZ.adapter, BlueZ.adapter, ["Powered": .boolean(false)])
        try await app.events.wait(for: "state 4")
        try await self.mock.set(MockBlueZ.adapter, BlueZ.adapter, ["Powered": .boolean(true)])
        try await eventually { app.events.all.filter { $0 == "state 5" }.count == 2 }
    }

    @Test("survives properties of wrong types, huge values and paths that are none")
    func hostileProperties() async throws {
        let app = CentralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "state 5")
        app.scan()
        let huge = BusValue.bytes(ByteBuffer(repeating: 0xFF, count: 1 << 20))
        for (number, value) in [BusValue.uint32(1), huge, .strings(["a"]), .properties(["a": huge])].enumerated() {
            let path = MockBlueZ.adapter + "/dev_\(number)"
            let names = DeviceProperties.advertised.union(["Address", "AddressType", "Connected", "ServicesResolved"])
            try await self.mock.insert(path, BlueZ.device, Dictionary(uniqueKeysWithValues: names.map { ($0, value) }))
            try await self.mock.insert(path + "/service", BlueZ.gattService, ["UUID": value])
            try await self.mock.insert("/elsewhere/\(number)", BlueZ.device, [:])
        }
        try await self.mock.advertise()
        try await app.events.wait(for: "discovered Mock -61")
        app.connect()
        try await app.events.wait(for: "discovered 1")
    }

    @Test("publishes what a peripheral offers, and hands on what centrals ask")
    func peripheral() async throws {
        try await self.mock.insert(
            MockBlueZ.device,
            BlueZ.device,
            ["Address": .string("C0:11:22:33:44:55"), "AddressType": .string("random"), "Connected": .boolean(true)]
        )
        let app = PeripheralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "advertising")
        try await eventually { self.mock.calls.contains("advertises Ours") }
        try await eventually { self.mock.calls.contains { $0.hasPrefix("RegisterApplication") } }
        let path = "/org/corebluetooth/service1/service/char0"
        let options: ObjectTree.Properties = ["device": .path(MockBlueZ.device), "mtu": .uint16(100)]
        let read = try await self.mock.call(path, BlueZ.characteristic, "ReadValue", [.properties(options)])
        #expect(try read.get().first?.bytes.map { String(buffer: $0) } == "ours")
        for (text, name) in [("good", nil), ("bad", "org.bluez.Error.InvalidValueLength")] {
            let write: [BusValue] = [.bytes(ByteBuffer(string: text)), .properties(options)]
            let result = try await self.mock.call(path, BlueZ.characteristic, "WriteValue", write)
            switch result {
            case .success: #expect(name == nil)
            case .failure(let failure): #expect(failure.name == name)
            }
        }
        let acquired = try await self.mock.call(path, BlueZ.characteristic, "AcquireNotify", [.properties(options)])
        let descriptor = try #require(try acquired.get().first?.descriptor)
        let socket = descriptor.number
        #expect(try acquired.get().last == .uint16(100))
        try await app.events.wait(for: "subscribed 97")
        app.update("hello")
        var octets = [UInt8](repeating: 0, count: 100)
        try await eventually { recv(socket, &octets, octets.count, CInt(MSG_DONTWAIT)) == 5 }
        #expect(String(decoding: octets.prefix(5), as: UTF8.self) == "hello")
        shutdown(socket, CInt(SHUT_RDWR))
        try await app.events.wait(for: "unsubscribed")
    }

    @Test("reports advertising that BlueZ refuses")
    func refusedAdvertising() async throws {
        try await self.mock.answer { call, message in
            guard message.member == "RegisterAdvertisement" else { return false }
            call.fail("org.bluez.Error.NotPermitted", "Maximum advertisements reached")
            return true
        }
        let app = PeripheralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "not advertising")
    }
}
