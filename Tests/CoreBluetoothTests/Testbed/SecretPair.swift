// A central that wants the secret of a peripheral: the beginning of the tests of pairing.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// A peripheral with a secret, and a central that reads it.
final class SecretPair {
    let testbed: Testbed
    let central: RestartableDevice
    let peripheral: RestartableDevice
    private(set) var client: CentralApp!
    private(set) var server: PeripheralApp!
    private let permissions: CBAttributePermissions

    typealias Configure = (inout BluetoothAdapter.Configuration) -> Void

    /// - Parameter resolvingLists: The number of peers whose addresses each controller can resolve.
    init(
        in testbed: Testbed = Testbed(),
        permissions: CBAttributePermissions = .readEncryptionRequired,
        resolvingLists: (central: Int, peripheral: Int) = (64, 64),
        central: Configure = { _ in },
        peripheral: Configure = { _ in }
    ) {
        self.testbed = testbed
        self.permissions = permissions
        self.central = RestartableDevice(
            "Curious",
            in: testbed,
            resolvingListSize: resolvingLists.central,
            configure: central
        )
        self.peripheral = RestartableDevice(
            "Crystal",
            in: testbed,
            resolvingListSize: resolvingLists.peripheral,
            configure: peripheral
        )
        self.startServer()
        self.startClient()
    }

    func startServer() {
        let secret = CBMutableCharacteristic.secret()
        secret.permissions = self.permissions
        self.server = PeripheralApp(on: self.peripheral.adapter)
        self.server.open(secret, in: self.testbed)
    }

    func startClient() {
        self.client = CentralApp(on: self.central.adapter)
        self.testbed.run { self.client.manager.state == .poweredOn }
    }

    /// Kills the processes of one side or of both, and starts the next ones.
    func restart(central: Bool = true, peripheral: Bool = true) {
        if peripheral {
            self.peripheral.restart()
            self.startServer()
        }
        if central {
            self.central.restart()
            self.startClient()
        }
    }

    /// Finds the peripheral anew.
    func find() throws -> CBPeripheral {
        self.client.found = []
        let peripheral = try self.client.find(in: self.testbed, services: [IDs.service])
        self.client.manager.stopScan()
        return peripheral
    }

    /// Connects if there is no connection, discovers the secret, and asks for it.
    func ask(_ peripheral: CBPeripheral) throws -> CBCharacteristic {
        peripheral.delegate = self.client
        if peripheral.state != .connected { self.client.connect(peripheral, in: self.testbed) }
        let secret = try peripheral.discover([IDs.service], in: self.testbed).characteristic(IDs.secret)
        self.client.calls = []
        self.client.errors = []
        peripheral.readValue(for: secret)
        return secret
    }

    /// Reads the secret of a peripheral, or of one that is found; returns the error.
    func read(_ peripheral: CBPeripheral? = nil, within limit: TimeAmount = .seconds(60)) throws -> (any Error)? {
        let secret = try self.ask(try peripheral ?? self.find())
        self.testbed.run(until: { self.client.calls.contains { $0.hasPrefix("value") } }, within: limit)
        if self.client.errors.isEmpty { #expect(secret.value == Data([42])) }
        return self.client.errors.first
    }
}
