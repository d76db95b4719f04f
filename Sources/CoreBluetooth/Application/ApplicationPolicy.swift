// What Core Bluetooth asks about the app that a manager belongs to: what the app may do now, and what becomes of its
// events. A plain Linux process has no such policy: its managers may do everything at any time. CoreBluetoothTesting
// gives apps the life that iOS gives them. Everything here is used on the adapter's event loop alone.

package import NIOCore

/// The role of a manager.
package enum ManagerRole: Hashable, Sendable {
    /// A `CBCentralManager`.
    case central
    /// A `CBPeripheralManager`.
    case peripheral
}

/// How much the managers of a role may do.
package enum ManagerPermission: Hashable, Sendable {
    /// Everything.
    case everything
    /// What an app in the background may do.
    case background
    /// Nothing: scanning and advertising pause, and services are withdrawn.
    case nothing
}

/// What becomes of the events of a role.
package enum EventDelivery: Hashable, Sendable {
    /// They are delivered.
    case now
    /// The app is woken, and they are delivered.
    case wakes
    /// They are deferred until the app runs again.
    case deferred
    /// They are deferred, and the app is launched to take them.
    case launches
}

/// What the system shows in place of an app that cannot run.
package enum ConnectionAlert: Hashable, Sendable {
    /// A peripheral connected.
    case connection
    /// A peripheral disconnected.
    case disconnection
    /// A peripheral sent a value.
    case notification
}

/// What the system lets one app do.
package protocol ApplicationPolicy: AnyObject {
    /// The app's name, which distinguishes its restoration records from those of other apps.
    var name: String { get }
    /// Whether the user lets the app use Bluetooth.
    var authorization: CBManagerAuthorization { get }
    /// Whether the system has ended the app, and launches it again for events.
    var isTerminated: Bool { get }
    /// The number of the app's present process; `nil` while there is none.
    var process: Int? { get }
    /// The adapter of the app's managers: what is notified of changes. A weak reference.
    var observer: (any ApplicationObserver)? { get set }

    /// How much the managers of a role may do now.
    func permission(for role: ManagerRole) -> ManagerPermission
    /// What becomes of a role's events now.
    func delivery(for role: ManagerRole) -> EventDelivery
    /// Whether what the managers of a role with a restore identifier do goes on after the system has ended the app.
    func outlivesProcess(_ role: ManagerRole) -> Bool
    /// Events are to be delivered to the app, which may be suspended.
    func wake()
    /// Events wait for the app, which the system has ended.
    func requestLaunch()
    /// Shows an alert, where the app cannot do that itself.
    func show(_ alert: ConnectionAlert, about peripheral: String)
}

/// What is notified of changes of an app.
package protocol ApplicationObserver: AnyObject {
    /// The app came to the foreground, left it, or was suspended.
    func applicationDidChange(_ application: any ApplicationPolicy)
    /// The user lets the app use Bluetooth, or no longer.
    func authorizationDidChange(of application: any ApplicationPolicy)
    /// The app ends; with `isForGood`, nothing that its managers did goes on.
    func applicationDidEnd(_ application: any ApplicationPolicy, isForGood: Bool)
}

/// The app whose code runs now.
package enum CurrentApplication {
    @TaskLocal static var bound: NIOLoopBound<any ApplicationPolicy>?

    /// The app; `nil` for a plain process. Only ever set on the app's own event loop.
    static var policy: (any ApplicationPolicy)? { (self.bound ?? Surroundings.ofWork?.application)?.value }

    /// Runs code of an app: managers that are made there are the app's.
    package static func run<Result>(
        as application: any ApplicationPolicy,
        on eventLoop: any EventLoop,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try self.$bound.withValue(NIOLoopBound(application, eventLoop: eventLoop), operation: body)
    }
}

extension Optional where Wrapped == any ApplicationPolicy {
    /// What the managers of an app see of the adapter's state, `nil` for nothing yet; those of no app see all of it.
    func visibleState(_ state: CBManagerState) -> CBManagerState? {
        guard let self, state != .unsupported, state != .unknown else { return state }
        return switch self.authorization {
        case .allowedAlways: state
        case .denied, .restricted: .unauthorized
        case .notDetermined: nil
        }
    }

    /// How much a role may do; without an app, everything.
    func permission(for role: ManagerRole) -> ManagerPermission { self?.permission(for: role) ?? .everything }
}
