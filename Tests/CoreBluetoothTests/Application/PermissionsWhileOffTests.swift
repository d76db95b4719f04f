// What an app publishes and advertises after its permission has changed while Bluetooth was off: what it may then.

import BluetoothHost
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("1.7 9.7 11.3 Permissions that change while Bluetooth is off")
struct PermissionsWhileOffTests {
    /// A ball of an app with a policy, and a central that hears every advertisement.
    private func setup() -> ManagedBall {
        let setup = ManagedBall()
        setup.central.hearEverything()
        return setup
    }

    @Test(
        "9.7 11.3 services and advertisement are those that the app may have when Bluetooth is on again",
        arguments: [
            (.everything, .nothing), (.everything, .background), (.background, .everything), (.background, .nothing),
            (.nothing, .everything), (.nothing, .background),
        ] as [(ManagerPermission, ManagerPermission)]
    )
    func changed(before: ManagerPermission, after: ManagerPermission) {
        func expected(_ permission: ManagerPermission) -> String {
            switch permission {
            case .everything: "Crystal [\"8E38\"]"
            case .background: "- []"
            case .nothing: "nothing"
            }
        }
        let setup = self.setup()
        setup.ball.open()
        setup.testbed.run(.milliseconds(10))
        setup.policy.change(to: before, in: setup.testbed)
        #expect(setup.heard() == expected(before) && setup.isPublished() == (before != .nothing))
        setup.switchOff(changing: setup.policy, to: after)
        #expect(setup.heard() == expected(after) && setup.isPublished() == (after != .nothing))
        #expect(setup.ball.manager.isAdvertising)
        // What changes then changes at once, as ever.
        setup.policy.change(to: before, in: setup.testbed)
        #expect(setup.heard() == expected(before) && setup.isPublished() == (before != .nothing))
        #expect(setup.ball.calls == ["state 5", "added 8E38", "advertising true", "state 4", "state 5"])
    }

    @Test("9.7 11.3 what waited for the permission is there, and reported, when Bluetooth is on again")
    func waiting() {
        let setup = self.setup()
        setup.policy.change(to: .nothing, in: setup.testbed)
        setup.ball.open()
        setup.testbed.run()
        #expect(setup.ball.calls == ["state 5"])
        setup.switchOff(changing: setup.policy, to: .everything)
        #expect(setup.ball.calls == ["state 5", "state 4", "state 5", "added 8E38", "advertising true"])
        #expect(setup.heard() == "Crystal [\"8E38\"]" && setup.isPublished())
    }

    @Test("13.1 11.3 the end of another app while Bluetooth is off leaves an app what it may then advertise")
    func otherApp() {
        let setup = self.setup()
        let (other, adapter) = (PolicyStub("other"), setup.adapter)
        let second = other.make(in: setup.testbed) { PeripheralApp(on: adapter) }
        setup.testbed.run { second.manager.state == .poweredOn }
        setup.ball.open()
        second.advertise(name: "Other", services: [IDs.other])
        setup.testbed.run(.milliseconds(10))
        #expect(setup.heard() == "Crystal [\"8E38\", \"FFF0\"]")
        setup.adapter.setPowered(false)
        setup.testbed.run()
        other.restart(in: setup.testbed)
        setup.policy.change(to: .background, in: setup.testbed)
        setup.adapter.setPowered(true)
        setup.testbed.run()
        #expect(setup.heard() == "- []" && setup.isPublished())
        withExtendedLifetime(second) {}
    }

    @Test("1.7 9.7 a permission that changes while the controller is lost holds when it is back")
    func reset() {
        let testbed = Testbed()
        let policy = PolicyStub("ball", permission: .nothing)
        let source = BreakableSource(air: testbed.air)
        let adapter = source.adapter("Crystal", testbed)
        let ball = policy.make(in: testbed) { PeripheralApp(on: adapter) }
        testbed.run { ball.manager.state == .poweredOn }
        source.breakChannel()
        testbed.run { ball.calls == ["state 5", "state 1"] }
        policy.change(to: .everything, in: testbed)
        testbed.run { ball.manager.state == .poweredOn }
        ball.manager.add(ball.ball)
        testbed.run(.milliseconds(10))
        #expect(ball.calls == ["state 5", "state 1", "state 5", "added 8E38"])
    }
}

extension ManagedBall {
    /// Switches Bluetooth off and, after the permission has changed, on again.
    fileprivate func switchOff(changing policy: PolicyStub, to permission: ManagerPermission) {
        self.adapter.setPowered(false)
        self.testbed.run()
        policy.change(to: permission, in: self.testbed)
        self.adapter.setPowered(true)
        self.testbed.run()
    }

    /// The name and the services that are advertised.
    fileprivate func heard() -> String { self.central.heard(in: self.testbed) }

    /// Whether the answer's characteristic is there.
    fileprivate func isPublished() -> Bool {
        guard let handle = self.ball.answer.publishedHandle else { return false }
        let found = self.adapter.readEngine(in: self.testbed) { core -> Bool in
            core.peripheralSessions.contains { $0.owns(handle) }
        }
        return found ?? false
    }
}
