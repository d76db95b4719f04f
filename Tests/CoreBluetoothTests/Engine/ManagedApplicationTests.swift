// What the managers of an app may do and are told, as its state and the user's permission say: what they see of the
// adapter, whether their events leave, wake the app or wait, and how often the adapter listens for all of them.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Managers under the rules of their app")
struct ManagedApplicationTests {
    // MARK: States

    @Test("an app sees of the adapter what the user permits, and always that there is none")
    func visibleStates() {
        let states: [CBManagerState] = [.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn]
        let nobody: (any ApplicationPolicy)? = nil
        for state in states { #expect(nobody.visibleState(state) == state) }
        let stub = PolicyStub("app")
        let policy: (any ApplicationPolicy)? = stub
        for authorization in [CBManagerAuthorization.notDetermined, .restricted, .denied, .allowedAlways] {
            stub.authorization = authorization
            for state in states {
                let expected: CBManagerState? =
                    if state == .unsupported || state == .unknown || authorization == .allowedAlways {
                        state
                    } else if authorization == .notDetermined {
                        nil
                    } else {
                        .unauthorized
                    }
                #expect(policy.visibleState(state) == expected, "\(authorization) \(state)")
            }
        }
    }

    @Test("a manager of no app may do everything, one of an app what the app may")
    func permissions() {
        let nobody: (any ApplicationPolicy)? = nil
        for role in [ManagerRole.central, .peripheral] {
            #expect(nobody.permission(for: role) == .everything)
            for permission in [ManagerPermission.everything, .background, .nothing] {
                let policy: (any ApplicationPolicy)? = PolicyStub("app", permission: permission)
                #expect(policy.permission(for: role) == permission)
            }
        }
    }

    @Test("when the user decides anew, the managers of this app are told where they see another state")
    func authorization() {
        let testbed = Testbed()
        let adapter = testbed.adapter()
        let (policy, other) = (PolicyStub("one"), PolicyStub("two"))
        let central = policy.make(in: testbed) { CentralApp(on: adapter) }
        let ball = policy.make(in: testbed) { PeripheralApp(on: adapter) }
        let second = other.make(in: testbed) { CentralApp(on: adapter) }
        testbed.run { [central.manager.state, second.manager.state].allSatisfy { $0 == .poweredOn } }
        testbed.run { ball.manager.state == .poweredOn }
        second.manager.scanForPeripherals(withServices: [IDs.service])
        testbed.run(.milliseconds(1))
        let steps: [(CBManagerAuthorization, calls: [String])] = [
            (.allowedAlways, []), (.denied, ["state 3"]), (.restricted, []), (.notDetermined, []),
            (.allowedAlways, ["state 5"]), (.restricted, ["state 3"]), (.allowedAlways, ["state 5"]),
        ]
        for (authorization, calls) in steps {
            central.calls = []
            ball.calls = []
            second.calls = []
            policy.decide(authorization)
            testbed.run(.milliseconds(1))
            #expect(central.calls == calls && ball.calls == calls, "\(authorization)")
            #expect(second.calls.isEmpty && second.manager.isScanning && second.manager.state == .poweredOn)
        }
    }

    // MARK: Events

    /// What becomes of the events of an app's central manager.
    private struct Outcome: Equatable {
        /// How many wait.
        var waiting: Int
        var isWoken = false
        var isLaunched = false
    }

    /// A central manager of an app whose events are delivered in a way.
    private func central(
        of policy: PolicyStub,
        on adapter: BluetoothAdapter,
        in testbed: Testbed
    ) -> CentralApp {
        let central = policy.make(in: testbed) { CentralApp(on: adapter) }
        testbed.run { central.manager.state == .poweredOn }
        testbed.run(.milliseconds(1))
        return central
    }

    @Test("events leave, wake the app or wait for it; what changes a state alone wakes nobody")
    func delivery() {
        let deliveries = [EventDelivery.now, .wakes, .deferred, .launches]
        for delivery in deliveries {
            for isWorthWaking in [nil, false, true] as [Bool?] {
                let testbed = Testbed()
                let adapter = testbed.adapter()
                let policy = PolicyStub("app")
                let central = self.central(of: policy, on: adapter, in: testbed)
                policy.presentDelivery = delivery
                let waiting = adapter.readEngine(in: testbed) { core -> Int in
                    guard let session = core.centralSessions.first else { return -1 }
                    if let isWorthWaking {
                        let address = DeviceAddress(1, kind: .public)
                        let peer = PeerDescription(identifier: UUID(random: 1, 2), address: address)
                        let event: CentralEvent =
                            isWorthWaking ? .connectionEvent(peer, .peerConnected) : .state(.poweredOn)
                        session.report(event)
                    }
                    session.flush()
                    return session.mailboxes.outbox.count
                }
                let outcome = Outcome(
                    waiting: waiting ?? -1,
                    isWoken: policy.wakeCount > 0,
                    isLaunched: policy.launchRequestCount > 0
                )
                let expected = Outcome(
                    waiting: delivery == .now || isWorthWaking == nil ? 0 : 1,
                    isWoken: delivery == .wakes && isWorthWaking == true
                )
                #expect(outcome == expected, "\(delivery) \(String(describing: isWorthWaking))")
                withExtendedLifetime(central) {}
            }
        }
    }

    @Test("of a peripheral that is discovered again and again, one discovery waits for an app that does not run")
    func merging() {
        let rows: [(EventDelivery, [Int])] = [
            (.deferred, [1, 1, 1]), (.launches, [1, 1, 1]), (.wakes, [2, 2, 3]),
        ]
        for (delivery, counts) in rows {
            let testbed = Testbed()
            let adapter = testbed.adapter()
            let policy = PolicyStub("app")
            let central = self.central(of: policy, on: adapter, in: testbed)
            policy.presentDelivery = delivery
            let identifier = UUID(random: 1, 2)
            let waiting = adapter.readEngine(in: testbed) { core -> [Int] in
                guard let session = core.centralSessions.first else { return [] }
                let address = DeviceAddress(1, kind: .public)
                let discovery = Discovery.empty(of: PeerDescription(identifier: identifier, address: address))
                return [2, 0, 1].map { count in
                    for _ in 0..<count { session.discovered(discovery) }
                    session.flush()
                    return session.mailboxes.outbox.count
                }
            }
            #expect(waiting == counts, "\(delivery)")
            withExtendedLifetime(central) {}
        }
    }

    // MARK: Scans

    /// How the adapter's managers want it to scan.
    private func pace(_ adapter: BluetoothAdapter, _ testbed: Testbed) -> String? {
        adapter.readEngine(in: testbed) { core -> String in core.wantedScanPace.map { "\($0)" } ?? "none" }
    }

    @Test("the adapter listens all the time while an app in the foreground scans, else less often", arguments: [0, 1])
    func paces(first: Int) {
        let second = 1 - first
        let testbed = Testbed()
        let adapter = testbed.adapter()
        let policies = [PolicyStub("one"), PolicyStub("two")]
        let apps = policies.map { policy in policy.make(in: testbed) { CentralApp(on: adapter) } }
        testbed.run { apps.allSatisfy { $0.manager.state == .poweredOn } }
        #expect(self.pace(adapter, testbed) == "none")
        apps[first].manager.scanForPeripherals(withServices: [IDs.service])
        testbed.run(.milliseconds(1))
        #expect(self.pace(adapter, testbed) == "foreground")
        policies[first].change(to: .background, in: testbed)
        #expect(self.pace(adapter, testbed) == "background")
        apps[second].manager.scanForPeripherals(withServices: nil)
        testbed.run(.milliseconds(1))
        #expect(self.pace(adapter, testbed) == "foreground")
        // In the background a scan for everything is none.
        policies[second].change(to: .background, in: testbed)
        #expect(self.pace(adapter, testbed) == "background")
        policies[first].change(to: .nothing, in: testbed)
        #expect(self.pace(adapter, testbed) == "none")
        policies[second].change(to: .everything, in: testbed)
        #expect(self.pace(adapter, testbed) == "foreground")
        apps[second].manager.stopScan()
        testbed.run(.milliseconds(1))
        #expect(self.pace(adapter, testbed) == "none")
        withExtendedLifetime((apps, policies)) {}
    }

    @Test("13.1 the scan of an app that the system has ended goes on where its manager has a restore identifier")
    func endedApp() {
        for identifier in [nil, "one"] as [String?] {
            let testbed = Testbed()
            let adapter = testbed.adapter()
            let policy = PolicyStub("app")
            let options = identifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0] as [String: Any] } ?? [:]
            let central = policy.make(in: testbed) { CentralApp(on: adapter, options: options) }
            testbed.run { central.manager.state == .poweredOn }
            central.manager.scanForPeripherals(withServices: [IDs.service])
            testbed.run(.milliseconds(1))
            #expect(self.pace(adapter, testbed) == "foreground")
            policy.isTerminated = true
            #expect(self.pace(adapter, testbed) == (identifier == nil ? "none" : "foreground"))
            policy.isTerminated = false
            #expect(self.pace(adapter, testbed) == "foreground")
            withExtendedLifetime(central) {}
        }
    }
}
