// The common part of the sessions of central and peripheral managers: the app that they belong to, the state that was
// reported to their managers, and how they go on or end when their app ends.

import NIOCore

/// A command or an event, on its way between a manager and its session.
protocol ManagerMessage: Sendable {
    /// Replaces a message that was taken.
    static var taken: Self { get }
}

extension ManagerMessage {
    /// Takes the message out of its place in an array.
    ///
    /// A value in it then has one owner, so that the layers below write their headers in front of it, and no reference
    /// count changes.
    @inline(__always)
    mutating func take() -> Self {
        let message = consume self
        self = .taken
        return message
    }
}

/// A command of a manager.
protocol ManagerCommand: ManagerMessage {
    /// The manager has taken over what the process before this one did.
    static var restored: Self { get }
}

extension ManagerCommand {
    static var taken: Self { .restored }
}

/// An event for a manager.
protocol ManagerEvent: ManagerMessage {
    /// The state of a manager that its app gets back.
    associatedtype Restoration

    /// The state of an earlier process, or an earlier manager, that this one takes over.
    static func restored(_ restoration: Restoration) -> Self
    /// The state of the adapter.
    static func state(_ state: CBManagerState) -> Self

    /// Whether an app is woken for the event; other events are bookkeeping of its managers.
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
    /// Stores what the manager does; `nil` without a restore identifier.
    var recordStore: RecordStore<Record>? { get }
    /// The state of the adapter that was last reported to the manager.
    var reportedState: CBManagerState? { get set }
    /// The number of unprocessed "adapter stopped" events.
    ///
    /// Until the manager has processed them, what it begins counts as called while the adapter was off: the manager is
    /// about to forget it.
    var unseenStops: Int { get set }
    /// The state that the app had when it ended, while the session is orphaned; events wait meanwhile.
    var preservedState: Event.Restoration? { get set }
    /// The manager's commands; `nil` while there is no manager. One that takes the session over brings its mailboxes.
    var commands: Mailbox<Command>? { get set }
    /// The way to the manager.
    var events: Mailbox<Event> { get set }
    /// The events that leave at the end of the turn, or wait for the app.
    var outbox: [Event] { get set }
    /// The number of events in ``outbox`` that are merged already.
    var mergedCount: Int { get set }

    /// Carries out what the manager asks for.
    func perform(_ command: consuming Command)
    /// Merges the events that wait for the app, or drops some, so that there are not too many.
    func limitDeferredEvents()
    /// The record to store of the manager's present state.
    func makeRecord() -> Record
    /// Restores the stored state of the manager.
    func restore(from writer: StateWriter)
    /// The state for the app to take over.
    func restoration() -> Event.Restoration
    /// Ends everything that ends with the app's process although the session goes on.
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
    func report(_ event: consuming Event) { self.outbox.append(event) }

    /// Lets the turn's events leave.
    func flush() {
        // A controller that is lost for a moment may be lost because everything ends: the record stays as it is until
        // it is back.
        if self.core.state != .resetting { self.recordStore?.save(self.makeRecord) }
        if let application = self.application, !self.mayFlush(under: application) { return }
        self.events.send(&self.outbox)
        self.mergedCount = 0
    }

    /// Carries out the commands that wait.
    func drainCommands() {
        self.commands?.drain { for index in $0.indices { self.perform($0[index].take()) } }
    }

    /// The manager is gone, and everything that it did ends.
    func end() {
        self.cancelAll()
        self.recordStore?.remove()
        self.core.remove(self)
    }

    /// Reports the adapter's state if it has changed for the manager.
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
            self.commands = nil
            self.outbox = []
        } else {
            self.end()
        }
    }

    /// A new manager takes the orphaned session over: the preserved state is reported to it, then what has happened
    /// since.
    func takeOver(_ successor: Self) {
        guard let preservedState = self.preservedState else { return }
        self.preservedState = nil
        self.commands = successor.commands
        self.events = successor.events
        self.outbox.insert(contentsOf: [.restored(preservedState), .state(self.core.state)], at: 0)
        self.reportedState = self.core.state
        self.unseenStops = self.core.state == .poweredOn ? 0 : 1
    }

    /// Whether the manager can begin something: the adapter is on, and the manager knows of each time that it was not.
    var canBegin: Bool { self.core.isReady && self.unseenStops == 0 }

    /// The manager has processed an "adapter stopped" event.
    func stopSeen() { self.unseenStops = max(0, self.unseenStops - 1) }

    /// The orphaned session among `others` that the manager takes over instead of its own.
    func orphanedSession(among others: [Self]) -> Self? {
        guard let application = self.application, let identifier = self.recordStore?.identifier else { return nil }
        return others.first {
            $0.preservedState != nil && $0.application === application && $0.recordStore?.identifier == identifier
        }
    }
}
