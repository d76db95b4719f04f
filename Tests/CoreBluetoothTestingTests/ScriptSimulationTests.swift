// Random scripts, used by an app and changed by a test, all at random.

import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Testing

/// An app in the central role that makes random requests, and counts those that are unanswered.
private final class Visitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private var choices: SeededChoices
    private(set) var central: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    private(set) var connectionCount = 0
    private(set) var endCount = 0
    /// The number of unanswered requests of each kind on the present link.
    private(set) var pending: [String: Int] = [:]
    private(set) var excess: [String] = []
    /// The values of successful writes with response, in order.
    private(set) var written: [Data] = []
    private var writing: [ObjectIdentifier: [Data]] = [:]

    init(seed: UInt64) {
        self.choices = SeededChoices(seed: seed)
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    private func ask(_ kind: String) { self.pending[kind, default: 0] += 1 }

    private func answered(_ kind: String) {
        self.pending[kind, default: 0] -= 1
        if self.pending[kind, default: 0] < 0 { self.excess.append(kind) }
    }

    private func discover(_ peripheral: CBPeripheral) {
        self.ask("services")
        peripheral.discoverServices(nil)
    }

    func step() {
        guard let peripheral = self.peripheral else { return }
        guard peripheral.state == .connected else {
            if peripheral.state == .disconnected { self.central.connect(peripheral) }
            return
        }
        let characteristics = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
        guard let characteristic = characteristics.randomElement(using: &self.choices) else {
            return self.discover(peripheral)
        }
        let data = Data(self.choices.octets(self.choices.pick([0, 1, 2, 19, 20, 21, 100, 244, 245, 512])))
        switch self.choices.below(12) {
        case 0...1: peripheral.readValue(for: characteristic)
        case 2...4 where characteristic.properties.contains(.write):
            self.ask("write")
            self.writing[ObjectIdentifier(characteristic), default: []].append(data)
            peripheral.writeValue(data, for: characteristic, type: .withResponse)
        case 5 where characteristic.properties.contains(.writeWithoutResponse):
            let limit = peripheral.maximumWriteValueLength(for: .withoutResponse)
            peripheral.writeValue(data.prefix(limit), for: characteristic, type: .withoutResponse)
        case 6...7:
            self.ask("notify")
            peripheral.setNotifyValue(!characteristic.isNotifying, for: characteristic)
        case 8:
            self.ask("descriptors")
            peripheral.discoverDescriptors(for: characteristic)
        case 9:
            self.ask("channel")
            peripheral.openL2CAPChannel(self.choices.pick([0x81, 0x82]))
        case 10: self.discover(peripheral)
        default: if self.choices.once(in: 5) { self.central.cancelPeripheralConnection(peripheral) }
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.connectionCount += 1
        self.discover(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.endCount += 1
        (self.pending, self.writing) = ([:], [:])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.answered("services")
        for service in peripheral.services ?? [] {
            self.ask("included")
            self.ask("characteristics")
            peripheral.discoverIncludedServices(nil, for: service)
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        self.discover(peripheral)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) { self.answered("included") }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.answered("characteristics")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { self.answered("descriptors") }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.answered("write")
        let identifier = ObjectIdentifier(characteristic)
        guard let value = self.writing[identifier]?.first else { return }
        self.writing[identifier]?.removeFirst()
        if error == nil { self.written.append(value) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { self.answered("notify") }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.answered("channel")
    }
}

@Suite("Simulations of scripts")
struct ScriptSimulationTests {
    /// Does something with the device, as a test does.
    private static func change(_ device: ScriptedDevice, _ world: World, _ generator: inout ScriptGenerator) {
        let uuid = generator.pick(ScriptGenerator.characteristics)
        switch generator.below(20) {
        case 0...2: device.setValue(generator.data(), of: CBUUID(string: uuid))
        case 3...8: _ = device.notify(generator.data(), for: uuid)
        case 9: device.disconnect()
        case 10: device.dropLinks()
        case 11: device.publish(generator.services())
        case 12: device.isAdvertising.toggle()
        case 13: device.resetController()
        case 14: device.isPowered = false
        case 15: device.isUnresponsive = true
        case 16: device.refusesConnections.toggle()
        case 17: device.distance = Double(generator.pick([1, 5, 30, 1_000]))
        case 18: world.loss = generator.pick([0, 0.02, 0.2])
        default: device.setValue(Data(count: 513), of: CBUUID(string: uuid))
        }
        world.after(.seconds(3)) { Self.restore(device) }
    }

    private static func restore(_ device: ScriptedDevice) {
        device.isPowered = true
        device.isUnresponsive = false
        device.isAdvertising = true
        device.refusesConnections = false
        device.distance = 1
    }

    private static func run(_ script: ScriptedPeripheral, seed: UInt64, steps: Int, isChanged: Bool) -> World {
        var generator = ScriptGenerator(seed: seed &+ 1_000)
        let world = World(seed: seed)
        let device = world.addPeripheral(script, as: "thing")
        let phone = world.addDevice("phone")
        let app = phone.run { Visitor(seed: seed) }
        for _ in 0..<steps {
            world.advance(by: .milliseconds(generator.pick([20, 100, 400, 1_500])))
            phone.run { app.step() }
            if isChanged, generator.once(in: 5) { Self.change(device, world, &generator) }
            #expect((0...1).contains(app.connectionCount - app.endCount), "each link ends once")
        }
        world.loss = 0
        // Longer than any answer takes, and than the time limit of a request that gets none.
        world.advance(by: .seconds(80))
        let isConnected = app.peripheral?.state == .connected
        #expect(device.linkCount == (isConnected ? 1 : 0) && app.connectionCount - app.endCount == device.linkCount)
        #expect(app.pending.allSatisfy { $0.value == 0 } && app.excess.isEmpty, "each request is answered once")
        var writes = device.writes.map(\.value)[...]
        for value in app.written {
            guard let index = writes.firstIndex(of: value) else {
                Issue.record("the device has not got \(Array(value)) in its order")
                break
            }
            writes = writes[writes.index(after: index)...]
        }
        return world
    }

    @Test("each request and each link ends once, and both sides agree", arguments: simulationSeeds(4))
    func scripts(seed: UInt64) {
        var generator = ScriptGenerator(seed: seed)
        _ = Self.run(generator.script(), seed: seed, steps: 150, isChanged: true)
    }

    @Test("a capture of any script is a script", arguments: simulationSeeds(3))
    func captures(seed: UInt64) throws {
        var generator = ScriptGenerator(seed: seed &+ 50)
        var script = generator.script()
        (script.faults, script.refusesConnections, script.advertisement.isConnectable) = ([], false, true)
        let world = Self.run(script, seed: seed, steps: 60, isChanged: false)
        let services = script.services.map(\.uuid) + ["1800", "1801"].map { CBUUID(string: $0) }
        for device in ["thing", "phone"] {
            let captured = try ScriptedPeripheral(capture: try CapturedPeripheralTests.capture(of: world, device))
            #expect(captured.services.map(\.uuid).allSatisfy { services.contains($0) })
            _ = Self.run(captured, seed: seed &+ 7, steps: 40, isChanged: false)
        }
    }
}
