// A peripheral manager's session: who is subscribed to what, which centrals the app was told of, and where its services
// are while the app may publish and while it may not.

import BluetoothHost
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9 10 What a peripheral manager's session has")
struct PublishedServicesTests {
    /// What the first session of an adapter has: subscriptions as numbers of their links with their handles, centrals
    /// as numbers of their links.
    private struct Contents: Hashable, Sendable {
        var subscriptions: [String] = []
        var centrals: [UInt32] = []
        var services = 0
    }

    private func contents(_ adapter: BluetoothAdapter, _ testbed: Testbed) -> Contents? {
        adapter.readEngine(in: testbed) { core -> Contents in
            guard let session = core.peripheralSessions.first else { return Contents() }
            return Contents(
                subscriptions: session.subscriptions.map { "\($0.link.rawValue) \($0.characteristic)" },
                centrals: session.centrals.map { $0.link.rawValue },
                services: session.services.count
            )
        }
    }

    private func owns(_ handle: AttributeHandle, _ adapter: BluetoothAdapter, _ testbed: Testbed) -> Bool? {
        adapter.readEngine(in: testbed) { core -> Bool in core.peripheralSessions.first?.owns(handle) ?? false }
    }

    @Test("10.4 a subscription is kept once, until its central ends it, leaves, or Bluetooth is switched off")
    func subscriptions() throws {
        let talk = Conversation()
        func now() -> Contents? { self.contents(talk.ballAdapter, talk.testbed) }
        let (peripheral, _, answer) = try talk.discover()
        #expect(now()?.subscriptions == [])
        for _ in 1...2 {
            peripheral.setNotifyValue(true, for: answer)
            try #require(talk.testbed.run { answer.isNotifying })
            #expect(now()?.subscriptions.count == 1 && now()?.centrals.count == 1)
            peripheral.setNotifyValue(false, for: answer)
            try #require(talk.testbed.run { !answer.isNotifying })
            #expect(now()?.subscriptions == [] && now()?.centrals.count == 1)
        }
        // What is told twice is there once.
        let handle = try #require(talk.ball.answer.publishedHandle)
        for (isSubscribed, count) in [(true, 1), (true, 1), (false, 0), (false, 0), (true, 1)] {
            let found = talk.ballAdapter.readEngine(in: talk.testbed) { core -> Int in
                guard let session = core.peripheralSessions.first, let link = core.host.links.first else { return -1 }
                session.subscribed(isSubscribed, link.id, handle)
                return session.subscriptions.count
            }
            #expect(found == count)
        }
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.testbed.run()
        #expect(now() == Contents(services: 1))
    }

    @Test("10.4 each central and each characteristic is subscribed by itself, in the order of the subscriptions")
    func several() throws {
        let talk = Conversation { ball in
            let bell = CBMutableCharacteristic(type: IDs.other, properties: [.notify], value: nil, permissions: [])
            ball.ball.characteristics = [ball.question, ball.answer, bell]
            ball.open()
        }
        func now() -> Contents? { self.contents(talk.ballAdapter, talk.testbed) }
        let second = CentralApp(on: talk.testbed.adapter("Second"))
        talk.testbed.run { second.manager.state == .poweredOn }
        let (peripheral, _, answer) = try talk.discover()
        let service = try #require(answer.service)
        let bell = try service.characteristic(IDs.other)
        let other = try second.connect(in: talk.testbed)
        let otherAnswer = try other.discover([IDs.service], in: talk.testbed).characteristic(IDs.answer)
        func subscribe(_ characteristic: CBCharacteristic, _ isSubscribed: Bool = true) throws {
            characteristic.service?.peripheral?.setNotifyValue(isSubscribed, for: characteristic)
            try #require(talk.testbed.run { characteristic.isNotifying == isSubscribed })
        }
        try subscribe(bell)
        try subscribe(otherAnswer)
        try subscribe(answer)
        let handles = (try #require(answer.record?.valueHandle), try #require(bell.record?.valueHandle))
        let centrals = try #require(now()?.centrals)
        try #require(centrals.count == 2 && centrals[0] != centrals[1])
        let all = ["\(centrals[0]) \(handles.1)", "\(centrals[1]) \(handles.0)", "\(centrals[0]) \(handles.0)"]
        #expect(now()?.subscriptions == all)
        try subscribe(bell, false)
        #expect(now()?.subscriptions == Array(all.dropFirst()))
        try subscribe(bell)
        #expect(now()?.subscriptions == Array(all.dropFirst()) + [all[0]])
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.testbed.run()
        #expect(now() == Contents(subscriptions: [all[1]], centrals: [centrals[1]], services: 1))
        talk.ballAdapter.setPowered(false)
        talk.testbed.run()
        #expect(now() == Contents(services: 1))
    }

    @Test("9.2 handles are an app's while its service is published, the same service once however often it is added")
    func owner() throws {
        let talk = Conversation()
        let handle = try #require(talk.ball.answer.publishedHandle)
        #expect(self.owns(handle, talk.ballAdapter, talk.testbed) == true)
        #expect(self.owns(handle + 100, talk.ballAdapter, talk.testbed) == false)
        talk.ball.manager.add(talk.ball.ball)
        talk.testbed.run()
        #expect(self.contents(talk.ballAdapter, talk.testbed)?.services == 1)
        talk.ball.manager.removeAllServices()
        talk.testbed.run()
        #expect(self.contents(talk.ballAdapter, talk.testbed) == Contents())
        #expect(self.owns(handle, talk.ballAdapter, talk.testbed) == false)
        talk.ball.manager.add(talk.ball.ball)
        talk.testbed.run()
        let again = try #require(talk.ball.answer.publishedHandle)
        #expect(self.owns(again, talk.ballAdapter, talk.testbed) == true)
        talk.ball.manager.remove(talk.ball.ball)
        talk.testbed.run()
        #expect(self.owns(again, talk.ballAdapter, talk.testbed) == false)
    }

    /// An app with a policy, and the adapter that its peripheral manager is on.
    private struct Limited {
        let testbed = Testbed()
        let policy: PolicyStub
        let adapter: BluetoothAdapter
        let ball: PeripheralApp
        let other = CBMutableService(type: IDs.other, primary: true)

        init(_ permission: ManagerPermission) {
            let policy = PolicyStub("ball", permission: permission)
            let adapter = self.testbed.adapter("Crystal")
            let ball = policy.make(in: self.testbed) { PeripheralApp(on: adapter) }
            self.policy = policy
            self.adapter = adapter
            self.ball = ball
            self.testbed.run { ball.manager.state == .poweredOn }
        }
    }

    @Test("9.7 what is added while the app may not publish is published when it may, unless it was removed before")
    func addedLater() throws {
        let setup = Limited(.nothing)
        func services() -> Int? { self.contents(setup.adapter, setup.testbed)?.services }
        setup.ball.manager.add(setup.ball.ball)
        setup.ball.manager.add(setup.other)
        setup.testbed.run()
        #expect(setup.ball.calls == ["state 5"] && services() == 0)
        setup.ball.manager.remove(setup.other)
        setup.testbed.run()
        setup.policy.change(to: .everything, in: setup.testbed)
        #expect(setup.ball.calls == ["state 5", "added 8E38"] && services() == 1)
        let handle = try #require(setup.ball.answer.publishedHandle)
        #expect(self.owns(handle, setup.adapter, setup.testbed) == true)
        // What waited is published once.
        setup.policy.change(to: .nothing, in: setup.testbed)
        #expect(self.owns(handle, setup.adapter, setup.testbed) == false && services() == 1)
        setup.policy.change(to: .background, in: setup.testbed)
        #expect(setup.ball.calls == ["state 5", "added 8E38"] && services() == 1)
        let again = try #require(setup.ball.answer.publishedHandle)
        #expect(self.owns(again, setup.adapter, setup.testbed) == true)
    }

    @Test("9.7 what is removed while the app may not publish is not published again; what is added then waits")
    func removedMeanwhile() throws {
        let setup = Limited(.everything)
        func services() -> Int? { self.contents(setup.adapter, setup.testbed)?.services }
        setup.ball.manager.add(setup.ball.ball)
        setup.testbed.run()
        #expect(services() == 1)
        setup.policy.change(to: .nothing, in: setup.testbed)
        setup.ball.manager.add(setup.other)
        setup.ball.manager.removeAllServices()
        setup.testbed.run()
        #expect(services() == 0)
        setup.ball.manager.add(setup.other)
        setup.testbed.run()
        #expect(services() == 0, "the app still may not publish")
        setup.policy.change(to: .everything, in: setup.testbed)
        #expect(services() == 1)
        // A service that is removed by itself is gone as well.
        setup.policy.change(to: .nothing, in: setup.testbed)
        setup.ball.manager.remove(setup.other)
        setup.testbed.run()
        setup.policy.change(to: .everything, in: setup.testbed)
        #expect(services() == 0)
        setup.ball.manager.add(setup.other)
        setup.testbed.run()
        #expect(services() == 1)
        // One that was removed while it waited is not reported in the place of the next one.
        setup.policy.change(to: .nothing, in: setup.testbed)
        setup.ball.manager.add(setup.ball.ball)
        setup.ball.manager.remove(setup.ball.ball)
        setup.testbed.run()
        #expect(setup.ball.count("added FFF3") == 0)
        setup.policy.change(to: .everything, in: setup.testbed)
        let third = CBMutableService(type: CBUUID(string: "FFF3"), primary: true)
        setup.ball.manager.add(third)
        setup.testbed.run()
        #expect(setup.ball.count("added FFF3") == 1)
    }

    @Test("9.7 subscribers end with the services, once, and subscribe again themselves")
    func subscribersMeanwhile() throws {
        let setup = Limited(.everything)
        let central = CentralApp(on: setup.testbed.adapter("Curious"))
        setup.testbed.run { central.manager.state == .poweredOn }
        setup.ball.open()
        setup.testbed.run(.milliseconds(1))
        let peripheral = try central.connect(in: setup.testbed)
        let answer = try peripheral.discover([IDs.service], in: setup.testbed).characteristic(IDs.answer)
        peripheral.setNotifyValue(true, for: answer)
        try #require(setup.testbed.run { answer.isNotifying })
        for _ in 1...2 {
            setup.policy.change(to: .nothing, in: setup.testbed)
            #expect(setup.ball.count("unsubscribed 0") == 1)
            let now = self.contents(setup.adapter, setup.testbed)
            #expect(now?.subscriptions == [] && now?.centrals.count == 1 && now?.services == 1)
        }
        setup.policy.change(to: .everything, in: setup.testbed)
        #expect(self.contents(setup.adapter, setup.testbed)?.subscriptions == [])
        #expect(setup.ball.answer.subscribedCentrals?.isEmpty == true)
    }
}
