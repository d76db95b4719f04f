// What an app asks for in the turn in which the system ends it, and that leads to no packet: it is stored at once,
// since the device may end next.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 The last request of an app that ends")
struct LastRequestTests {
    @Test("13.1 a connection that is to begin later is stored with the end of the app that has just asked for it")
    func delayedConnection() throws {
        let testbed = Testbed()
        let storage = MemoryStorage()
        let adapter = testbed.adapter("Curious", storage: storage)
        let ball = PeripheralApp(on: testbed.adapter("Crystal"))
        let policy = PolicyStub("app")
        let central = policy.make(in: testbed) {
            CentralApp(on: adapter, options: [CBCentralManagerOptionRestoreIdentifierKey: "asker"])
        }
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        let peripheral = try central.find(in: testbed)
        central.manager.stopScan()
        testbed.run(.seconds(3))
        /// The identifiers of the peripherals that would be restored.
        func stored() -> [UUID] {
            guard let name = storage.names.first(where: { $0.hasPrefix("central-") }) else { return [] }
            return storage.load(CentralRecord.self, from: name)?.peripherals.map(\.identifier) ?? []
        }
        #expect(stored() == [])
        central.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: 10)])
        policy.restart(in: testbed)
        #expect(stored() == [peripheral.identifier])
        withExtendedLifetime((central, ball)) {}
    }
}
