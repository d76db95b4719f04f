// What is stored of an app that the user no longer lets use Bluetooth: nothing of what ended with that.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 1.4 What is stored of an app that may no longer use Bluetooth")
struct DeniedRecordsTests {
    private let testbed = Testbed()
    private let storage = MemoryStorage()

    /// The adapter of a process of the device.
    private func adapter() -> BluetoothAdapter { self.testbed.adapter("Curious", storage: self.storage) }

    private func deny(_ policy: PolicyStub) {
        policy.decide(.denied)
        self.testbed.run()
    }

    private func recordCount(_ prefix: String) -> Int { self.storage.names.count { $0.hasPrefix(prefix) } }

    @Test("13.1 1.4 a scan that ended when the user forbade it is not restored by the next process")
    func scan() {
        let adapter = self.adapter()
        let policy = PolicyStub("app")
        let central = policy.launchCentral(on: adapter, in: self.testbed)
        central.manager.scanForPeripherals(withServices: [IDs.service])
        self.testbed.run()
        #expect(self.recordCount("central-") == 1)
        self.deny(policy)
        #expect(central.calls == ["state 5", "state 3"] && !central.manager.isScanning)
        #expect(self.recordCount("central-") == 0)
        adapter.kill()
        self.testbed.run()
        let next = PolicyStub("app").launchCentral(on: self.adapter(), in: self.testbed)
        #expect(next.calls == ["state 5"] && !next.manager.isScanning)
        withExtendedLifetime(central) {}
    }

    @Test("13.1 1.4 services and an advertisement that ended when the user forbade them are not stored any more")
    func services() {
        let adapter = self.adapter()
        let policy = PolicyStub("app")
        let ball = policy.make(in: self.testbed) {
            PeripheralApp(on: adapter, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "ball"])
        }
        self.testbed.run { ball.manager.state == .poweredOn }
        ball.open()
        self.testbed.run()
        #expect(self.recordCount("peripheral-") == 1)
        self.deny(policy)
        #expect(ball.calls.last == "state 3" && !ball.manager.isAdvertising)
        #expect(self.recordCount("peripheral-") == 0)
        withExtendedLifetime(ball) {}
    }
}
