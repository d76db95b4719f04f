// A peripheral that hides behind private addresses and distributes no identity when it pairs.

import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("Bonds without identity")
struct UnidentifiedPeerTests {
    /// Finds the peripheral anew, reads its secret, and leaves.
    private func read(_ app: CentralApp, _ testbed: Testbed, _ known: CBPeripheral? = nil) throws -> CBPeripheral {
        app.found = []
        let peripheral = try known ?? app.find(in: testbed)
        app.manager.stopScan()
        app.errors = []
        peripheral.delegate = app
        app.connect(peripheral, in: testbed)
        let secret = try peripheral.discover(nil, in: testbed).characteristic(IDs.secret)
        app.calls = []
        peripheral.readValue(for: secret)
        testbed.run { app.calls.contains { $0.hasPrefix("value") } }
        #expect(secret.value == Data([42]) && app.errors.isEmpty, "\(app.errors)")
        app.disconnect(peripheral, in: testbed)
        return peripheral
    }

    @Test(
        "a bond without identity encrypts links while the address lasts, and the next address is another device",
        arguments: [true, false]
    )
    func bond(distributesIdentity: Bool) throws {
        let testbed = Testbed()
        let storage = MemoryStorage()
        let configuration = BluetoothAdapter.Configuration(identity: "Curious")
        var adapter = BluetoothAdapter(air: testbed.air, configuration: configuration, storage: storage)
        var app = CentralApp(on: adapter)
        testbed.run { app.manager.state == .poweredOn }
        let keys: KeyDistribution = distributesIdentity ? [.encryptionKey, .identityKey] : [.encryptionKey]
        let device = try SecretHost(
            DeviceAddress(0xC0DE_0000_0001, kind: .random),
            pairing: PairingConfiguration(responderKeys: keys),
            isHidden: true,
            in: testbed
        )
        device.advertise()
        let first = try self.read(app, testbed)
        _ = try self.read(app, testbed, first)
        #expect(device.pairings == 1)
        // On disk there is only what can be used after the process.
        #expect(storage.bonds().count == (distributesIdentity ? 1 : 0))
        #expect(storage.names.contains { $0.hasPrefix("use-") } == distributesIdentity)
        testbed.run(.seconds(1000))
        let second = try self.read(app, testbed)
        #expect((second.identifier == first.identifier) == distributesIdentity)
        #expect(device.pairings == (distributesIdentity ? 1 : 2))
        // The next process does not know it either.
        adapter.kill()
        testbed.run()
        adapter = BluetoothAdapter(air: testbed.air, configuration: configuration, storage: storage)
        app = CentralApp(on: adapter)
        testbed.run { app.manager.state == .poweredOn }
        let third = try self.read(app, testbed)
        #expect(device.pairings == (distributesIdentity ? 1 : 3))
        #expect(third.identifier == first.identifier || !distributesIdentity)
    }
}
