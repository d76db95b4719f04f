// An app on a device, with the life that iOS gives to apps: in the foreground, in the background, suspended, ended by
// the system and launched again, ended by the user for good.

import BluetoothHost
public import CoreBluetooth
import NIOCore

/// What an app has declared that it does in the background: the values of `UIBackgroundModes` in its `Info.plist`.
public struct BackgroundModes: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Modes from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `bluetooth-central`.
    public static let central = BackgroundModes(rawValue: 1 << 0)
    /// `bluetooth-peripheral`.
    public static let peripheral = BackgroundModes(rawValue: 1 << 1)
}

/// Where an app stands.
public enum AppState: String, Hashable, Sendable {
    /// It does not run, and nothing of it is left but what the system keeps of its managers with a restore identifier.
    case notRunning
    /// It is there, and does not run.
    case suspended
    /// It runs for ten seconds at most.
    case background
    /// It runs, and the user looks at it.
    case foreground
}

/// Why an app was launched.
public enum Launch: Hashable, Sendable {
    /// The user opened it.
    case byUser
    /// Something happened to a manager with a restore identifier: the app runs in the background, and is to make its
    /// managers with the same identifiers again.
    case bySystem
}

/// What the system has shown for an app that could not run: see `CBConnectPeripheralOptionNotifyOnConnectionKey` and
/// its neighbours.
public struct SystemAlert: Hashable, Sendable {
    /// What it was about.
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
    /// Puts an app on the device, which does not run yet.
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
    ///   - backgroundModes: What it does in the background.
    ///   - launch: Makes what the app is made of, each time that it is launched. What it returns is kept while the app
    ///   is
    ///     there.
    public func install<Instance>(
        _ name: String,
        backgroundModes: BackgroundModes = [],
        _ launch: @escaping (Launch) -> Instance
    ) -> App<Instance> {
        App(name: name, modes: backgroundModes, device: self, make: launch)
    }

    /// Puts an app on the device, which does not run yet, and which does not ask why it is launched.
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
/// Its managers follow Apple's rules for where it stands; see <doc:AppLifeCycle>.
public final class App<Instance> {
    /// The app's name in the trace.
    public let name: String
    /// The device that it is on.
    public let device: Device
    /// What the app is made of, while it is there.
    public private(set) var instance: Instance?
    /// Each launch, in order.
    public private(set) var launches: [Launch] = []
    /// When the system has let it run in the background: each time that it was woken.
    public private(set) var wakeTimes: [Duration] = []
    /// What the system has shown for it.
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

    /// Where the app stands.
    public var state: AppState {
        switch self.application.state {
        case .notRunning, .terminated: .notRunning
        case .suspended: .suspended
        case .background: .background
        case .foreground: .foreground
        }
    }

    /// Whether the user lets the app use Bluetooth; `CBManager.authorization` is this for code of the app.
    ///
    /// While it is `CBManagerAuthorization.notDetermined` the app's managers stay `CBManagerState.unknown`, as long as
    /// the user has not answered; when denied, they are `CBManagerState.unauthorized`.
    public var authorization: CBManagerAuthorization {
        get { self.application.authorization }
        set {
            self.note("may \(newValue == .allowedAlways ? "" : "not ")use Bluetooth")
            self.application.authorization = newValue
        }
    }

    // MARK: Life

    /// The user opens the app: it is launched, or comes to the foreground where it is there already.
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

    /// The user turns to another app: this one runs for ten seconds more, then it is suspended.
    public func enterBackground() { self.application.enterBackground() }

    /// The user comes back; deferred events are delivered.
    public func enterForeground() { self.application.enterForeground() }

    /// The app is suspended before its ten seconds are over.
    public func suspend() { self.application.suspend() }

    /// The system ends the app, as it does when memory is short.
    ///
    /// What its managers with a restore identifier did goes on, and an event launches the app again. Its other managers
    /// are gone with all that they had.
    public func terminate() { self.end(bySystem: true) }

    /// The user ends the app: nothing of it goes on, nothing is restored.
    public func forceQuit() { self.end(bySystem: false) }

    private func end(bySystem: Bool) {
        self.application.end(bySystem: bySystem)
        withoutLogLines { self.instance = nil }
    }

    // MARK: Code

    /// Runs code as the app's own: managers that it makes are the app's.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let loop = self.device.world.loop
        return try loop.settle(after: {
            try self.application.run { try self.device.adapter.run { try loop.work.serve(body) } }
        })
    }

    /// Does something later, as an app's timer does: not while it is suspended, but when it runs again; and never when
    /// it has ended before.
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
        // In a turn of its own, as a process starts beside the one that asked for it.
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
