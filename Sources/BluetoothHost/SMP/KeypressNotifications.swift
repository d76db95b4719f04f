// Which keypress notifications of a peer are in their place (Vol 3, Part H, 3.5.8): those out of place are ignored, and
// the others are reported up to a limit.

/// The keypress notifications of a peer: a beginning, digits, an end (3.5.8).
struct KeypressNotifications: Hashable, Sendable {
    /// The number of notifications that are reported at most.
    static let limit = 64

    private enum State: Hashable {
        case notStarted
        case started(count: Int)
        case completed
    }

    private var state = State.notStarted

    init() {}

    /// Whether a notification is in its place.
    mutating func accept(_ notification: KeypressNotification) -> Bool {
        switch (self.state, notification) {
        case (.notStarted, .entryStarted):
            self.state = .started(count: 1)
            return true
        case (.started, .entryCompleted):
            self.state = .completed
            return true
        case (.started(let count), .digitEntered), (.started(let count), .digitErased),
            (.started(let count), .cleared):
            guard count < Self.limit else { return false }
            self.state = .started(count: count + 1)
            return true
        case (.notStarted, _), (.started, _), (.completed, _):
            return false
        }
    }
}
