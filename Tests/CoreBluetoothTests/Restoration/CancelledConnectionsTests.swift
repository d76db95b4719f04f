// What a new manager is told of connections that its predecessor had cancelled when the process of the app ended:
// nothing, also where their links end later, and none of it is taken for that of a new connection.

import BluetoothAir
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Connections that were cancelled when the process ended")
struct CancelledConnectionsTests {
    /// A ball, and the central manager of an app with a policy and with a restore identifier.
    private struct Setup {
        let testbed = Testbed()
        let policy = PolicyStub("app")
        let ball: PeripheralApp
        let adapter: BluetoothAdapter

        init() {
            let ball = PeripheralApp(on: self.testbed.adapter("Crystal"))
            self.ball = ball
            self.adapter = self.testbed.adapter("Curious")
            self.testbed.run { ball.manager.state == .poweredOn }
            ball.open()
            self.testbed.run(.milliseconds(1))
        }

        func central() -> CentralApp { self.policy.launchCentral(on: self.adapter, in: self.testbed) }
    }

    @Test(
        "13.1 the end of a cancelled connection is not reported, and the device can be connected to again",
        arguments: [true, false]
    )
    func again(hasEndedBefore: Bool) throws {
        let setup = Setup()
        let first = setup.central()
        let peripheral = try first.connect(in: setup.testbed)
        // Where nothing is received, the link outlasts the launch of the app.
        if !hasEndedBefore { setup.testbed.air.setLoss(1) }
        first.manager.cancelPeripheralConnection(peripheral)
        setup.policy.restart(in: setup.testbed)
        if hasEndedBefore { setup.testbed.run() }
        #expect(setup.policy.launchRequestCount == 0)
        let second = setup.central()
        #expect(second.calls == ["restore 0", "state 5"] && second.found.isEmpty)
        let found = second.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier])
        let same = try #require(found.first)
        #expect(same !== peripheral && same.state == .disconnected)
        second.manager.connect(same)
        setup.testbed.run(.milliseconds(1))
        setup.testbed.air.setLoss(0)
        try #require(setup.testbed.run { same.state == .connected })
        let service = try same.discover([IDs.service], in: setup.testbed)
        #expect(service.characteristics?.count == 2)
        setup.testbed.run()
        #expect(second.calls == ["restore 0", "state 5", "connect 2"])
        withExtendedLifetime((first, peripheral)) {}
    }

    @Test("13.1 the answer to a question about a cancelled connection is nobody's")
    func signalStrength() throws {
        let setup = Setup()
        let first = setup.central()
        let peripheral = try first.connect(in: setup.testbed)
        peripheral.readRSSI()
        first.manager.cancelPeripheralConnection(peripheral)
        setup.policy.restart(in: setup.testbed)
        setup.testbed.run()
        let second = setup.central()
        #expect(second.calls == ["restore 0", "state 5"] && second.rssi.isEmpty)
        withExtendedLifetime((first, peripheral)) {}
    }

    @Test("13.1 a connection that is restored keeps its object beside one that was cancelled")
    func besideAnother() throws {
        let setup = Setup()
        let other = PeripheralApp(on: setup.testbed.adapter("Onyx"))
        setup.testbed.run { other.manager.state == .poweredOn }
        other.open(name: "Onyx")
        let first = setup.central()
        first.manager.scanForPeripherals(withServices: [IDs.service])
        try #require(setup.testbed.run { first.found.count == 2 })
        first.manager.stopScan()
        for peripheral in first.found { first.connect(peripheral, in: setup.testbed) }
        setup.testbed.run()
        let (cancelled, kept) = (first.found[0], first.found[1])
        first.manager.cancelPeripheralConnection(cancelled)
        setup.policy.restart(in: setup.testbed)
        let second = setup.central()
        try #require(second.found.map(\.identifier) == [kept.identifier])
        let found = second.manager.retrievePeripherals(withIdentifiers: [cancelled.identifier])
        let again = try #require(found.first)
        #expect(again.token.index == 2 && second.found[0].token == kept.token)
        second.connect(again, in: setup.testbed)
        setup.testbed.run()
        #expect(again.state == .connected && second.found[0].state == .connected)
        // The name of the one that is kept may be read meanwhile.
        #expect(second.calls.filter { !$0.hasPrefix("name") } == ["restore 0", "state 5", "connect 2"])
        withExtendedLifetime((first, other)) {}
    }
}
