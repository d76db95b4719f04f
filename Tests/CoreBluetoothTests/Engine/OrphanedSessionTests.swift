// What managers with a restore identifier did goes on when the system has ended their app: which session goes on, which
// new manager takes which of them over, and what each of them can do then.

import BluetoothHost
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Sessions that outlive their manager")
struct OrphanedSessionTests {
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

        /// A central manager of the app, with a restore identifier.
        func central(_ identifier: String) -> CentralApp {
            let options: [String: Any] = [CBCentralManagerOptionRestoreIdentifierKey: identifier]
            let adapter = self.adapter
            let central = self.policy.make(in: self.testbed) { CentralApp(on: adapter, options: options) }
            self.testbed.run { central.manager.state == .poweredOn }
            return central
        }

        /// The sessions of peripheral managers; true for those whose manager is gone.
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

    @Test("a new manager takes over the session of its own app with its own identifier, and no other one")
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

    @Test("central managers are taken over by their identifiers, too, and go on with their own scans")
    func centrals() {
        let setup = Setup()
        let (first, second) = (setup.central("one"), setup.central("two"))
        first.manager.scanForPeripherals(withServices: [IDs.service])
        second.manager.scanForPeripherals(withServices: [IDs.other])
        setup.testbed.run(.milliseconds(10))
        setup.policy.restart(in: setup.testbed)
        for (identifier, service) in [("two", IDs.other), ("one", IDs.service)] {
            let again = setup.central(identifier)
            #expect(again.calls == ["restore 0", "state 5"] && again.manager.isScanning)
            let services = again.restored.first?[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
            #expect(services == [service])
            let count = setup.adapter.readEngine(in: setup.testbed) { core -> Int in core.centralSessions.count }
            #expect(count == (identifier == "two" ? 2 : 1))
            // The manager's end is that of the session.
            again.end()
            setup.testbed.run(.milliseconds(1))
            let left = setup.adapter.readEngine(in: setup.testbed) { core -> [String] in
                core.centralSessions.compactMap { $0.recordStore?.identifier }
            }
            #expect(left == (identifier == "two" ? ["one"] : []))
        }
        withExtendedLifetime((first, second)) {}
    }

    @Test("what happens while no manager is there asks for the launch of the app, and waits for the next manager")
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
        // Once Bluetooth is switched off, nothing is left to take over.
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

    @Test("a stop that the manager before did not see is none for its successor, which can begin at once")
    func unseenStop() {
        let setup = Setup()
        let ball = setup.ball("one")
        ball.manager.add(ball.ball)
        setup.testbed.run(.milliseconds(10))
        func stops() -> [Int] {
            setup.adapter.readEngine(in: setup.testbed) { core -> [Int] in
                core.peripheralSessions.map { $0.unseenStops }
            } ?? []
        }
        #expect(stops() == [0])
        setup.adapter.holdCallbacks(for: .seconds(3))
        for isOn in [false, true, false, true] {
            setup.adapter.setPowered(isOn)
            setup.testbed.run(.milliseconds(200))
        }
        #expect(stops() == [2])
        setup.policy.restart(in: setup.testbed)
        setup.testbed.run(.seconds(4))
        #expect(ball.calls == ["state 5", "added 8E38"], "its process has ended")
        #expect(stops() == [2] && setup.orphans == [true])
        let again = setup.ball("one")
        #expect(again.calls == ["restore 0", "state 5"] && stops() == [0])
        again.manager.add(CBMutableService(type: IDs.other, primary: true))
        setup.testbed.run(.milliseconds(10))
        #expect(again.count("added FFF0") == 1)
        withExtendedLifetime(ball) {}
    }

    @Test("a manager can begin when it knows of every stop, and of none that there was not")
    func canBegin() {
        let setup = Setup()
        let ball = setup.ball(nil)
        let outcomes = setup.adapter.readEngine(in: setup.testbed) { core -> [Bool] in
            guard let session = core.peripheralSessions.first else { return [] }
            var outcomes = [session.canBegin]
            session.stopSeen()
            outcomes.append(session.canBegin)
            session.unseenStops = 2
            for _ in 1...3 {
                outcomes.append(session.canBegin)
                session.stopSeen()
            }
            return outcomes + [session.canBegin]
        }
        #expect(outcomes == [true, true, false, false, true, true])
        withExtendedLifetime(ball) {}
    }

    @Test("what a manager begins before it knows of a stop is not begun, and not reported")
    func begunBefore() {
        let setup = Setup()
        let ball = setup.ball(nil)
        func setStops(_ count: Int) {
            _ = setup.adapter.readEngine(in: setup.testbed) { core -> Bool in
                core.peripheralSessions.first?.unseenStops = count
                return true
            }
        }
        for (stops, calls) in [(1, ["state 5"]), (0, ["state 5", "added 8E38", "published 192"])] {
            setStops(stops)
            ball.manager.add(ball.ball)
            ball.manager.publishL2CAPChannel(withEncryption: false)
            setup.testbed.run(.milliseconds(10))
            #expect(ball.calls == calls)
        }
    }
}
