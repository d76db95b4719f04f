// An app whose permissions and events a test decides: what the system would decide for it.

import Testbed

@testable import CoreBluetooth

/// The policy of an app that a test brings into each state.
final class PolicyStub: ApplicationPolicy {
    let name: String
    var authorization = CBManagerAuthorization.allowedAlways
    var isTerminated = false
    var process: Int? = 1
    weak var observer: (any ApplicationObserver)?
    /// The permission of the managers of both roles.
    private var presentPermission: ManagerPermission
    /// How the events of both roles are delivered.
    var presentDelivery = EventDelivery.now
    private(set) var wakeCount = 0
    private(set) var launchRequestCount = 0
    /// The alerts that were shown.
    private(set) var alerts: [String] = []

    init(_ name: String, permission: ManagerPermission = .everything) {
        self.name = name
        self.presentPermission = permission
    }

    func permission(for role: ManagerRole) -> ManagerPermission { self.presentPermission }
    func delivery(for role: ManagerRole) -> EventDelivery { self.presentDelivery }
    func outlivesProcess(_ role: ManagerRole) -> Bool { true }
    func wake() { self.wakeCount += 1 }
    func requestLaunch() { self.launchRequestCount += 1 }
    func show(_ alert: ConnectionAlert, about peripheral: String) { self.alerts.append("\(alert) \(peripheral)") }

    /// Makes what is the app's.
    func make<Made>(in testbed: Testbed, _ body: () -> Made) -> Made {
        CurrentApplication.run(as: self, on: testbed.loop, body)
    }

    /// Launches the app: its central manager, which has a restore identifier, is powered on.
    func launchCentral(on adapter: BluetoothAdapter, in testbed: Testbed) -> CentralApp {
        testbed.central(on: adapter, restoring: "asker", of: self)
    }

    /// The user decides anew whether the app may use Bluetooth.
    func decide(_ authorization: CBManagerAuthorization) {
        self.authorization = authorization
        self.observer?.authorizationDidChange(of: self)
    }

    /// The permission of the app changes.
    func change(to permission: ManagerPermission, in testbed: Testbed) {
        self.presentPermission = permission
        self.observer?.applicationDidChange(self)
        testbed.run(.milliseconds(1))
    }

    /// The system ends the app's process, or the user does for good, and it is launched again.
    func restart(isForGood: Bool = false, in testbed: Testbed) {
        let process = self.process ?? 0
        self.process = nil
        self.observer?.applicationDidEnd(self, isForGood: isForGood)
        testbed.run(.milliseconds(1))
        self.process = process + 1
    }
}
