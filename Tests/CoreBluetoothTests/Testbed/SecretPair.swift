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
        self.client = self.testbed.central(on: self.central.adapter)
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
    func find() throws -> CBPeripheral { try self.client.meet(in: self.testbed, services: [IDs.service]) }

    /// Reads the secret of a peripheral, or of one that is found; returns the error.
    func read(_ peripheral: CBPeripheral? = nil) throws -> (any Error)? {
        let value = try self.client.readSecret(of: try peripheral ?? self.find(), in: self.testbed)
        if self.client.errors.isEmpty { #expect(value == Data([42])) }
        return self.client.errors.first
    }

    /// The number of bonds at each side.
    var bondCounts: [Int] { [self.central.storage.bonds().count, self.peripheral.storage.bonds().count] }
}
