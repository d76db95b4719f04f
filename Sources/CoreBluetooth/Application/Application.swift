// An app, as the system knows it: the managers of one program on one adapter, and whether the program is in the foreground,
// in the background, suspended or not running at all. What follows from that for scanning, advertising, services and
// events is in the other files of this folder, by Apple's rules.
//
// A plain Linux process is no such app: its managers belong to none, and are always in the foreground. Apps are made by
// CoreBluetoothTesting, for devices in virtual time. Everything here is used on the adapter's event loop alone.

package import NIOCore

/// One app on one adapter.
package final class Application {
    /// What an app has declared that it does in the background.
    package struct BackgroundModes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `bluetooth-central`.
        package static let central = BackgroundModes(rawValue: 1 << 0)
        /// `bluetooth-peripheral`.
        package static let peripheral = BackgroundModes(rawValue: 1 << 1)
    }

    /// Where an app stands.
    package enum State: Hashable, Sendable {
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

    /// What the system shows in place of an app that cannot run.
    package struct Alert: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case connection
            case disconnection
            case notification
        }

        package var kind: Kind
        package var peripheral: String
    }

    /// How long an app may run in the background before it is suspended: 10 s.
    package static let backgroundTime = TimeAmount.seconds(10)
    /// How many events wait for an app that cannot be told; of more, the oldest values and sightings are lost.
    package static let heldEventLimit = 1000

    /// The app's name, which tells its restoration records from those of other apps.
    package let name: String
    package let modes: BackgroundModes
    package private(set) var state = State.notRunning
    /// Whether the app may use Bluetooth.
    package var authorization: CBManagerAuthorization {
        didSet { if self.authorization != oldValue { self.core?.authorizationChanged(of: self) } }
    }
    /// Told of what happens to the app.
    package weak var delegate: (any ApplicationDelegate)?

    private let eventLoop: any EventLoop
    /// The adapter of the app's managers, once there is one.
    weak var core: AdapterCore?
    /// How often it was launched: what belongs to an earlier time is void.
    private(set) var launchCount = 0
    private var suspension: Scheduled<Void>?
    private var postponed: [() -> Void] = []
    private var isLaunchRequested = false

    /// An app that does not run yet.
    package init(
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

    // MARK: Whose a manager is

    @TaskLocal private static var surrounding: NIOLoopBound<Application>?

    /// The app whose code runs now.
    ///
    /// Only ever set on the app's own event loop.
    static var current: Application? { self.surrounding?.value }

    /// Runs code of the app: managers that are made there are the app's.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        return try Self.$surrounding.withValue(bound, operation: body)
    }

    // MARK: Life

    /// Whether its code runs.
    package var isRunning: Bool { self.state == .foreground || self.state == .background }

    /// Whether there is a process of it.
    var exists: Bool { self.isRunning || self.state == .suspended }

    /// The app is launched: by the user into the foreground, or by the system into the background.
    package func launch(inBackground: Bool) {
        precondition(self.state == .notRunning || self.state == .terminated, "the app runs already")
        self.launchCount += 1
        self.isLaunchRequested = false
        self.change(to: inBackground ? .background : .foreground)
    }

    /// The user opens the app.
    package func enterForeground() {
        guard self.state == .background || self.state == .suspended else { return }
        self.change(to: .foreground)
    }

    /// The user turns to another app.
    package func enterBackground() {
        guard self.state == .foreground else { return }
        self.change(to: .background)
    }

    /// The app's time in the background is over.
    package func suspend() {
        guard self.isRunning else { return }
        self.change(to: .suspended)
    }

    /// Something has happened that the app is to be told of, wherever it is.
    func wake() {
        guard self.state == .suspended else { return }
        self.change(to: .background)
    }

    /// The system ends the app, or the user does; only the system launches it again.
    package func end(bySystem: Bool) {
        guard self.state != .notRunning else { return }
        if let core = self.core { core.applicationEnds(self, isForGood: !bySystem) }
        self.postponed = []
        self.change(to: bySystem ? .terminated : .notRunning)
    }

    /// Something has happened that the app, which was ended by the system, is to be told of.
    func requestLaunch() {
        guard self.state == .terminated, !self.isLaunchRequested else { return }
        self.isLaunchRequested = true
        self.delegate?.applicationNeedsLaunch(self)
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
        self.core?.applicationChanged(self)
        if self.isRunning { self.runPostponed() }
    }

    // MARK: Work in virtual time

    /// Does something later; while the app is suspended it waits, and what is left when the app ends is never done.
    package func schedule(in delay: TimeAmount, _ work: @escaping () -> Void) {
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

    // MARK: Alerts

    /// Shows an alert, where the app cannot do that itself.
    func show(_ kind: Alert.Kind, _ peripheral: String) {
        guard self.state == .suspended, !self.modes.contains(.central) else { return }
        self.delegate?.application(self, didShow: Alert(kind: kind, peripheral: peripheral))
    }
}

/// What happens to an app, for whoever made it.
package protocol ApplicationDelegate: AnyObject {
    /// The app's state changed.
    func applicationDidChangeState(_ application: Application)
    /// The app was ended by the system and is to be launched again, in the background; events wait for it.
    func applicationNeedsLaunch(_ application: Application)
    /// The system has shown an alert for the app.
    func application(_ application: Application, didShow alert: Application.Alert)
}
