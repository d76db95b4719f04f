// The ends that a session has of its manager's two lanes. An app that ends takes its manager's ends with it; a manager
// that takes the session over brings others.

/// A session's ends of the lanes between its manager and the event loop.
struct SessionMailboxes<Command: Sendable, Event: Sendable> {
    /// Whose commands are carried out: the number of the session that these lanes were opened for, which is another than
    /// the one that has them after a takeover. Nobody's while there is no manager.
    private(set) var number: Int?
    /// What the manager asks for.
    private(set) var commands: Mailbox<Command>
    private var events: Mailbox<Event>
    /// What leaves at the end of the turn, or waits for the app.
    var outbox: [Event] = []

    init(number: Int, commands: Mailbox<Command>, events: Mailbox<Event>) {
        self.number = number
        self.commands = commands
        self.events = events
    }

    /// Lets everything leave that waits.
    mutating func send() { self.events.send(&self.outbox) }

    /// The manager is gone; what happens from now on waits.
    mutating func leave() {
        self.number = nil
        self.outbox = []
    }

    /// Another manager is there, which is told `estate` before all that has waited.
    mutating func join(_ successor: Self, telling estate: [Event]) {
        self.number = successor.number
        self.commands = successor.commands
        self.events = successor.events
        self.outbox.insert(contentsOf: estate, at: 0)
    }
}
