// An app on a device with the life cycle of iOS: in the foreground, in the background, suspended, terminated by the
// system and launched again, force-quit by the user.

import BluetoothHost
public import CoreBluetooth
import NIOCore

/// The background modes that an app declares: the values of `UIBackgroundModes` in its `Info.plist`.
public struct BackgroundModes: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates modes from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `bluetooth-central`.
    public static let central = BackgroundModes(rawValue: 1 << 0)
    /// `bluetooth-peripheral`.
    public static let peripheral = BackgroundModes(rawValue: 1 << 1)
}

/// The state of an app.
public enum AppState: String, Hashable, Sendable {
    /// It does not run. The system keeps only the state of its managers with a restore identifier.
    case notRunning
    /// It is in memory but does not run.
    case suspended
    /// It runs for at most ten seconds.
    case background
    /// It runs and is on the screen.
    case foreground
}

/// Why an app was launched.
public enum Launch: Hashable, Sendable {
    /// The user opened it.
    case byUser
    /// An event for a manager with a restore identifier: the app runs in the background, and must recreate its managers
    /// with the same identifiers.
    case bySystem
}

/// An alert that the system has shown for an app that could not run: see
/// `CBConnectPeripheralOptionNotifyOnConnectionKey` and related keys.
public struct SystemAlert: Hashable, Sendable {
    /// The kinds of alerts.
    public enum Kind: String, Hashable, Sendable {
        /// A peripheral connected.
        case connection
        /// A peripheral disconnected.
        case disconnection
        /// A peripheral sent a value.
        case notification
    }

    /// What it was about.
    public var kind: Kind
    /// The peripheral's name.
    public var peripheral: String
    /// When it was shown, since the world began.
    public var time: Duration
}

extension Device {
    /// Installs an app on the device without launching it.
    ///
    /// ```swift
    /// let app = phone.install("Key", backgroundModes: .central) { KeyApp() }
    /// app.launch()
    /// app.enterBackground()
    /// world.advance(by: .seconds(60))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The app's name in the trace; each app of a device needs its own.
    ///   - backgroundModes: What it declares to do in the background.
    ///   - launch: Creates the app's code at each launch. The app retains the result while it is in memory.
    public func install<Instance>(
        _ name: String,
        backgroundModes: BackgroundModes = [],
        _ launch: @escaping (Launch) -> Instance
    ) -> App<Instance> {
        App(name: name, modes: backgroundModes, device: self, make: launch)
    }

    /// Installs an app, whose code does not ask why it is launched, on the device without launching it.
    public func install<Instance>(
        _ name: String,
        backgroundModes: BackgroundModes = [],
        _ launch: @escaping () -> Instance
    ) -> App<Instance> {
        App(name: name, modes: backgroundModes, device: self) { _ in launch() }
    }
}

/// An app on a device of a world.
///
/// Its managers follow Apple's rules for its state; see <doc:AppLifeCycle>.
public final class App<Instance> {
    /// The app's name in the trace.
    public let name: String
    /// The device that it is on.
    public let device: Device
    /// The app's code while it is in memory.
    public private(set) var instance: Instance?
    /// All launches in order.
    public private(set) var launches: [Launch] = []
    /// The times at which it began to run in the background.
    public private(set) var wakeTimes: [Duration] = []
    /// The alerts that the system has shown for it.
    public private(set) var alerts: [SystemAlert] = []

    private let application: Application
    private let make: (Launch) -> Instance

    init(name: String, modes: BackgroundModes, device: Device, make: @escaping (Launch) -> Instance) {
        self.name = name
        self.device = device
        self.make = make
        self.application = Application(
            name: name,
            modes: modes,
            eventLoop: device.world.loop
        )
        self.application.delegate = self
    }

    /// The app's state.
    public var state: AppState {
        switch self.application.state {
        case .notRunning, .terminated: .notRunning
        case .suspended: .suspended
        case .background: .background
        case .foreground: .foreground
        }
    }

    /// Whether the user lets the app use Bluetooth; the app's code gets it from `CBManager.authorization`.
    ///
    /// While it is `CBManagerAuthorization.notDetermined`, before the user has answered, the app's managers stay
    /// `CBManagerState.unknown`; if denied, they are `CBManagerState.unauthorized`.
    public var authorization: CBManagerAuthorization {
        get { self.application.authorization }
        set {
            self.note("may \(newValue == .allowedAlways ? "" : "not ")use Bluetooth")
            self.application.authorization = newValue
        }
    }

    // MARK: Life cycle

    /// Opens the app as the user does: launches it, or brings it to the foreground if it is in memory.
    @discardableResult
    public func launch() -> Instance {
        if let instance = self.instance {
            self.application.enterForeground()
            return instance
        }
        return self.start(.byUser)
    }

    private func start(_ launch: Launch) -> Instance {
        self.launches.append(launch)
        self.application.launch(inBackground: launch == .bySystem)
        let instance = self.run { self.make(launch) }
        self.instance = instance
        return instance
    }

    /// Moves the app to the background, as if the user opened another app: it runs for ten more seconds and is then
    /// suspended.
    public func enterBackground() { self.application.enterBackground() }

    /// Brings the app back to the foreground; deferred events are delivered.
    public func enterForeground() { self.application.enterForeground() }

    /// Suspends the app before its ten seconds are over.
    public func suspend() { self.application.suspend() }

    /// Terminates the app as the system does when memory is short.
    ///
    /// The activities of its managers with a restore identifier continue, and an event launches the app again. Its
    /// other managers are lost with all their connections.
    public func terminate() { self.end(bySystem: true) }

    /// Terminates the app as the user does: nothing continues and nothing is restored.
    public func forceQuit() { self.end(bySystem: false) }

    private func end(bySystem: Bool) {
        self.application.end(bySystem: bySystem)
        withoutLogLines { self.instance = nil }
    }

    // MARK: Code

    /// Runs code of the app: managers that it creates belong to the app.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let loop = self.device.world.loop
        return try loop.settle(after: {
            try self.application.run { try self.device.adapter.run { try loop.work.serve(body) } }
        })
    }

    /// Runs code later, like a timer of the app: while the app is suspended it waits, and it never runs if the app ends
    /// before.
    public func after(_ delay: Duration, _ work: @escaping () -> Void) {
        let adapter = self.device.adapter
        self.application.schedule(in: TimeAmount(delay)) { adapter?.run(work) }
    }

    private func note(_ text: String) { self.device.note("app \(self.name) \(text)") }
}

extension App: ApplicationDelegate {
    func applicationDidChangeState(_ application: Application) {
        switch application.state {
        case .notRunning: self.note("is ended by the user")
        case .terminated: self.note("is ended by the system")
        case .suspended: self.note("is suspended")
        case .foreground: self.note("is in the foreground")
        case .background:
            self.note("is in the background")
            if self.instance != nil { self.wakeTimes.append(self.device.world.now) }
        }
    }

    func applicationNeedsLaunch(_ application: Application) {
        self.note("is launched by the system")
        // In a separate turn of the loop, as a new process would start.
        self.device.world.loop.assumeIsolated().execute { [weak self] in
            guard let self, self.instance == nil, self.application.state == .terminated else { return }
            _ = self.start(.bySystem)
        }
    }

    func application(_ application: Application, didShow alert: ConnectionAlert, about peripheral: String) {
        let kind: SystemAlert.Kind =
            switch alert {
            case .connection: .connection
            case .disconnection: .disconnection
            case .notification: .notification
            }
        self.note("has the alert of a \(kind.rawValue): \(peripheral)")
        self.alerts.append(SystemAlert(kind: kind, peripheral: peripheral, time: self.device.world.now))
    }
}
