// Flow control between the event loop and an app: the data of peers that may wait for the app. The event loop counts
// the events that it reports, the app's side those that its delegate has taken. A full window pauses the link of the
// values, down to the peer (`LEHost.pauseReceiving(on:)`). Advertisements are not reported meanwhile; a controller may
// lose them as well.
//
//     open ── as much waits as the window holds ──▶ full ── half of it is taken ──▶ open
//                                                    └── as much waits as the limit ──▶ overrun
//
// overrun: the controller could not be paused. The link ends, with a line that says so.

import Synchronization

/// Counts the events that wait for an app.
final class ReceiveWindow: Sendable {
    private struct State {
        var octets = 0
        var isFull = false
    }

    /// The effect of an event.
    enum Change {
        /// Nothing.
        case none
        /// The window is full with it.
        case full
        /// The limit is reached with it.
        case overrun
    }

    /// The number of octets that may wait.
    static let size = 128 * 1024
    /// The number of octets at which the link ends, if it cannot be paused.
    static let limit = 4 * 1024 * 1024
    /// The size of an event without the octets of its value.
    private static let overhead = 64

    private let state = Mutex(State())

    /// Whether nothing more may be reported for now.
    var isFull: Bool { self.state.withLock { $0.isFull } }

    /// Counts an event of `octets` that waits for the app.
    func add(_ octets: Int) -> Change {
        self.state.withLock { state in
            let before = state.octets
            state.octets += octets + Self.overhead
            if before < Self.limit, state.octets >= Self.limit { return .overrun }
            guard !state.isFull, state.octets >= Self.size else { return .none }
            state.isFull = true
            return .full
        }
    }

    /// Counts events that the app has taken, of `octets` together. Returns whether the window is open again.
    func remove(_ octets: Int, events: Int = 1) -> Bool {
        self.state.withLock { state in
            state.octets = max(0, state.octets - octets - events * Self.overhead)
            guard state.isFull, state.octets <= Self.size / 2 else { return false }
            state.isFull = false
            return true
        }
    }
}

/// The events that an app has taken of those that were handed to its queue together: counted once for each run of
/// events of one window, since each count takes a lock.
struct TakenEvents<Owner> {
    private var window: ReceiveWindow?
    private var owner: Owner?
    private var octets = 0
    private var events = 0

    /// The app has taken an event. Returns the owner of a window that is open again.
    mutating func add(_ octets: Int, in window: ReceiveWindow, of owner: Owner) -> Owner? {
        let opened = self.window === window ? nil : self.flush()
        if self.window == nil {
            self.window = window
            self.owner = owner
        }
        self.octets += octets
        self.events += 1
        return opened
    }

    /// Counts the taken events. Returns the owner of a window that is open again.
    mutating func flush() -> Owner? {
        guard let window = self.window else { return nil }
        let owner = self.owner
        let isOpened = window.remove(self.octets, events: self.events)
        self = TakenEvents()
        return isOpened ? owner : nil
    }
}
