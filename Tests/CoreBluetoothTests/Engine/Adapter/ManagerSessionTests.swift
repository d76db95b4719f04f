import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Sessions that outlive their manager")
struct ManagerSessionTests {
    private struct Setup {
        let testbed = Testbed()
        let adapter: BluetoothAdapter
        let policy = PolicyStub("app")

        init() { self.adapter = self.testbed.adapter("Crystal") }

        /// A peripheral manager of an app, with a restore identifier or without.
        func ball(_ identifier: String?, of policy: PolicyStub? = nil) -> PeripheralApp {
            let options = identifier.map { [CBPeripheralManagerOptionRestoreIdentifierKey: $0] as [String: Any] }
            let (policy, adapter) = (policy ?? self.policy, self.adapter)
            let ball = policy.make(in: self.testbed) { PeripheralApp(on: adapter, options: options ?? [:]) }
            self.testbed.run { ball.manager.state == .poweredOn }
            return ball
        }

        /// Whether each peripheral session has lost its manager.
        var orphans: [Bool] {
            self.adapter.readEngine(in: self.testbed) { core -> [Bool] in
                core.peripheralSessions.map { $0.preservedState != nil }
            } ?? []
        }
    }

    private func restoredServices(_ ball: PeripheralApp) -> [CBUUID] {
        let services = ball.restored.first?[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
        return (services ?? []).map(\.uuid)
    }

    @Test("gives a session to the next manager with the identifier, in the same app only")
    func whose() {
        let setup = Setup()
        let first = setup.ball("one")
        let second = setup.ball("two")
        let unnamed = setup.ball(nil)
        first.manager.add(first.ball)
        second.manager.add(CBMutableService(type: IDs.other, primary: true))
        setup.testbed.run()
        #expect(setup.orphans == [false, false, false])
        setup.policy.restart(in: setup.testbed)
        #expect(setup.orphans == [true, true], "without an identifier nothing goes on")
        let other = PolicyStub("other")
        let foreign = setup.ball("two", of: other)
        #expect(foreign.calls == ["state 5"] && foreign.restored.isEmpty)
        #expect(setup.orphans == [true, true, false])
        let again = setup.ball("two")
        #expect(again.calls == ["restore 0", "state 5"] && self.restoredServices(again) == [IDs.other])
        #expect(setup.orphans == [true, false, false])
        let fresh = setup.ball(nil)
        #expect(fresh.calls == ["state 5"] && setup.orphans == [true, false, false, false])
        let third = setup.ball("three")
        #expect(third.calls == ["state 5"] && setup.orphans == [true, false, false, false, false])
        let last = setup.ball("one")
        #expect(last.calls == ["restore 0", "state 5"] && self.restoredServices(last) == [IDs.service])
        #expect(setup.orphans == [false, false, false, false, false])
        // What the app's managers did ends with it for good; the other app's goes on.
        setup.policy.restart(isForGood: true, in: setup.testbed)
        #expect(setup.orphans == [false])
        withExtendedLifetime((first, second, unnamed, foreign, again, fresh, third, last)) {}
    }

    @Test("requests a launch for events without a manager, and keeps them for the next one")
    func meanwhile() throws {
        let setup = Setup()
        let ball = setup.ball("one")
        ball.open()
        setup.testbed.run(.milliseconds(1))
        let central = CentralApp(on: setup.testbed.adapter("Curious"))
        setup.testbed.run { central.manager.state == .poweredOn }
        setup.policy.restart(in: setup.testbed)
        let calls = ball.calls
        #expect(setup.policy.launchRequestCount == 0)
        let peripheral = try central.connect(in: setup.testbed)
        let answer = try peripheral.discover([IDs.service], in: setup.testbed).characteristic(IDs.answer)
        peripheral.setNotifyValue(true, for: answer)
        try #require(setup.testbed.run { answer.isNotifying })
        #expect(setup.policy.launchRequestCount > 0 && ball.calls == calls)
        let again = setup.ball("one")
        #expect(again.calls == ["restore 0", "state 5", "subscribed 1"])
        #expect(again.manager.isAdvertising)
        // Switching Bluetooth off ends a session without a manager.
        setup.policy.restart(in: setup.testbed)
        #expect(setup.orphans == [true])
        setup.adapter.setPowered(false)
        setup.testbed.run()
        #expect(setup.orphans == [])
        setup.adapter.setPowered(true)
        setup.testbed.run()
        let last = setup.ball("one")
        #expect(last.calls == ["state 5"] && last.restored.isEmpty)
        withExtendedLifetime((ball, again)) {}
    }

    @Test("drops events that waited for an app when the system ended it")
    func waitingEvents() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let policy = PolicyStub("app")
        let first = policy.launchCentral(on: adapter, in: testbed)
        testbed.run(.milliseconds(1))
        func waiting() -> Int? {
            adapter.readEngine(in: testbed) { core -> Int in
                core.centralSessions.first?.mailboxes.outbox.count ?? -1
            }
        }
        policy.presentDelivery = .deferred
        let isReported = adapter.readEngine(in: testbed) { core -> Bool in
            guard let session = core.centralSessions.first else { return false }
            let address = DeviceAddress(1, kind: .public)
            let peer = PeerDescription(identifier: UUID(random: 1, 2), address: address)
            session.report(.connectionEvent(peer, .peerConnected))
            core.flush()
            return true
        }
        #expect(isReported == true && waiting() == 1)
        policy.restart(in: testbed)
        #expect(waiting() == 0)
        policy.presentDelivery = .now
        let second = policy.launchCentral(on: adapter, in: testbed)
        testbed.run(.milliseconds(1))
        #expect(second.calls == ["restore 0", "state 5"] && first.calls == ["state 5"])
    }
}
