// The first value of an observation, also of a property that changes before it is observed.

import CoreBluetoothObservation
import CoreBluetoothTesting
import Testing

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
