// An app as the system knows it, by Apple's rules (Core Bluetooth Programming Guide, "Core Bluetooth Background
// Processing for iOS Apps"): whether it is in the foreground, in the background, suspended, or not running at all, and
// what its managers may do and get there.
//
//     notRunning ── launch ──▶ foreground ◀──── user ────▶ background ── 10 s ──▶ suspended
//         ▲                                                    ▲                     │
//         │                                                    └──── event ──────────┘
//         └── ended by the user        terminated ── event ──▶ background
//
// - notRunning: it never ran, or the user has ended it: nothing of it goes on.
// - foreground: its managers may do everything, and get their events at once.
// - background: it runs for ten seconds. Without the background mode of a role, nothing of that role happens: scanning
//   and advertising pause, services are withdrawn, and events wait until the user comes back.
// - suspended: it does not run. With the background mode of a role, an event of that role wakes it into the background.
// - terminated: the system has ended it. With the background mode, what its managers with a restore identifier did goes
//   on, and an event launches it again.
//
// Everything here is used on the adapter's event loop alone; the ten seconds are a timer of that loop.

import CoreBluetooth
import NIOCore

/// One app on one adapter.
final class Application {
    /// Where an app stands.
    enum State: Hashable, Sendable {
        /// It has never run, or nothing of it is left.
        case notRunning
        /// It was ended by the system; what its managers with a restore identifier did goes on without it.
        case terminated
        /// It is there, and does not run.
        case suspended
        /// It runs for a while.
        case background
        /// It runs, and the user looks at it.
        case foreground
    }

    /// How long an app may run in the background before it is suspended: 10 s.
    static let backgroundTime = TimeAmount.seconds(10)

    /// The app's name, which distinguishes its restoration records from those of other apps.
    let name: String
    let modes: BackgroundModes
    private(set) var state = State.notRunning
    /// Whether the app may use Bluetooth.
    var authorization: CBManagerAuthorization {
        didSet { if self.authorization != oldValue { self.observer?.authorizationDidChange(of: self) } }
    }
    /// What is notified of the app's life.
    weak var delegate: (any ApplicationDelegate)?

    private let eventLoop: any EventLoop
    /// The adapter of the app's managers, once there is one.
    weak var observer: (any ApplicationObserver)?
    /// How often it was launched: what belongs to an earlier launch has no effect.
    private(set) var launchCount = 0
    private var suspension: Scheduled<Void>?
    private var postponed: [() -> Void] = []
    private var isLaunchRequested = false

    /// An app that does not run yet.
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

    /// Runs code of the app: managers that are made there are the app's.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try CurrentApplication.run(as: self, on: self.eventLoop, body)
    }

    // MARK: Life

    /// Whether its code runs.
    var isRunning: Bool { self.state == .foreground || self.state == .background }

    /// Whether there is a process of it.
    var exists: Bool { self.isRunning || self.state == .suspended }

    /// The app is launched: by the user into the foreground, or by the system into the background.
    func launch(inBackground: Bool) {
        precondition(self.state == .notRunning || self.state == .terminated, "the app runs already")
        self.launchCount += 1
        self.isLaunchRequested = false
        self.change(to: inBackground ? .background : .foreground)
    }

    /// The user opens the app.
    func enterForeground() {
        guard self.state == .background || self.state == .suspended else { return }
        self.change(to: .foreground)
    }

    /// The user turns to another app.
    func enterBackground() {
        guard self.state == .foreground else { return }
        self.change(to: .background)
    }

    /// The app's time in the background is over.
    func suspend() {
        guard self.isRunning else { return }
        self.change(to: .suspended)
    }

    /// The system ends the app, or the user does; only the system launches it again.
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

    /// Does something later; while the app is suspended it waits, and what is left when the app ends is never done.
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

/// What is notified of the life of an app.
protocol ApplicationDelegate: AnyObject {
    /// The app's state changed.
    func applicationDidChangeState(_ application: Application)
    /// The app was ended by the system and is to be launched again, in the background; events wait for it.
    func applicationNeedsLaunch(_ application: Application)
    /// The system has shown an alert for the app.
    func application(_ application: Application, didShow alert: ConnectionAlert, about peripheral: String)
}
