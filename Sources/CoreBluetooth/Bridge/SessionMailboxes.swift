// A session's two mailboxes: the commands of its manager, and the events for it. They end with the manager; a manager
// that takes the session over brings others.

/// The mailboxes between a manager and its session on the event loop.
struct SessionMailboxes<Command: Sendable, Event: Sendable> {
    /// The number of the session that these mailboxes were opened for: after a takeover another session has them. `nil`
    /// while there is no manager.
    private(set) var number: Int?
    /// What the manager asks for.
    private(set) var commands: Mailbox<Command>
    private var events: Mailbox<Event>
    /// What leaves at the end of the turn, or waits for the app.
    var outbox: [Event] = []
    /// How many of these events are merged already, while they are deferred.
    var mergedCount = 0

    init(number: Int, commands: Mailbox<Command>, events: Mailbox<Event>) {
        self.number = number
        self.commands = commands
        self.events = events
    }

    /// Lets everything leave that waits.
    mutating func send() {
        self.events.send(&self.outbox)
        self.mergedCount = 0
    }

    /// The manager is gone; what happens from now on waits.
    mutating func detach() {
        self.number = nil
        self.outbox = []
    }

    /// Another manager is attached: `preservedState` is delivered to it before all that has waited.
    mutating func attach(_ successor: Self, reporting preservedState: [Event]) {
        self.number = successor.number
        self.commands = successor.commands
        self.events = successor.events
        self.outbox.insert(contentsOf: preservedState, at: 0)
    }
}
