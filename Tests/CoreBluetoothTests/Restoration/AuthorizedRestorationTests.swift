// Restoration of an app that may not use Bluetooth when it is launched: what is stored waits until the user lets it.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 1.4 Restoration and authorization")
struct AuthorizedRestorationTests {
    private let testbed = Testbed()
    private let storage = MemoryStorage()

    /// Starts a process of an app on the device.
    private func start(_ policy: PolicyStub) -> (adapter: BluetoothAdapter, central: CentralApp) {
        let adapter = self.testbed.adapter("Curious", storage: self.storage)
        let central = policy.make(in: self.testbed) {
            CentralApp(on: adapter, options: [CBCentralManagerOptionRestoreIdentifierKey: "asker"])
        }
        self.testbed.run()
        return (adapter, central)
    }

    /// The names of the records that are stored.
    private var records: [String] { self.storage.names.filter { $0.hasPrefix("central-") } }

    @Test("13.1 1.4 what is stored is restored once the user lets the app use Bluetooth, and not before")
    func laterAllowed() {
        let first = self.start(PolicyStub("app"))
        first.central.manager.scanForPeripherals(withServices: [IDs.service])
        self.testbed.run()
        #expect(self.records.count == 1)
        first.adapter.kill()
        self.testbed.run()
        let policy = PolicyStub("app")
        policy.authorization = .denied
        let second = self.start(policy)
        #expect(second.central.calls == ["state 3"] && !second.central.manager.isScanning)
        #expect(self.records.count == 1)
        policy.decide(.allowedAlways)
        self.testbed.run()
        #expect(second.central.calls == ["state 3", "restore 3", "state 5"])
        #expect(second.central.manager.isScanning)
        // What was restored once is not restored again when the user decides anew.
        for authorization in [CBManagerAuthorization.denied, .allowedAlways] {
            policy.decide(authorization)
            self.testbed.run()
        }
        #expect(second.central.calls.suffix(2) == ["state 3", "state 5"])
        #expect(second.central.restored.count == 1 && !second.central.manager.isScanning)
        withExtendedLifetime(first) {}
    }

    @Test("13.1 a record of another app with the same identifier is not this app's")
    func otherApp() {
        let first = self.start(PolicyStub("app"))
        first.central.manager.scanForPeripherals(withServices: [IDs.service])
        self.testbed.run()
        first.adapter.kill()
        self.testbed.run()
        let other = self.start(PolicyStub("other"))
        #expect(other.central.calls == ["state 5"] && self.records.count == 1)
        other.adapter.kill()
        self.testbed.run()
        let again = self.start(PolicyStub("app"))
        #expect(again.central.calls == ["restore 0", "state 5"] && again.central.manager.isScanning)
        withExtendedLifetime((first, other)) {}
    }
}
