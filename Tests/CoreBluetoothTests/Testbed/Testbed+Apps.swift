// What most tests begin with: apps that are powered on, devices that are found and connected, and storage on disk.

import Fixtures
import Testbed
import Testing

@testable import CoreBluetooth

extension Testbed {
    /// A central app that is powered on, of an app's policy if there is one.
    func central(
        on adapter: BluetoothAdapter,
        restoring identifier: String? = nil,
        of policy: PolicyStub? = nil
    ) -> CentralApp {
        let app = self.make(policy) { CentralApp(on: adapter, restoring: identifier) }
        self.run { app.manager.state == .poweredOn }
        return app
    }

    /// A peripheral app that is powered on, of an app's policy if there is one.
    func ball(
        on adapter: BluetoothAdapter,
        restoring identifier: String? = nil,
        of policy: PolicyStub? = nil
    ) -> PeripheralApp {
        let app = self.make(policy) { PeripheralApp(on: adapter, restoring: identifier) }
        self.run { app.manager.state == .poweredOn }
        return app
    }

    private func make<App>(_ policy: PolicyStub?, _ body: () -> App) -> App {
        policy?.make(in: self, body) ?? body()
    }
}

extension CentralApp {
    /// Scans until a device is found; the scan goes on.
    func find(in testbed: Testbed, services: [CBUUID]? = nil) throws -> CBPeripheral {
        self.manager.scanForPeripherals(withServices: services)
        try #require(testbed.run { !self.found.isEmpty })
        return self.found[0]
    }

    /// Finds a device anew, and stops the scan.
    func meet(in testbed: Testbed, services: [CBUUID]? = nil) throws -> CBPeripheral {
        self.found = []
        defer { self.manager.stopScan() }
        return try self.find(in: testbed, services: services)
    }

    /// Connects if there is no connection, discovers the secret, and asks for it.
    func askForSecret(of peripheral: CBPeripheral, in testbed: Testbed) throws -> CBCharacteristic {
        if peripheral.state != .connected { self.connect(peripheral, in: testbed) }
        let secret = try peripheral.discover(nil, in: testbed).characteristic(IDs.secret)
        self.calls = []
        self.errors = []
        peripheral.readValue(for: secret)
        return secret
    }

    /// Reads the secret; `nil` if that fails.
    func readSecret(of peripheral: CBPeripheral, in testbed: Testbed) throws -> Data? {
        let secret = try self.askForSecret(of: peripheral, in: testbed)
        testbed.run { self.calls.contains { $0.hasPrefix("value") } }
        return self.errors.isEmpty ? secret.value : nil
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
        peripheral.delegate = self
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

    /// Scans for everything, each advertisement of it.
    func hearEverything() {
        let options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        self.manager.scanForPeripherals(withServices: nil, options: options)
    }

    /// The name and the services of the last advertisement that was heard within two seconds.
    func heard(in testbed: Testbed) -> String {
        self.advertisements = []
        testbed.run(.seconds(2))
        guard let last = self.advertisements.last else { return "nothing" }
        let services = last[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let name = last[CBAdvertisementDataLocalNameKey] as? String ?? "-"
        return "\(name) \(services.map { String($0.uuidString.prefix(4)) }.sorted())"
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

    /// Subscribes to a characteristic.
    func subscribe(to characteristic: CBCharacteristic, in testbed: Testbed) throws {
        self.setNotifyValue(true, for: characteristic)
        try #require(testbed.run { characteristic.isNotifying })
    }

    /// Discovers the ball's answer, and subscribes to it.
    @discardableResult
    func subscribeToAnswer(in testbed: Testbed) throws -> CBCharacteristic {
        let answer = try self.discover([IDs.service], in: testbed).characteristic(IDs.answer)
        try self.subscribe(to: answer, in: testbed)
        return answer
    }
}

extension CBService {
    /// The discovered characteristic with a UUID.
    func characteristic(_ uuid: CBUUID) throws -> CBCharacteristic {
        try #require(self.characteristics?.first { $0.uuid == uuid })
    }
}

/// Calls `body` with storage whose folder does not exist yet, and removes the folder after that.
func withFolderStorage(_ body: (FolderStorage) throws -> Void) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try body(FolderStorage(folder: folder("state")))
}
