// An app as the system sees it, by Apple's rules (Core Bluetooth Programming Guide, "Core Bluetooth Background
// Processing for iOS Apps"): its state, and what its managers may do and receive in that state.
//
//     notRunning ── launch ──▶ foreground ◀──── user ────▶ background ── 10 s ──▶ suspended
//         ▲                                                    ▲                     │
//         │                                                    └──── event ──────────┘
//         └── ended by the user        terminated ── event ──▶ background
//
// - notRunning: it has never run, or the user has ended it: nothing continues.
// - foreground: its managers may do everything and get their events immediately.
// - background: it runs for ten seconds. Without the background mode of a role, nothing of that role happens: scanning
//   and advertising pause, services are withdrawn, and events wait until the app is in the foreground.
// - suspended: it does not run. With the background mode of a role, an event of that role wakes it into the background.
// - terminated: the system has ended it. With the background mode, the activities of its managers with a restore
//   identifier continue, and an event launches it again.
//
// Used on the adapter's event loop only; the ten seconds are a timer of that loop.

import CoreBluetooth
import NIOCore

/// One app on one adapter.
final class Application {
    /// The state of an app.
    enum State: Hashable, Sendable {
        /// It has never run, or the user has ended it.
        case notRunning
        /// The system has ended it; the activities of its managers with a restore identifier continue without it.
        case terminated
        /// It is in memory but does not run.
        case suspended
        /// It runs for a limited time.
        case background
        /// It runs and is on the screen.
        case foreground
    }

    /// The time for which an app may run in the background before it is suspended.
    static let backgroundTime = TimeAmount.seconds(10)

    /// The app's name, which distinguishes its restoration records from those of other apps.
    let name: String
    let modes: BackgroundModes
    private(set) var state = State.notRunning
    /// Whether the app may use Bluetooth.
    var authorization: CBManagerAuthorization {
        didSet { if self.authorization != oldValue { self.observer?.authorizationDidChange(of: self) } }
    }
    weak var delegate: (any ApplicationDelegate)?

    private let eventLoop: any EventLoop
    /// The adapter of the app's managers.
    weak var observer: (any ApplicationObserver)?
    /// The number of launches: work of an earlier launch has no effect.
    private(set) var launchCount = 0
    private var suspension: Scheduled<Void>?
    private var postponed: [() -> Void] = []
    private var isLaunchRequested = false

    /// Creates an app that does not run yet.
    init(
        name: String,
        modes: BackgroundModes = [],
        authorization: CBManagerAuthorization = .allowedAlways,
        eventLoop: any EventLoop
    ) {
        self.name = name
        self.modes = modes
        self.authorization = authorization
        self.eventLoop = eventLoop
    }

    /// Runs code of the app: managers that it creates belong to the app.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try CurrentApplication.run(as: self, on: self.eventLoop, body)
    }

    // MARK: Life

    /// Whether its code runs.
    var isRunning: Bool { self.state == .foreground || self.state == .background }

    /// Whether it has a process.
    var exists: Bool { self.isRunning || self.state == .suspended }

    /// Launches the app: the user into the foreground, or the system into the background.
    func launch(inBackground: Bool) {
        precondition(self.state == .notRunning || self.state == .terminated, "the app runs already")
        self.launchCount += 1
        self.isLaunchRequested = false
        self.change(to: inBackground ? .background : .foreground)
    }

    /// Brings the app to the foreground.
    func enterForeground() {
        guard self.state == .background || self.state == .suspended else { return }
        self.change(to: .foreground)
    }

    /// Moves the app to the background.
    func enterBackground() {
        guard self.state == .foreground else { return }
        self.change(to: .background)
    }

    /// Suspends the app.
    func suspend() {
        guard self.isRunning else { return }
        self.change(to: .suspended)
    }

    /// Ends the app, for the system or for the user; only after the former the system launches it again.
    func end(bySystem: Bool) {
        guard self.state != .notRunning else { return }
        self.observer?.applicationDidEnd(self, isForGood: !bySystem)
        self.postponed = []
        self.change(to: bySystem ? .terminated : .notRunning)
    }

    private func change(to state: State) {
        guard self.state != state else { return }
        self.state = state
        self.suspension?.cancel()
        self.suspension = nil
        if state == .background {
            self.suspension = self.eventLoop.assumeIsolated().scheduleTask(in: Self.backgroundTime) { [weak self] in
                self?.suspend()
            }
        }
        self.delegate?.applicationDidChangeState(self)
        self.observer?.applicationDidChange(self)
        if self.isRunning { self.runPostponed() }
    }

    // MARK: Work in virtual time

    /// Runs code later; while the app is suspended it waits, and when the app ends it is dropped.
    func schedule(in delay: TimeAmount, _ work: @escaping () -> Void) {
        let launch = self.launchCount
        self.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self, self.launchCount == launch else { return }
            switch self.state {
            case .foreground, .background: self.run(work)
            case .suspended: self.postponed.append(work)
            case .terminated, .notRunning: break
            }
        }
    }

    private func runPostponed() {
        let works = self.postponed
        self.postponed = []
        for work in works { self.run(work) }
    }
}

extension Application: ApplicationPolicy {
    var isTerminated: Bool { self.state == .terminated }

    var process: Int? { self.exists ? self.launchCount : nil }

    func permission(for role: ManagerRole) -> ManagerPermission {
        switch self.state {
        case .foreground: .everything
        case .background, .suspended, .terminated: self.outlivesProcess(role) ? .background : .nothing
        case .notRunning: .nothing
        }
    }

    func delivery(for role: ManagerRole) -> EventDelivery {
        guard self.state == .foreground || self.outlivesProcess(role) else { return .deferred }
        return switch self.state {
        case .foreground, .background: .now
        case .suspended: .wakes
        case .terminated: .launches
        case .notRunning: .deferred
        }
    }

    func outlivesProcess(_ role: ManagerRole) -> Bool {
        switch role {
        case .central: self.modes.contains(.central)
        case .peripheral: self.modes.contains(.peripheral)
        }
    }

    func wake() {
        guard self.state == .suspended else { return }
        self.change(to: .background)
    }

    func requestLaunch() {
        guard self.state == .terminated, !self.isLaunchRequested else { return }
        self.isLaunchRequested = true
        self.delegate?.applicationNeedsLaunch(self)
    }

    func show(_ alert: ConnectionAlert, about peripheral: String) {
        guard self.state == .suspended, !self.modes.contains(.central) else { return }
        self.delegate?.application(self, didShow: alert, about: peripheral)
    }
}

/// Is notified of an app's life cycle.
protocol ApplicationDelegate: AnyObject {
    /// The app's state changed.
    func applicationDidChangeState(_ application: Application)
    /// The app, which the system had ended, must be launched in the background; events wait for it.
    func applicationNeedsLaunch(_ application: Application)
    /// The system has shown an alert for the app.
    func application(_ application: Application, didShow alert: ConnectionAlert, about peripheral: String)
}
