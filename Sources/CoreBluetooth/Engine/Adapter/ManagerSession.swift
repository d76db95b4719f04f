// What the sessions of central and peripheral managers have in common: the app that they belong to, the state that was
// reported to their managers, and what becomes of them when their app ends.

import NIOCore

/// What travels between a manager and its session.
protocol ManagerMessage: Sendable {
    /// What stands in the place of a message that was taken.
    static var taken: Self { get }
}

extension ManagerMessage {
    /// Takes the message out of its place in an array.
    ///
    /// A value in it then has one owner, so that the layers below write their headers in front of it, and nothing that
    /// it holds is counted once more.
    @inline(__always)
    mutating func take() -> Self {
        let message = consume self
        self = .taken
        return message
    }
}

/// What a manager asks for.
protocol ManagerCommand: ManagerMessage {
    /// The manager has taken over what the process before this one did.
    static var restored: Self { get }
}

extension ManagerCommand {
    static var taken: Self { .restored }
}

/// An event for a manager.
protocol ManagerEvent: ManagerMessage {
    /// What an app knows of what its manager did.
    associatedtype Restoration

    /// What the process, or the manager, before this one did is to be taken over.
    static func restored(_ restoration: Restoration) -> Self
    /// What the adapter can do now.
    static func state(_ state: CBManagerState) -> Self

    /// Whether an app is woken for the event; the others are the bookkeeping of its managers.
    var isWorthWaking: Bool { get }
}

extension ManagerEvent {
    static var taken: Self { .state(.unknown) }
}

/// A manager's other half on the event loop, in either role.
protocol ManagerSession: AnyObject, SendableMetatype {
    associatedtype Command: ManagerCommand
    associatedtype Event: ManagerEvent
    associatedtype Record: PreservedRecord

    /// The role, as apps declare it.
    static var role: ManagerRole { get }

    init(
        number: Int,
        core: AdapterCore,
        application: (any ApplicationPolicy)?,
        restoreIdentifier: String?,
        commands: Mailbox<Command>,
        events: Mailbox<Event>
    )

    /// Works on the adapter's sessions of this role.
    static func withSessions<Result>(of core: AdapterCore, _ body: (inout [Self]) -> Result) -> Result

    var core: AdapterCore { get }
    /// The app that the manager belongs to; `nil` for a process that is no app.
    var application: (any ApplicationPolicy)? { get }
    /// Stores what the manager does, where it has a restore identifier.
    var recordStore: RecordStore<Record>? { get }
    /// The state of the adapter that was last reported to the manager.
    var reportedState: CBManagerState? { get set }
    /// How many reports that the adapter stopped the manager has not taken yet.
    ///
    /// Until it has, what it begins counts as called while the adapter was off: the manager is about to forget it.
    var unseenStops: Int { get set }
    /// What the app had when it ended, while the session is orphaned: what happens meanwhile waits.
    var preservedState: Event.Restoration? { get set }
    /// The ways from the manager and to it.
    var mailboxes: SessionMailboxes<Command, Event> { get set }

    /// Carries out what the manager asks for.
    func perform(_ command: consuming Command)
    /// Merges the events that wait for the app, or drops some, so that there are not too many.
    func limitDeferredEvents()
    /// What is stored of the manager now.
    func makeRecord() -> Record
    /// Restores what is stored of the manager.
    func restore(from writer: StateWriter)
    /// What the app knows now.
    func restoration() -> Event.Restoration
    /// Ends what ends with the process of the app while the session goes on.
    func processEnded()
    /// The adapter stopped.
    func adapterStopped(_ state: CBManagerState)
    /// Ends everything that the manager does, without reporting it.
    func cancelAll()
    /// The process is over.
    func kill()
}

extension ManagerSession {
    /// Whether the manager has a restore identifier.
    var isPreserved: Bool { self.recordStore != nil }

    /// Something has changed that its record holds.
    @inline(__always)
    func noteChange() { self.recordStore?.noteChange() }

    /// Adds an event to those that leave at the end of the turn.
    @inline(__always)
    func report(_ event: consuming Event) { self.mailboxes.outbox.append(event) }

    /// Lets the turn's events leave.
    func flush() {
        // A controller that is lost for a moment may be lost because everything ends: the record stays as it is until
        // it is back.
        if self.core.state != .resetting { self.recordStore?.save(self.makeRecord) }
        if let application = self.application, !self.mayFlush(under: application) { return }
        self.mailboxes.send()
    }

    /// Carries out the commands that wait.
    func drainCommands() {
        self.mailboxes.commands.drain { for index in $0.indices { self.perform($0[index].take()) } }
    }

    /// The manager is gone, and everything that it did ends.
    func end() {
        self.cancelAll()
        self.recordStore?.remove()
        self.core.remove(self)
    }

    /// Reports the adapter's state where it has changed for the manager.
    func reportState() {
        guard let state = self.application.visibleState(self.core.state), state != self.reportedState else { return }
        if state == .poweredOn, let writer = self.core.writer { self.restore(from: writer) }
        self.reportedState = state
        if state != .poweredOn { self.unseenStops += 1 }
        self.report(.state(state))
    }

    /// The user lets the app use Bluetooth, or no longer.
    func authorizationChanged() {
        if self.application.visibleState(self.core.state) != .poweredOn { self.cancelAll() }
        self.reportState()
    }

    /// The app has ended, and the manager is gone. With a restore identifier and the background mode of its role, what
    /// it did goes on, unless the app ends for good.
    func applicationEnded(isForGood: Bool) {
        if self.preservedState == nil { self.drainCommands() }
        let isLeft = !isForGood && self.isPreserved && self.application?.outlivesProcess(Self.role) == true
        if isLeft, self.reportedState == .poweredOn {
            guard self.preservedState == nil else { return }
            self.processEnded()
            self.preservedState = self.restoration()
            self.mailboxes.detach()
        } else {
            self.end()
        }
    }

    /// A new manager takes the orphaned session over: the preserved state is reported to it, then what has happened
    /// since.
    func takeOver(_ successor: Self) {
        guard let preservedState = self.preservedState else { return }
        self.preservedState = nil
        self.mailboxes.attach(successor.mailboxes, reporting: [.restored(preservedState), .state(self.core.state)])
        self.reportedState = self.core.state
        self.unseenStops = self.core.state == .poweredOn ? 0 : 1
    }

    /// Whether the manager can begin something: the adapter is on, and the manager knows of each time that it was not.
    var canBegin: Bool { self.core.isReady && self.unseenStops == 0 }

    /// The manager has taken a report that the adapter stopped.
    func stopSeen() { self.unseenStops = max(0, self.unseenStops - 1) }

    /// The orphaned session among `others` that the manager takes over in place of its own.
    func orphanedSession(among others: [Self]) -> Self? {
        guard let application = self.application, let identifier = self.recordStore?.identifier else { return nil }
        return others.first {
            $0.preservedState != nil && $0.application === application && $0.recordStore?.identifier == identifier
        }
    }
}
