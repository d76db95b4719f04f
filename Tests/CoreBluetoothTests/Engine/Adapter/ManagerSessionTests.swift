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
            self.testbed.ball(on: self.adapter, restoring: identifier, of: policy ?? self.policy)
        }

        /// Whether each peripheral session has lost its manager.
        var orphans: [Bool] {
            self.adapter.readEngine(in: self.testbed) { core -> [Bool] in
                core.peripheralSessions.map { $0.preservedState != nil }
            } ?? []
        }
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
        #expect(again.calls == ["restore 0", "state 5"] && again.restoredServices.map(\.uuid) == [IDs.other])
        #expect(setup.orphans == [true, false, false])
        let fresh = setup.ball(nil)
        #expect(fresh.calls == ["state 5"] && setup.orphans == [true, false, false, false])
        let third = setup.ball("three")
        #expect(third.calls == ["state 5"] && setup.orphans == [true, false, false, false, false])
        let last = setup.ball("one")
        #expect(last.calls == ["restore 0", "state 5"] && last.restoredServices.map(\.uuid) == [IDs.service])
        #expect(setup.orphans == [false, false, false, false, false])
        // The work of the app's managers ends with it for good; that of the other app goes on.
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
        let central = setup.testbed.central(on: setup.testbed.adapter("Curious"))
        setup.policy.restart(in: setup.testbed)
        let calls = ball.calls
        #expect(setup.policy.launchRequestCount == 0)
        try central.connect(in: setup.testbed).subscribeToAnswer(in: setup.testbed)
        #expect(setup.policy.launchRequestCount > 0 && ball.calls == calls)
        let again = setup.ball("one")
        #expect(again.calls == ["restore 0", "state 5", "subscribed 1"])
        #expect(again.manager.isAdvertising)
        withExtendedLifetime(ball) {}
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
                core.centralSessions.first?.outbox.count ?? -1
            }
        }
        policy.presentDelivery = .deferred
        adapter.changeEngine(in: testbed) { core in
            core.centralSessions.first?.report(.connectionEvent(.numbered(1), .peerConnected))
        }
        #expect(waiting() == 1)
        policy.restart(in: testbed)
        #expect(waiting() == 0)
        policy.presentDelivery = .now
        let second = policy.launchCentral(on: adapter, in: testbed)
        testbed.run(.milliseconds(1))
        #expect(second.calls == ["restore 0", "state 5"] && first.calls == ["state 5"])
    }
}
