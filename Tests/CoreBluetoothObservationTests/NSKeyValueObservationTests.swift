// Key-value observation as apps write it: what is reported, when, on which queue, and until when.

import CoreBluetoothObservation
import CoreBluetoothTesting
import Testing

/// A central that observes in place of its delegate methods, and notes both.
private final class Watcher: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    let queue: DispatchQueue?
    var central: CBCentralManager!
    var peripheral: CBPeripheral?
    var characteristic: CBCharacteristic?
    private(set) var lines: [String] = []
    private var observations: [NSKeyValueObservation] = []

    init(queue: DispatchQueue? = nil) {
        self.queue = queue
        super.init()
        self.central = CBCentralManager(delegate: self, queue: queue)
        self.observations.append(
            self.central.observe(\.state, options: [.initial, .old, .new]) { [weak self] _, change in
                self?.note("state \(change.oldValue?.rawValue ?? -1) to \(change.newValue?.rawValue ?? -1)")
                #expect(change.kind == .setting && !change.isPrior && change.indexes == nil)
            }
        )
        self.observations.append(
            self.central.observe(\.isScanning) { [weak self] central, change in
                self?.note("isScanning \(central.isScanning) \(change.newValue == nil)")
            }
        )
    }

    private func note(_ line: String) {
        if let queue = self.queue, !self.lines.isEmpty { dispatchPrecondition(condition: .onQueue(queue)) }
        self.lines.append(line)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.note("didUpdateState")
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
        self.note("scans")
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
        self.observations.append(
            peripheral.observe(\.state, options: [.old, .new]) { [weak self] peripheral, change in
                guard let old = change.oldValue, let new = change.newValue else { return }
                self?.note("\(old) to \(new)")
            }
        )
        self.observations.append(
            peripheral.observe(\.services, options: [.new]) { [weak self] _, change in
                self?.note("\(change.newValue??.count ?? 0) services")
            }
        )
        self.note("discovers")
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.note("didConnect")
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.note("didDiscoverServices")
        for service in peripheral.services ?? [] {
            self.observations.append(
                service.observe(\.characteristics, options: .new) { [weak self] _, change in
                    self?.note("\(change.newValue??.count ?? 0) characteristics")
                }
            )
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        guard let characteristic = service.characteristics?.first else { return }
        self.characteristic = characteristic
        self.observations.append(
            characteristic.observe(\.isNotifying, options: .new) { [weak self] _, change in
                self?.note("isNotifying \(change.newValue == true)")
            }
        )
        self.observations.append(
            characteristic.observe(\.value, options: .new) { [weak self] _, change in
                self?.note("value \(change.newValue??.first ?? 0)")
            }
        )
        peripheral.setNotifyValue(true, for: characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.note("didUpdateValue")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.note("didDisconnect")
    }
}

private let counter = ScriptedPeripheral(
    name: "Counter",
    services: [
        .init(
            "FFF0",
            characteristics: [
                .init("FFF1", properties: [.read, .notify, .writeWithoutResponse], value: Data([7]))
            ]
        )
    ]
)

@Suite("NSKeyValueObservation")
struct NSKeyValueObservationTests {
    @Test("reports changes in their order, each before the delegate is called", arguments: [false, true])
    func order(onQueue: Bool) throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(counter)
        let queue = onQueue ? DispatchQueue(label: "bluetooth") : nil
        let watcher = world.addDevice("phone").run { Watcher(queue: queue) }
        try world.run(until: watcher.characteristic?.isNotifying == true)
        device.notify(Data([8]), for: "FFF1")
        try world.run(until: watcher.lines.contains("didUpdateValue"))
        watcher.central.cancelPeripheralConnection(try #require(watcher.peripheral))
        try world.run(until: watcher.lines.contains("didDisconnect"))
        #expect(
            watcher.lines == [
                "state -1 to 0", "state 0 to 5", "didUpdateState", "scans", "isScanning true true", "discovers",
                "isScanning false true", "disconnected to connecting", "connecting to connected", "didConnect",
                "1 services", "didDiscoverServices", "1 characteristics", "isNotifying true", "value 8",
                "didUpdateValue",
                "connected to disconnecting", "disconnecting to disconnected", "0 services", "isNotifying false",
                "didDisconnect",
            ]
        )
    }

    /// Counts the reports of a state.
    private final class StateCounter: NSObject, CBCentralManagerDelegate {
        private(set) var count = 0

        func centralManagerDidUpdateState(_ central: CBCentralManager) { self.count += 1 }
    }

    @Test("calls the delegate that an observer sets")
    func delegateOfAnObserver() throws {
        let (first, second) = (StateCounter(), StateCounter())
        let world = World(seed: 1)
        let manager = world.addDevice("phone").run { CBCentralManager(delegate: first, queue: nil) }
        let observation = manager.observe(\.state) { manager, _ in manager.delegate = second }
        try world.run(until: first.count + second.count == 1)
        #expect(first.count == 0)
        withExtendedLifetime(observation) {}
    }

    /// Managers of an app's own class, which finds its delegate in its own way.
    private final class OwnCentral: CBCentralManager {
        var own: (any CBCentralManagerDelegate)?
        override var delegate: (any CBCentralManagerDelegate)? {
            get { self.own }
            set { self.own = newValue }
        }
    }

    private final class OwnPeripheral: CBPeripheralManager {
        var own: (any CBPeripheralManagerDelegate)?
        override var delegate: (any CBPeripheralManagerDelegate)? {
            get { self.own }
            set { self.own = newValue }
        }
    }

    /// Notes what both kinds of managers report.
    private final class Reports: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate {
        private(set) var lines: [String] = []

        func note(_ line: String) { self.lines.append(line) }
        func centralManagerDidUpdateState(_ central: CBCentralManager) { self.note("central") }
        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { self.note("peripheral") }
    }

    @Test("observes a subclass with a delegate of its own before that is called")
    func subclasses() throws {
        let reports = Reports()
        let world = World(seed: 1)
        let central = world.addDevice("phone").run { OwnCentral(delegate: nil, queue: nil) }
        central.delegate = reports
        let first = central.observe(\.state, options: .new) { _, change in
            reports.note("central is \(change.newValue?.rawValue ?? -1)")
        }
        try world.run(until: reports.lines.count == 2)
        let peripheral = world.addDevice("ball").run { OwnPeripheral(delegate: nil, queue: nil) }
        peripheral.delegate = reports
        let second = peripheral.observe(\.state, options: .new) { _, change in
            reports.note("peripheral is \(change.newValue?.rawValue ?? -1)")
        }
        try world.run(until: reports.lines.count == 4)
        #expect(reports.lines == ["central is 5", "central", "peripheral is 5", "peripheral"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("reports each of several calls that follow each other at once")
    func quickCalls() throws {
        let world = World(seed: 1)
        world.addPeripheral(counter)
        let watcher = world.addDevice("phone").run { Watcher() }
        try world.run(until: watcher.characteristic?.isNotifying == true)
        let peripheral = try #require(watcher.peripheral)
        watcher.central.cancelPeripheralConnection(peripheral)
        try world.run(until: watcher.lines.contains("didDisconnect"))
        var states: [CBPeripheralState] = []
        let observation = peripheral.observe(\.state, options: .new) { _, change in states += [change.newValue!] }
        watcher.central.connect(peripheral)
        watcher.central.cancelPeripheralConnection(peripheral)
        #expect(states == [])
        try world.run(until: states.last == .disconnected)
        #expect(states == [.connecting, .disconnecting, .disconnected])
        withExtendedLifetime(observation) {}
    }

    @Test("reports no pending change after an invalidation in a handler")
    func endsWithinAHandler() throws {
        let world = World(seed: 1)
        let manager = world.addDevice("phone").run { CBCentralManager(delegate: nil, queue: nil) }
        try world.run(until: manager.state == .poweredOn)
        var calls = 0
        var observation: NSKeyValueObservation?
        observation = manager.observe(\.isScanning) { _, _ in
            calls += 1
            observation?.invalidate()
        }
        manager.scanForPeripherals(withServices: nil)
        manager.stopScan()
        world.advance(by: .seconds(1))
        #expect(calls == 1)
    }

    @Test("does not retain the observed object")
    func lifetime() throws {
        let world = World(seed: 1)
        weak var manager: CBCentralManager?
        let observation: NSKeyValueObservation
        do {
            let strong = world.addDevice("phone").run { CBCentralManager(delegate: nil, queue: nil) }
            manager = strong
            observation = strong.observe(\.state) { _, _ in }
            world.advance(by: .seconds(1))
        }
        world.advance(by: .seconds(1))
        #expect(manager == nil)
        observation.invalidate()
    }

    @Test("reports whether writes without response can be sent")
    func writeCapacity() throws {
        let world = World(seed: 1)
        world.addPeripheral(counter)
        let watcher = world.addDevice("phone").run { Watcher() }
        try world.run(until: watcher.characteristic?.isNotifying == true)
        let peripheral = try #require(watcher.peripheral)
        let characteristic = try #require(watcher.characteristic)
        var changes: [Bool] = []
        let observation = peripheral.observe(\.canSendWriteWithoutResponse, options: .new) { _, change in
            changes += [change.newValue!]
        }
        while peripheral.canSendWriteWithoutResponse {
            peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
        }
        try world.run(until: changes == [false, true])
        withExtendedLifetime(observation) {}
    }

    @Test("reports a peripheral manager's state and advertising")
    func advertising() throws {
        let world = World(seed: 1)
        let manager = world.addDevice("tag").run { CBPeripheralManager(delegate: nil, queue: nil) }
        var lines: [String] = []
        let observations = [
            manager.observe(\.state) { manager, _ in lines += ["\(manager.state == .poweredOn)"] },
            manager.observe(\.isAdvertising, options: [.old, .new]) { _, change in
                lines += ["\(change.oldValue!) to \(change.newValue!)"]
            },
        ]
        try world.run(until: lines == ["true"])
        manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Tag"])
        try world.run(until: lines == ["true", "false to true"])
        manager.stopAdvertising()
        try world.run(until: lines == ["true", "false to true", "true to false"])
        withExtendedLifetime(observations) {}
    }

    @Test("gives the values of a property as a sequence")
    func values() async throws {
        let world = World(seed: 1)
        let manager = world.addDevice("phone").run { CBCentralManager(delegate: nil, queue: nil) }
        var states = manager.values(of: \.state).makeAsyncIterator()
        #expect(await states.next() == .unknown)
        world.advance(by: .seconds(1))
        #expect(await states.next() == .poweredOn)
        var scans = manager.values(of: \.isScanning).makeAsyncIterator()
        #expect(await scans.next() == false)
        manager.scanForPeripherals(withServices: nil)
        manager.stopScan()
        world.advance(by: .seconds(1))
        #expect(await scans.next() == true)
        #expect(await scans.next() == false)
        let task = Task { await states.next() }
        task.cancel()
        #expect(await task.value == nil)
    }
}
