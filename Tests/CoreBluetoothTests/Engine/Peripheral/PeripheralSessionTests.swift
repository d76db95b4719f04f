import BluetoothHCI
import BluetoothHost
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9 10 12 13.1 A peripheral manager's session")
struct PeripheralSessionTests {
    @Test("9.2 9.7 keeps an included service when both are published again")
    func includedServices() throws {
        let setup = ManagedBall()
        let inner = CBMutableService(type: IDs.other, primary: true)
        inner.characteristics = [CBMutableCharacteristic.answer()]
        setup.ball.manager.add(CBMutableService(type: CBUUID(string: "FFF3"), primary: true))
        setup.ball.manager.add(inner)
        setup.ball.ball.includedServices = [inner]
        setup.ball.open()
        setup.testbed.run()
        for _ in 1...2 {
            setup.policy.change(to: .nothing, in: setup.testbed)
            setup.policy.change(to: .everything, in: setup.testbed)
        }
        #expect(setup.ball.calls.allSatisfy { !$0.contains("ErrorDomain") })
        let peripheral = try setup.central.connect(in: setup.testbed)
        peripheral.discoverServices(nil)
        try #require(setup.testbed.run { peripheral.services?.count == 3 })
        let outer = try #require(peripheral.services?.first { $0.uuid == IDs.service })
        let listed = try #require(peripheral.services?.first { $0.uuid == IDs.other })
        peripheral.discoverIncludedServices(nil, for: outer)
        try #require(setup.testbed.run { outer.includedServices != nil })
        #expect(outer.includedServices?.count == 1 && outer.includedServices?.first === listed)
    }

    @Test("9.7 10.5 does not send an update of a withdrawn service, and counts it as sent")
    func updates() throws {
        let setup = ManagedBall()
        try setup.subscribe()
        let subscriber = try #require(setup.ball.centrals.first)
        setup.adapter.holdCallbacks(for: .seconds(20))
        setup.policy.change(to: .nothing, in: setup.testbed)
        for number in 1...5 {
            let isSent = setup.ball.manager.updateValue(
                "\(number)".octets,
                for: setup.ball.answer,
                onSubscribedCentrals: nil
            )
            #expect(isSent)
        }
        setup.testbed.run(.milliseconds(100))
        #expect(setup.ball.count("unsubscribed 0") == 0)
        let window = subscriber.lock.withLock { subscriber.window }
        #expect(window.count == 0)
        #expect(setup.central.values.isEmpty)
        setup.testbed.run(.seconds(30))
        #expect(setup.ball.count("unsubscribed 0") == 1 && setup.central.values.isEmpty)
    }

    @Test("9.5 removes a published service that is refused when it is added again")
    func refusedAgain() throws {
        let setup = ManagedBall()
        setup.ball.open()
        setup.testbed.run(.milliseconds(1))
        setup.ball.ball.characteristics = [
            CBMutableCharacteristic(type: IDs.other, properties: [.broadcast], value: nil, permissions: [.readable])
        ]
        setup.ball.manager.add(setup.ball.ball)
        setup.testbed.run(.milliseconds(1))
        #expect(setup.ball.calls.last == "added 8E38 CBErrorDomain 1")
        let peripheral = try setup.central.connect(in: setup.testbed)
        peripheral.discoverServices(nil)
        try #require(setup.testbed.run { peripheral.services != nil })
        #expect(peripheral.services == [])
    }

    @Test("12.1 withdraws a PSM when the controller is reset")
    func resetChannels() {
        let testbed = Testbed()
        let source = BreakableSource(air: testbed.air)
        let ball = testbed.ball(on: source.adapter("Crystal", testbed))
        ball.manager.publishL2CAPChannel(withEncryption: false)
        testbed.run { ball.psms.count == 1 }
        ball.calls = []
        source.breakChannel()
        testbed.run { ball.calls == ["state 1", "state 5"] }
        ball.manager.unpublishL2CAPChannel(ball.psms[0])
        testbed.run(.milliseconds(10))
        #expect(ball.calls.last == "unpublished 192 CBErrorDomain 1")
        ball.manager.publishL2CAPChannel(withEncryption: false)
        testbed.run { ball.psms.count == 2 }
        ball.manager.unpublishL2CAPChannel(ball.psms[1])
        testbed.run(.milliseconds(10))
        #expect(ball.calls.last == "unpublished \(ball.psms[1])")
    }
}
