// Devices of a world that hide behind private addresses.

import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testbed
import Testing

/// An app that scans and counts whom it finds.
private final class Watcher: NSObject, CBCentralManagerDelegate {
    private var central: CBCentralManager!
    private(set) var identifiers: Set<UUID> = []

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Reader.service]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.identifiers.insert(peripheral.identifier)
    }
}

@Suite("Devices that hide")
struct PrivateDeviceTests {
    @Test("A device that is not bonded finds another device each time that the address changes", arguments: [nil, 60])
    func unbonded(seconds: Int?) throws {
        let world = World()
        let sensor = world.addDevice(
            "sensor",
            privacy: seconds.map { .init(rotationInterval: .seconds($0)) }
        )
        let app = sensor.run { Sensor(restoreIdentifier: nil) }
        let watcher = world.addDevice("phone").run { Watcher() }
        try world.run(until: !watcher.identifiers.isEmpty)
        world.advance(by: .seconds(600))
        let count = watcher.identifiers.count
        #expect(seconds == nil ? count == 1 : (10...11).contains(count))
        withExtendedLifetime(app) {}
    }
}
