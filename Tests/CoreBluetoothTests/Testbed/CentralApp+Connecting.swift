// What most tests of the central begin with: a device is found, connected, and looked into.

import Testbed
import Testing

@testable import CoreBluetooth

extension CentralApp {
    /// Scans until a device is found; the scan goes on.
    func find(in testbed: Testbed, services: [CBUUID]? = nil) throws -> CBPeripheral {
        self.manager.scanForPeripherals(withServices: services)
        try #require(testbed.run { !self.found.isEmpty })
        return self.found[0]
    }

    /// Finds a device, stops the scan, and connects.
    func connect(
        in testbed: Testbed,
        services: [CBUUID]? = [IDs.service],
        options: [String: Any]? = nil
    ) throws -> CBPeripheral {
        let peripheral = try self.find(in: testbed, services: services)
        self.manager.stopScan()
        self.manager.connect(peripheral, options: options)
        try #require(testbed.run { peripheral.state == .connected })
        return peripheral
    }

    /// Connects to a device that was found before.
    func connect(_ peripheral: CBPeripheral, in testbed: Testbed) {
        self.manager.connect(peripheral)
        #expect(testbed.run { peripheral.state == .connected })
    }

    /// Cancels a connection, and waits for its end.
    func disconnect(_ peripheral: CBPeripheral, in testbed: Testbed) {
        self.manager.cancelPeripheralConnection(peripheral)
        #expect(testbed.run { peripheral.state == .disconnected })
    }

    /// The app's own object for a device that another app of its adapter has found.
    func retrieve(_ peripheral: CBPeripheral) throws -> CBPeripheral {
        let known = self.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier])
        let own = try #require(known.first)
        self.found = [own]
        return own
    }

    /// Scans, connects to what is found first and subscribes to its answer, each call in the callback
    /// of the one before it.
    func subscribeToAnswer(services: [CBUUID]?) {
        self.onCall = { [unowned self] call in
            if call.hasPrefix("discover") { self.manager.connect(self.found[0]) }
            if call == "connect 2" { self.found[0].discoverServices([IDs.service]) }
            if call == "services 1" {
                self.found[0].discoverCharacteristics([IDs.answer], for: self.found[0].services![0])
            }
            if call == "characteristics 1" {
                self.found[0].setNotifyValue(true, for: self.found[0].services![0].characteristics![0])
            }
        }
        self.manager.scanForPeripherals(withServices: services)
    }
}

extension CBPeripheral {
    /// Discovers services, and all characteristics of the first one.
    func discover(_ services: [CBUUID]?, in testbed: Testbed) throws -> CBService {
        self.discoverServices(services)
        try #require(testbed.run { self.services != nil })
        let service = try #require(self.services?.first)
        self.discoverCharacteristics(nil, for: service)
        try #require(testbed.run { service.characteristics != nil })
        return service
    }
}

extension CBService {
    /// The discovered characteristic with a UUID.
    func characteristic(_ uuid: CBUUID) throws -> CBCharacteristic {
        try #require(self.characteristics?.first { $0.uuid == uuid })
    }
}
