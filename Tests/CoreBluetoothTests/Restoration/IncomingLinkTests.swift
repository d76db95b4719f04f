// A restored connection that comes about with a link which the peripheral's device has opened: what the app had of the
// peripheral is looked at as on a link of its own.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Restoration on a link of the peer")
struct IncomingLinkTests {
    /// Restores a central that waits for the ball, whose device then connects to the central's.
    private func restore(changing change: (PeripheralApp) -> Void) throws -> RestorationSetup {
        var setup = RestorationSetup(.central)
        _ = try setup.subscribe()
        setup.curious.adapter.kill()
        setup.testbed.run(.seconds(10))
        setup.ball.manager.stopAdvertising()
        change(setup.ball)
        setup.testbed.run(.milliseconds(100))
        setup.restartCentral()
        let central = setup.central
        try #require(setup.testbed.run { central.manager.state == .poweredOn })
        let restored = try #require(central.found.first)
        #expect(restored.state == .connecting)
        let beacon = PeripheralApp(on: setup.curious.adapter)
        setup.testbed.run { beacon.manager.state == .poweredOn }
        beacon.advertise(name: "Curious", services: [IDs.other])
        let visitor = CentralApp(on: setup.crystal.adapter)
        setup.testbed.run { visitor.manager.state == .poweredOn }
        _ = try visitor.connect(in: setup.testbed, services: [IDs.other])
        try #require(setup.testbed.run { central.count("connect 2") == 1 })
        setup.testbed.run(.seconds(2))
        setup.ball.manager.updateValue("Yes".octets, for: setup.ball.answer, onSubscribedCentrals: nil)
        setup.testbed.run(.milliseconds(500))
        withExtendedLifetime((beacon, visitor)) {}
        return setup
    }

    @Test("13.1 a database that is the same is recognized by its hash, and the subscription is made again")
    func unchanged() throws {
        let setup = try self.restore { _ in }
        #expect(!setup.central.calls.contains { $0.hasPrefix("modified") || $0.hasPrefix("notifying") })
        #expect(setup.central.found.first?.services?.map(\.uuid) == [IDs.service])
        #expect(try setup.answer().isNotifying)
        #expect(setup.central.values == ["Yes"])
    }

    @Test("13.1 a database that is another one makes what was known invalid")
    func changed() throws {
        let setup = try self.restore { $0.manager.add(CBMutableService(type: IDs.other, primary: true)) }
        #expect(setup.central.count("modified \(IDs.service.uuidString)") == 1)
        #expect(setup.central.found.first?.services == [] && setup.central.values.isEmpty)
    }
}
