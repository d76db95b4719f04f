// Flow control between the event loop and an app: how much that peers sent may wait for the app. The event loop counts what
// it reports, the app's side what its delegate has taken. A full window holds back the link that the values come on, down to
// the peer (`LEHost.pauseReceiving(on:)`); of advertisements, which a controller may lose as well, none are reported
// meanwhile.
//
//     open ── as much waits as the window holds ──▶ full ── half of it is taken ──▶ open

import NIOConcurrencyHelpers

/// Counts what waits for an app.
final class ReceiveWindow: Sendable {
    private struct State {
        var octets = 0
        var isFull = false
    }

    /// How many octets may wait.
    static let size = 128 * 1024
    /// What an event counts beside the octets of its value.
    private static let overhead = 64

    private let state = NIOLockedValueBox(State())

    /// Whether nothing more is to be reported for now.
    var isFull: Bool { self.state.withLockedValue { $0.isFull } }

    /// Counts an event with so many octets that waits for the app; says whether the window is full with it.
    func add(_ octets: Int) -> Bool {
        self.state.withLockedValue { state in
            state.octets += octets + Self.overhead
            guard !state.isFull, state.octets >= Self.size else { return false }
            state.isFull = true
            return true
        }
    }

    /// Counts an event that the app has taken; says whether the window is open again with that.
    func remove(_ octets: Int) -> Bool {
        self.state.withLockedValue { state in
            state.octets = max(0, state.octets - octets - Self.overhead)
            guard state.isFull, state.octets <= Self.size / 2 else { return false }
            state.isFull = false
            return true
        }
    }
}
