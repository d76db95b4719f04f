// The policy for a manager's app: what the app may do now, and when its events are delivered. A plain Linux process has
// no policy: its managers may do everything at any time. CoreBluetoothTesting implements the life cycle of iOS apps.
// Used only on the adapter's event loop. BackgroundRules.swift has the rules for scanning and advertising in the
// background.

package import NIOCore

/// The role of a manager.
package enum ManagerRole: Hashable, Sendable {
    /// A `CBCentralManager`.
    case central
    /// A `CBPeripheralManager`.
    case peripheral
}

/// The permissions of the managers of a role.
package enum ManagerPermission: Hashable, Sendable {
    /// Everything.
    case everything
    /// The permissions of an app in the background.
    case background
    /// Nothing: scanning and advertising pause, and services are withdrawn.
    case nothing
}

/// When a role's events are delivered.
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

/// An alert that the system shows for an app that cannot run.
package enum ConnectionAlert: Hashable, Sendable {
    /// A peripheral connected.
    case connection
    /// A peripheral disconnected.
    case disconnection
    /// A peripheral sent a value.
    case notification
}

/// The policy of the system for one app.
package protocol ApplicationPolicy: AnyObject {
    /// The app's name, which distinguishes its restoration records from those of other apps.
    var name: String { get }
    /// Whether the user lets the app use Bluetooth.
    var authorization: CBManagerAuthorization { get }
    /// Whether the system has ended the app, and launches it again for events.
    var isTerminated: Bool { get }
    /// The number of the app's present process; `nil` while there is none.
    var process: Int? { get }
    /// The adapter of the app's managers, which is notified of changes. A weak reference.
    var observer: (any ApplicationObserver)? { get set }

    /// The present permissions of the managers of a role.
    func permission(for role: ManagerRole) -> ManagerPermission
    /// When a role's events are delivered now.
    func delivery(for role: ManagerRole) -> EventDelivery
    /// Whether managers of a role with a restore identifier continue their work after the system has ended the app.
    func outlivesProcess(_ role: ManagerRole) -> Bool
    /// Events are to be delivered to the app, which may be suspended.
    func wake()
    /// Events wait for the app, which the system has ended.
    func requestLaunch()
    /// Shows an alert if the app cannot do that itself.
    func show(_ alert: ConnectionAlert, about peripheral: String)
}

/// Is notified of changes of an app.
package protocol ApplicationObserver: AnyObject {
    /// The app came to the foreground, left it, or was suspended.
    func applicationDidChange(_ application: any ApplicationPolicy)
    /// The user allowed the app to use Bluetooth, or revoked that.
    func authorizationDidChange(of application: any ApplicationPolicy)
    /// The app ends; with `isForGood`, its managers' work ends, too.
    func applicationDidEnd(_ application: any ApplicationPolicy, isForGood: Bool)
}

/// The app whose code is running.
package enum CurrentApplication {
    @TaskLocal static var bound: NIOLoopBound<any ApplicationPolicy>?

    /// The app; `nil` for a plain process. Only ever set on the app's own event loop.
    static var policy: (any ApplicationPolicy)? { (self.bound ?? WorkContext.ofWork?.application)?.value }

    /// Runs an app's code: managers that it creates belong to the app.
    package static func run<Result>(
        as application: any ApplicationPolicy,
        on eventLoop: any EventLoop,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try self.$bound.withValue(NIOLoopBound(application, eventLoop: eventLoop), operation: body)
    }
}

extension Optional where Wrapped == any ApplicationPolicy {
    /// The adapter's state as an app's managers see it; `nil` for nothing yet. Without an app, the state itself.
    func visibleState(_ state: CBManagerState) -> CBManagerState? {
        guard let self, state != .unsupported, state != .unknown else { return state }
        return switch self.authorization {
        case .allowedAlways: state
        case .denied, .restricted: .unauthorized
        case .notDetermined: nil
        }
    }

    /// The permissions of a role; without an app, all of them.
    func permission(for role: ManagerRole) -> ManagerPermission { self?.permission(for: role) ?? .everything }
}
