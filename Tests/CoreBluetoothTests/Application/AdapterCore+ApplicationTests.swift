// Apps that end, and apps whose permissions change: what goes on, what is published and what is advertised.

import BluetoothHost
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("1.1 13.1 Apps that end")
struct AdapterCoreApplicationTests {
    @Test("13.1 requests of the turn in which the system ends an app go on, and end if the user ends it")
    func lastCommands() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let policy = PolicyStub("app")
        let first = policy.launchCentral(on: adapter, in: testbed)
        first.manager.scanForPeripherals(withServices: [IDs.service])
        policy.restart(in: testbed)
        let second = policy.launchCentral(on: adapter, in: testbed)
        #expect(second.calls == ["restore 0", "state 5"] && second.manager.isScanning)
        // The other way round: what it has stopped is stopped.
        second.manager.stopScan()
        policy.restart(in: testbed)
        let third = policy.launchCentral(on: adapter, in: testbed)
        #expect(third.calls == ["restore 0", "state 5"] && !third.manager.isScanning)
        // Its requests end with it when the user ends it for good.
        third.manager.scanForPeripherals(withServices: [IDs.service])
        policy.restart(isForGood: true, in: testbed)
        let left = adapter.readEngine(in: testbed) { core -> [Bool] in
            [core.centralSessions.isEmpty, core.wantedScanPace == nil]
        }
        #expect(left == [true, true])
        let fourth = policy.launchCentral(on: adapter, in: testbed)
        #expect(fourth.calls == ["state 5"] && !fourth.manager.isScanning)
        withExtendedLifetime((first, second, third)) {}
    }

    @Test(
        "13.1 an app that is ended twice before it is launched is restored once, as it was first, if Bluetooth stays on"
    )
    func endedTwice() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let policy = PolicyStub("app")
        let first = policy.launchCentral(on: adapter, in: testbed)
        first.manager.scanForPeripherals(withServices: [IDs.service])
        testbed.run(.milliseconds(10))
        for _ in 1...2 { policy.restart(in: testbed) }
        let second = policy.launchCentral(on: adapter, in: testbed)
        #expect(second.calls == ["restore 0", "state 5"] && second.manager.isScanning)
        func count() -> Int? { adapter.readEngine(in: testbed) { core -> Int in core.centralSessions.count } }
        #expect(count() == 1)
        // Switching Bluetooth off ends a session without a manager.
        policy.restart(in: testbed)
        adapter.setPowered(false)
        #expect(count() == 0)
        withExtendedLifetime(first) {}
    }

    @Test("13.1 a connection that begins later is stored with the end of the app that has just asked for it")
    func delayedConnection() throws {
        let testbed = Testbed()
        let storage = MemoryStorage()
        let adapter = testbed.adapter("Curious", storage: storage)
        let ball = testbed.ball(on: testbed.adapter("Crystal"))
        let policy = PolicyStub("app")
        let central = policy.launchCentral(on: adapter, in: testbed)
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

    @Test(
        "1.1 a manager that is made after the end of its app is told nothing, neither then nor later",
        arguments: [true, false]
    )
    func withoutProcess(hasProcess: Bool) {
        let testbed = Testbed()
        let policy = PolicyStub("app")
        if !hasProcess { policy.process = nil }
        let adapter = testbed.adapter("One")
        let app = policy.make(in: testbed) { CentralApp(on: adapter) }
        testbed.run()
        #expect(app.calls == (hasProcess ? ["state 5"] : []))
        #expect(app.manager.state == (hasProcess ? .poweredOn : .unknown))
        // The next process is another one.
        policy.process = 2
        adapter.setPowered(false)
        testbed.run()
        #expect(app.calls == (hasProcess ? ["state 5"] : []))
    }
}

@Suite("9.7 11.3 Permissions of apps beside each other")
struct NeighbouringAppsTests {
    @Test("9.7 11.3 services and advertisement of an app that may do nothing are gone, and those of another stay")
    func nothing() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Crystal")
        let policies = (one: PolicyStub("one"), two: PolicyStub("two"))
        let first = testbed.ball(on: adapter, of: policies.one)
        let second = testbed.ball(on: adapter, of: policies.two)
        let central = testbed.central(on: testbed.adapter("Curious"))
        first.open(name: "One")
        let service = CBMutableService(type: IDs.other, primary: true)
        service.characteristics = [second.answer]
        second.manager.add(service)
        second.advertise(name: "Two", services: [IDs.other])
        central.hearEverything()
        let whole = "One [\"8E38\", \"FFF0\"] [true, true]"
        for (policy, permission, expected) in [
            (policies.one, .everything, whole), (policies.one, .nothing, "Two [\"FFF0\"] [false, true]"),
            (policies.one, .everything, whole), (policies.two, .nothing, "One [\"8E38\"] [true, false]"),
            (policies.one, .nothing, "nothing [false, false]"),
            (policies.two, .everything, "Two [\"FFF0\"] [false, true]"),
        ] as [(PolicyStub, ManagerPermission, String)] {
            policy.change(to: permission, in: testbed)
            let heard = central.heard(in: testbed)
            let handles = [first, second].map { $0.answer.publishedHandle ?? 0 }
            let arePublished = adapter.readEngine(in: testbed) { core -> [Bool] in
                handles.map { handle in core.peripheralSessions.contains { $0.owns(handle) } }
            }
            #expect("\(heard) \(arePublished ?? [])" == expected)
        }
    }
}

@Suite("1.7 9.7 11.3 Permissions that change while Bluetooth is off")
struct PermissionsWhileOffTests {
    /// A ball of an app with a policy, and a central that hears every advertisement.
    private func setup() -> ManagedBall {
        let setup = ManagedBall()
        setup.central.hearEverything()
        return setup
    }

    @Test(
        "9.7 11.3 when Bluetooth is on again, an app publishes and advertises as it is permitted then",
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
        // Later changes apply at once.
        setup.policy.change(to: before, in: setup.testbed)
        #expect(setup.heard() == expected(before) && setup.isPublished() == (before != .nothing))
        #expect(setup.ball.calls == ["state 5", "added 8E38", "advertising true", "state 4", "state 5"])
    }

    @Test(
        "9.7 11.3 services and an advertisement that waited for the permission are reported when Bluetooth is on again"
    )
    func waiting() {
        let setup = self.setup()
        setup.policy.change(to: .nothing, in: setup.testbed)
        setup.ball.open()
        setup.testbed.run()
        setup.switchOff(changing: setup.policy, to: .everything)
        #expect(setup.ball.calls == ["state 5", "state 4", "state 5", "added 8E38", "advertising true"])
        #expect(setup.heard() == "Crystal [\"8E38\"]" && setup.isPublished())
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
