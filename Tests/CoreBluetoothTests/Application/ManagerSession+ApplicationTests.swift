import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Managers under the rules of their app")
struct ManagerSessionApplicationTests {
    @Test("tells the managers of an app a new decision of the user if it changes their state")
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

    @Test("sends events, wakes the app or keeps them, and wakes nobody for a mere state")
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
                #expect(waiting == (delivery == .now || isWorthWaking == nil ? 0 : 1), "\(delivery)")
                #expect((policy.wakeCount > 0) == (delivery == .wakes && isWorthWaking == true), "\(delivery)")
                #expect(policy.launchRequestCount == 0, "\(delivery)")
                withExtendedLifetime(central) {}
            }
        }
    }

    private func pace(_ adapter: BluetoothAdapter, _ testbed: Testbed) -> String? {
        adapter.readEngine(in: testbed) { core -> String in core.wantedScanPace.map { "\($0)" } ?? "none" }
    }

    @Test("scans continuously while an app in the foreground scans, else less often", arguments: [0, 1])
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
        // A scan for everything pauses in the background.
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

    @Test("13.1 continues the scan of an ended app only with a restore identifier")
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
