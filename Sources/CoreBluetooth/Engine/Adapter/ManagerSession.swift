// What the sessions of central and peripheral managers have in common: who they belong to, what their managers were told
// of the adapter, and what becomes of them when their app ends.

import NIOCore

/// An event for a manager.
protocol ManagerEvent: Sendable {
    /// What an app knows of what its manager did.
    associatedtype Restoration

    /// What the process, or the manager, before this one did is to be taken up.
    static func restored(_ restoration: Restoration) -> Self
    /// What the adapter can do now.
    static func state(_ state: CBManagerState) -> Self
}

/// A manager's other half on the event loop, in either role.
protocol ManagerSession: AnyObject, SendableMetatype {
    associatedtype Command: Sendable
    associatedtype Event: ManagerEvent
    associatedtype Record: PreservedRecord

    /// The role, as apps declare it.
    static var role: Application.BackgroundModes { get }

    init(
        number: Int,
        core: AdapterCore,
        application: Application?,
        restoreIdentifier: String?,
        commands: Mailbox<Command>,
        events: Mailbox<Event>
    )

    /// Works on the adapter's sessions of this role.
    static func withSessions<Result>(of core: AdapterCore, _ body: (inout [Self]) -> Result) -> Result

    var core: AdapterCore { get }
    /// The app that the manager belongs to; `nil` for a process that is no app.
    var application: Application? { get }
    /// Keeps what the manager does, where it has a restore identifier.
    var keeper: RecordKeeper<Record>? { get }
    /// The state of the adapter that the manager was told last.
    var toldState: CBManagerState? { get set }
    /// What the app knew when it ended, while the session has no manager: what happens meanwhile waits.
    var estate: Event.Restoration? { get set }
    /// The ways from the manager and to it.
    var lanes: SessionMailboxes<Command, Event> { get set }

    /// Carries out what the manager asks for.
    func perform(_ command: Command)
    /// Lets the turn's events leave.
    func flush()
    /// Takes up what is kept of the manager.
    func restore(from writer: StateWriter)
    /// What the app knows now.
    func restoration() -> Event.Restoration
    /// Ends the channels: they end with the app that has their streams.
    func closeChannels()
    /// The adapter stopped.
    func adapterStopped(_ state: CBManagerState)
    /// Ends everything that the manager does, without a word to it.
    func giveUp()
    /// The process is over.
    func kill()
}

extension ManagerSession {
    /// Whether the manager has a restore identifier.
    var isPreserved: Bool { self.keeper != nil }

    /// Something has changed that its record holds.
    @inline(__always)
    func noteChange() { self.keeper?.noteChange() }

    /// Adds an event to those that leave at the end of the turn.
    @inline(__always)
    func tell(_ event: Event) { self.lanes.outbox.append(event) }

    /// Carries out the commands that wait.
    func drainCommands() {
        self.lanes.commands.drain { for command in $0 { self.perform(command) } }
    }

    /// The manager is gone, and everything that it did ends.
    func end() {
        self.giveUp()
        self.keeper?.remove()
        self.core.remove(self)
    }

    /// Tells the manager what the adapter can do for it, where that is news.
    func tellState() {
        guard let state = self.application.visibleState(self.core.state), state != self.toldState else { return }
        if state == .poweredOn, let writer = self.core.writer { self.restore(from: writer) }
        self.toldState = state
        self.tell(.state(state))
    }

    /// The user lets the app use Bluetooth, or no longer.
    func authorizationChanged() {
        if self.application.visibleState(self.core.state) != .poweredOn { self.giveUp() }
        self.tellState()
    }

    /// The app has ended, and the manager is gone. With a restore identifier and the background mode of its role, what it
    /// did goes on, unless the app ends for good.
    func applicationEnded(isForGood: Bool) {
        if self.estate == nil { self.drainCommands() }
        let isLeft = !isForGood && self.isPreserved && self.application?.modes.contains(Self.role) == true
        if isLeft, self.toldState == .poweredOn {
            guard self.estate == nil else { return }
            self.closeChannels()
            self.estate = self.restoration()
            self.lanes.leave()
        } else {
            self.end()
        }
    }

    /// A new manager takes the session over: it is told what there was, then what has happened since.
    func adopt(_ successor: Self) {
        guard let estate = self.estate else { return }
        self.estate = nil
        self.lanes.join(successor.lanes, telling: [.restored(estate), .state(self.core.state)])
        self.toldState = self.core.state
    }

    /// The session among `others` that the manager takes over in place of its own.
    func heritage(among others: [Self]) -> Self? {
        guard let application = self.application, let identifier = self.keeper?.identifier else { return nil }
        return others.first {
            $0.estate != nil && $0.application === application && $0.keeper?.identifier == identifier
        }
    }
}
