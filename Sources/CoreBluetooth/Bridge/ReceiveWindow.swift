// Flow control between the event loop and an app: how much that peers sent may wait for the app. The event loop counts what
// it reports, the app's side what its delegate has taken. A full window holds back the link that the values come on, down to
// the peer (`LEHost.pauseReceiving(on:)`); of advertisements, which a controller may lose as well, none are reported
// meanwhile.
//
//     open ── as much waits as the window holds ──▶ full ── half of it is taken ──▶ open
//                                                    └── as much waits as the limit ──▶ overrun
//
// overrun: the controller could not be held back. The link ends, with a line that says so.

import Synchronization

/// Counts what waits for an app.
final class ReceiveWindow: Sendable {
    private struct State {
        var octets = 0
        var isFull = false
    }

    /// What an event has led to.
    enum Change {
        /// Nothing.
        case none
        /// The window is full with it.
        case full
        /// The limit is reached with it.
        case overrun
    }

    /// How many octets may wait.
    static let size = 128 * 1024
    /// How many octets wait at most where nothing holds them back.
    static let limit = 4 * 1024 * 1024
    /// What an event counts beside the octets of its value.
    private static let overhead = 64

    private let state = Mutex(State())

    /// Whether nothing more is to be reported for now.
    var isFull: Bool { self.state.withLock { $0.isFull } }

    /// Counts an event with so many octets that waits for the app.
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

    /// Counts events that the app has taken, of so many octets together; says whether the window is open again with that.
    func remove(_ octets: Int, events: Int = 1) -> Bool {
        self.state.withLock { state in
            state.octets = max(0, state.octets - octets - events * Self.overhead)
            guard state.isFull, state.octets <= Self.size / 2 else { return false }
            state.isFull = false
            return true
        }
    }
}

/// What an app has taken of the events that were handed to its queue together: counted once for each run of events of one
/// window, since each count takes a lock.
struct TakenEvents<Owner> {
    private var window: ReceiveWindow?
    private var owner: Owner?
    private var octets = 0
    private var events = 0

    /// The app has taken an event; returns whose window is open again.
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

    /// Counts what was taken; returns whose window is open again.
    mutating func flush() -> Owner? {
        guard let window = self.window else { return nil }
        let owner = self.owner
        let isOpened = window.remove(self.octets, events: self.events)
        self = TakenEvents()
        return isOpened ? owner : nil
    }
}
