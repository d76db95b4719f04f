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
        let central = testbed.central(on: adapter, of: policy)
        let ball = testbed.ball(on: adapter, of: policy)
        let second = testbed.central(on: adapter, of: other)
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

    @Test("sends events, wakes the app or keeps them, and wakes nobody for a mere state")
    func delivery() {
        let deliveries = [EventDelivery.now, .wakes, .deferred, .launches]
        for delivery in deliveries {
            for isWorthWaking in [nil, false, true] as [Bool?] {
                let testbed = Testbed()
                let adapter = testbed.adapter()
                let policy = PolicyStub("app")
                let central = testbed.central(on: adapter, of: policy)
                testbed.run(.milliseconds(1))
                policy.presentDelivery = delivery
                let waiting = adapter.readEngine(in: testbed) { core -> Int in
                    guard let session = core.centralSessions.first else { return -1 }
                    if let isWorthWaking {
                        let event = CentralEvent.connectionEvent(.numbered(1), .peerConnected)
                        session.report(isWorthWaking ? event : .state(.poweredOn))
                    }
                    session.flush()
                    return session.outbox.count
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
        let apps = policies.map { testbed.central(on: adapter, of: $0) }
        let steps: [(change: () -> Void, pace: String)] = [
            ({}, "none"), ({ apps[first].manager.scanForPeripherals(withServices: [IDs.service]) }, "foreground"),
            ({ policies[first].change(to: .background, in: testbed) }, "background"),
            ({ apps[second].manager.scanForPeripherals(withServices: nil) }, "foreground"),
            // A scan for everything pauses in the background.
            ({ policies[second].change(to: .background, in: testbed) }, "background"),
            ({ policies[first].change(to: .nothing, in: testbed) }, "none"),
            ({ policies[second].change(to: .everything, in: testbed) }, "foreground"),
            ({ apps[second].manager.stopScan() }, "none"),
        ]
        for (index, step) in steps.enumerated() {
            step.change()
            testbed.run(.milliseconds(1))
            #expect(self.pace(adapter, testbed) == step.pace, "\(index)")
        }
    }

    @Test("13.1 continues the scan of an ended app only with a restore identifier")
    func endedApp() {
        for identifier in [nil, "one"] as [String?] {
            let testbed = Testbed()
            let adapter = testbed.adapter()
            let policy = PolicyStub("app")
            let central = testbed.central(on: adapter, restoring: identifier, of: policy)
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
