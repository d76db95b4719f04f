// What an app has asked for when its process ends, and what the system shows in its place.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13 What the system does for an app")
struct EndingAppTests {
    // MARK: The end of a process

    @Test("13.1 what an app has asked for in the turn in which the system ends it goes on")
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
        // What it asks for when the user ends it for good is over with it.
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

    @Test("13.1 an app that is ended twice before it is launched is restored once, as it was first")
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
        let count = adapter.readEngine(in: testbed) { core -> Int in core.centralSessions.count }
        #expect(count == 1)
        withExtendedLifetime(first) {}
    }

    // MARK: Alerts

    /// An app whose alerts are noted.
    private final class AlertedPolicy: ApplicationPolicy {
        let name = "app"
        let authorization = CBManagerAuthorization.allowedAlways
        let isTerminated = false
        let process: Int? = 1
        weak var observer: (any ApplicationObserver)?
        private(set) var alerts: [String] = []

        func permission(for role: ManagerRole) -> ManagerPermission { .everything }
        func delivery(for role: ManagerRole) -> EventDelivery { .now }
        func outlivesProcess(_ role: ManagerRole) -> Bool { false }
        func wake() {}
        func requestLaunch() {}
        func show(_ alert: ConnectionAlert, about peripheral: String) { self.alerts.append("\(alert) \(peripheral)") }
    }

    /// An app with alerts on a device of its own.
    private func app(_ policy: AlertedPolicy, in testbed: Testbed) -> CentralApp {
        let adapter = testbed.adapter("Alerted")
        let central = CurrentApplication.run(as: policy, on: testbed.loop) { CentralApp(on: adapter) }
        testbed.run { central.manager.state == .poweredOn }
        return central
    }

    @Test(
        "6.8 an alert is shown for a connection, its end and its values where the app has asked for it",
        arguments: [
            ([], []), ([CBConnectPeripheralOptionNotifyOnConnectionKey], ["connection Crystal"]),
            ([CBConnectPeripheralOptionNotifyOnDisconnectionKey], ["disconnection Crystal"]),
            ([CBConnectPeripheralOptionNotifyOnNotificationKey], ["notification Crystal", "notification Crystal"]),
            (
                [
                    CBConnectPeripheralOptionNotifyOnConnectionKey,
                    CBConnectPeripheralOptionNotifyOnDisconnectionKey,
                    CBConnectPeripheralOptionNotifyOnNotificationKey,
                ],
                [
                    "connection Crystal", "notification Crystal", "notification Crystal", "disconnection Crystal",
                ]
            ),
        ] as [([String], [String])]
    )
    func alerts(keys: [String], alerts: [String]) throws {
        let talk = Conversation()
        talk.ball.reading = "read".octets
        let policy = AlertedPolicy()
        let central = self.app(policy, in: talk.testbed)
        var options: [String: Any] = [:]
        for key in keys { options[key] = NSNumber(value: true) }
        let peripheral = try central.connect(in: talk.testbed, options: options)
        let answer = try peripheral.discover([IDs.service], in: talk.testbed).characteristic(IDs.answer)
        // A value that the app has read is no notification.
        peripheral.readValue(for: answer)
        peripheral.setNotifyValue(true, for: answer)
        try #require(talk.testbed.run { answer.isNotifying })
        for text in ["Yes", "No"] {
            talk.ball.manager.updateValue(text.octets, for: talk.ball.answer, onSubscribedCentrals: nil)
        }
        try #require(talk.testbed.run { central.values == ["read", "Yes", "No"] })
        talk.ballAdapter.setPowered(false)
        try #require(talk.testbed.run { peripheral.state == .disconnected })
        #expect(policy.alerts == alerts)
    }

    @Test("6.8 an alert about a device without a name has its identifier")
    func withoutName() throws {
        let talk = Conversation { $0.open(name: nil) }
        let policy = AlertedPolicy()
        let central = self.app(policy, in: talk.testbed)
        let options: [String: Any] = [CBConnectPeripheralOptionNotifyOnConnectionKey: true]
        let peripheral = try central.connect(in: talk.testbed, options: options)
        #expect(policy.alerts == ["connection \(peripheral.identifier.uuidString)"])
    }

    // MARK: Authorization

    @Test(
        "1.4 both classes say what the user lets the app do whose code asks",
        arguments: [CBManagerAuthorization.notDetermined, .restricted, .denied, .allowedAlways]
    )
    func authorization(authorization: CBManagerAuthorization) {
        let testbed = Testbed()
        let policy = PolicyStub("app")
        policy.authorization = authorization
        let classes: [CBManager.Type] = [CBCentralManager.self, CBPeripheralManager.self]
        let found = policy.make(in: testbed) { classes.map { $0.authorization } }
        #expect(found == [authorization, authorization])
    }
}
