// What becomes of a peripheral manager's services and PSMs when they are withdrawn: while its app may not publish, when
// one of them is refused that was there before, and when the controller is reset.

import BluetoothHost
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9 12 What a peripheral manager has to withdraw")
struct WithdrawnServicesTests {
    @Test("9.2 9.7 a service still includes another one when both are published again")
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

    @Test("9.7 10.5 an update of a service that is withdrawn is not sent, and does not count as on its way")
    func updates() throws {
        let setup = ManagedBall()
        setup.ball.open()
        setup.testbed.run(.milliseconds(1))
        let peripheral = try setup.central.connect(in: setup.testbed)
        let answer = try peripheral.discover([IDs.service], in: setup.testbed).characteristic(IDs.answer)
        peripheral.setNotifyValue(true, for: answer)
        try #require(setup.testbed.run { answer.isNotifying })
        let subscriber = try #require(setup.ball.centrals.first)
        // The app does not know yet that its services are withdrawn.
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

    @Test("9.5 a published service that may not be published as it is now is there no more")
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
        let count = setup.adapter.readEngine(in: setup.testbed) { core -> Int in
            core.peripheralSessions.first?.services.count ?? -1
        }
        #expect(count == 0)
        let peripheral = try setup.central.connect(in: setup.testbed)
        peripheral.discoverServices(nil)
        try #require(setup.testbed.run { peripheral.services != nil })
        #expect(peripheral.services == [])
    }

    @Test("9.6 a service of the system that may not be published takes no other one away")
    func refusedOther() throws {
        let setup = ManagedBall()
        setup.ball.open()
        setup.testbed.run(.milliseconds(1))
        setup.ball.manager.add(CBMutableService(type: CBUUID(string: "1801"), primary: true))
        setup.testbed.run(.milliseconds(1))
        let count = setup.adapter.readEngine(in: setup.testbed) { core -> Int in
            core.peripheralSessions.first?.services.count ?? -1
        }
        #expect(count == 1 && setup.ball.count("added 8E38") == 1)
    }

    @Test("12.1 a PSM does not outlast the reset of the controller")
    func resetChannels() {
        let testbed = Testbed()
        let source = BreakableSource(air: testbed.air)
        let ball = PeripheralApp(on: source.adapter("Crystal", testbed))
        testbed.run { ball.manager.state == .poweredOn }
        ball.manager.publishL2CAPChannel(withEncryption: false)
        testbed.run { ball.psms.count == 1 }
        ball.calls = []
        source.breakChannel()
        testbed.run { ball.calls == ["state 1", "state 5"] }
        ball.manager.unpublishL2CAPChannel(ball.psms[0])
        testbed.run(.milliseconds(10))
        #expect(ball.calls.last == "unpublished 192 CBErrorDomain 1")
        // The next one is withdrawn as any other.
        ball.manager.publishL2CAPChannel(withEncryption: false)
        testbed.run { ball.psms.count == 2 }
        ball.manager.unpublishL2CAPChannel(ball.psms[1])
        testbed.run(.milliseconds(10))
        #expect(ball.calls.last == "unpublished \(ball.psms[1])")
    }

    @Test("1.7 10.4 switching off ends the subscriptions and leaves the services where they were")
    func switchedOff() throws {
        let setup = ManagedBall()
        setup.ball.open()
        setup.testbed.run(.milliseconds(1))
        let handle = try #require(setup.ball.answer.publishedHandle)
        for isOn in [false, true] {
            setup.adapter.setPowered(isOn)
            setup.testbed.run()
            #expect(setup.ball.answer.publishedHandle == handle)
            let state = setup.adapter.readEngine(in: setup.testbed) { core -> [Bool] in
                guard let session = core.peripheralSessions.first else { return [] }
                return [session.owns(handle), session.canBegin, session.subscriptions.isEmpty]
            }
            #expect(state == [true, isOn, true])
        }
    }
}
