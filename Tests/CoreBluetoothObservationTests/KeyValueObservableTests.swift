// What can be observed of services and characteristics, and a property that changes before it is observed.

import CoreBluetoothObservation
import CoreBluetoothTesting
import Testing

/// A central that looks at all of a peripheral, and notes changes and the calls of its delegate.
private final class Finder: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var central: CBCentralManager!
    var peripheral: CBPeripheral?
    private(set) var lines: [String] = []
    private var observations: [NSKeyValueObservation] = []

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
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
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "FFF0")])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return }
        self.observations.append(
            service.observe(\.includedServices, options: [.old, .new]) { [weak self] service, change in
                self?.lines.append("\(service.uuid.uuidString) includes \(change.newValue??.count ?? -1)")
            }
        )
        self.observations.append(
            service.observe(\.characteristics, options: [.old, .new]) { [weak self] service, change in
                self?.lines.append("\(service.uuid.uuidString) has \(change.newValue??.count ?? -1)")
            }
        )
        peripheral.discoverIncludedServices(nil, for: service)
        peripheral.discoverCharacteristics(nil, for: service)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {
        self.lines.append("didDiscoverIncludedServices")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.lines.append("didDiscoverCharacteristics")
        guard let characteristic = service.characteristics?.first else { return }
        self.observations.append(
            characteristic.observe(\.descriptors, options: .new) { [weak self] characteristic, change in
                self?.lines.append("\(characteristic.uuid.uuidString) has \(change.newValue??.count ?? -1)")
            }
        )
        peripheral.discoverDescriptors(for: characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.lines.append("didDiscoverDescriptors")
    }
}

/// A manager with a property that has changed once it is read again.
private final class Changing: CBCentralManager {
    private var count = 0

    var reading: Int {
        defer { self.count += 1 }
        return min(self.count, 1)
    }
}

@Suite("KeyValueObservable")
struct KeyValueObservableTests {
    @Test("reports what is discovered before the delegate is called")
    func discovery() throws {
        let world = World(seed: 1)
        world.addPeripheral(
            ScriptedPeripheral(
                name: "Counter",
                services: [
                    .init("FFF4", isPrimary: false, characteristics: []),
                    .init(
                        "FFF0",
                        characteristics: [.init("FFF1", properties: .notify), .init("FFF2", properties: .read)],
                        includes: [CBUUID(string: "FFF4")]
                    ),
                ]
            )
        )
        let finder = world.addDevice("phone").run { Finder() }
        try world.run(until: finder.lines.contains("didDiscoverDescriptors"))
        #expect(
            finder.lines == [
                "FFF0 includes 1", "didDiscoverIncludedServices", "FFF0 has 2", "didDiscoverCharacteristics",
                // Client Characteristic Configuration.
                "FFF1 has 1", "didDiscoverDescriptors",
            ]
        )
    }

    @Test("reports a property that has changed since it was read")
    func changedMeanwhile() throws {
        let world = World(seed: 1)
        let manager = world.addDevice("phone").run { Changing(delegate: nil, queue: nil) }
        try world.run(until: manager.state == .poweredOn)
        var values: [Int] = []
        let observation = manager.observe(\.reading, options: .new) { _, change in values += [change.newValue!] }
        #expect(values == [], "it is reported on the manager's queue")
        world.advance(by: .seconds(1))
        #expect(values == [1])
        withExtendedLifetime(observation) {}
    }

    @Test("reports the present value first, and once what that call changes")
    func initialValue() throws {
        let world = World(seed: 1)
        let manager = world.addDevice("phone").run { CBCentralManager(delegate: nil, queue: nil) }
        try world.run(until: manager.state == .poweredOn)
        var values: [Bool] = []
        let observation = manager.observe(\.isScanning, options: [.initial, .new]) { manager, change in
            values += [change.newValue!]
            if values.count == 1 { manager.scanForPeripherals(withServices: nil) }
        }
        #expect(values == [false])
        world.advance(by: .seconds(1))
        #expect(values == [false, true])
        observation.invalidate()
        manager.stopScan()
        world.advance(by: .seconds(1))
        #expect(values == [false, true])
    }

    @Test("has the present values of attributes without a peripheral")
    func withoutPeripheral() {
        let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: .read,
            value: nil,
            permissions: .readable
        )
        var lines: [String] = []
        let observations = [
            service.observe(\.isPrimary, options: [.initial, .new]) { _, change in
                lines += ["primary \(change.newValue == true)"]
            },
            characteristic.observe(\.isNotifying, options: [.initial, .new]) { _, change in
                lines += ["notifying \(change.newValue == true)"]
            },
        ]
        #expect(lines == ["primary true", "notifying false"])
        withExtendedLifetime(observations) {}
    }
}
