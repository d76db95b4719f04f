// The state that `CBPeripheral.state` shows: the app's calls change it at once, the event loop's reports when they are
// delivered on the manager's queue. Calls and reports may cross on their way, so each connection has a number, its
// attempt, and reports of an earlier attempt change nothing.
//
//     disconnected ── connect ──▶ connecting ── didConnect ──▶ connected ── didDisconnect ──▶ disconnected
//                                     ▲ │                         │ │
//                                     │ └─── cancel ──▶ disconnecting ◀─ cancel
//                                     └── link lost, and it is waited for again
//
// - disconnected: there is no connection; the next `connect` begins a new attempt.
// - connecting: a connection was asked for.
// - connected: there is one. A `connect` in this state is answered with another `didConnect` if the event loop knows
//   the connection; `repeatedRequests` counts the calls that are not answered yet. If the link was lost before such a
//   call reached the event loop, the call waits for the next link, under the same attempt: the disconnection that is
//   reported then leads to connecting, not to disconnected.
// - disconnecting: the app has cancelled, and the end of the connection is not reported yet.
//
// A peer changes this only through the event loop's reports. No timers.

/// One `CBPeripheral` object's connection as its app sees it.
struct ObservedConnection {
    private enum State: Equatable {
        case disconnected
        case connecting
        case connected(repeatedRequests: Int)
        case disconnecting
    }

    /// The meaning of a report of a connection for the app.
    enum Report: Equatable {
        /// The connection begins.
        case begins
        /// It was there already and is reported again.
        case goesOn
    }

    private var current = State.disconnected
    /// The number of connections that the app asked for.
    private(set) var attempt: UInt32 = 0

    /// The state as Core Bluetooth names it.
    var state: CBPeripheralState {
        switch self.current {
        case .disconnected: .disconnected
        case .connecting: .connecting
        case .connected: .connected
        case .disconnecting: .disconnecting
        }
    }

    /// A connection that another process, or another manager, had goes on.
    mutating func restore(attempt: UInt32?, isConnected: Bool) {
        self.attempt = attempt ?? self.attempt &+ 1
        self.current = isConnected ? .connected(repeatedRequests: 0) : .connecting
    }

    // MARK: The app

    /// The app asks for a connection. Returns the attempt to send to the event loop; `nil` if the app waits for one
    /// already.
    mutating func connect() -> UInt32? {
        switch self.current {
        case .connecting: return nil
        case .connected(let count): self.current = .connected(repeatedRequests: count + 1)
        case .disconnected, .disconnecting:
            self.attempt &+= 1
            self.current = .connecting
        }
        return self.attempt
    }

    /// The app cancels. Returns the attempt to cancel; `nil` if there is none.
    mutating func cancel() -> UInt32? {
        switch self.current {
        case .disconnected, .disconnecting: return nil
        case .connecting, .connected:
            self.current = .disconnecting
            return self.attempt
        }
    }

    /// The adapter stopped: every attempt so far is over.
    mutating func invalidate() {
        self.attempt &+= 1
        self.current = .disconnected
    }

    // MARK: The event loop

    /// Whether an attempt is the present one, and connected.
    @inline(__always)
    func isConnected(_ attempt: UInt32) -> Bool {
        guard attempt == self.attempt else { return false }
        return switch self.current {
        case .connected: true
        case .disconnected, .connecting, .disconnecting: false
        }
    }

    /// There is a connection. Returns `nil` if the app no longer wants it.
    mutating func connected(_ attempt: UInt32) -> Report? {
        guard attempt == self.attempt else { return nil }
        switch self.current {
        case .connecting:
            self.current = .connected(repeatedRequests: 0)
            return .begins
        case .connected(let count):
            self.current = .connected(repeatedRequests: max(0, count - 1))
            return .goesOn
        case .disconnected, .disconnecting: return nil
        }
    }

    /// A connection has ended, or could not be made. Returns whether the app waits for the next one under the same
    /// attempt.
    @discardableResult
    mutating func disconnected(_ attempt: UInt32, isReconnecting: Bool = false) -> Bool {
        guard attempt == self.attempt else { return false }
        let isRepeated = if case .connected(let count) = self.current { count > 0 } else { false }
        self.current = isReconnecting || isRepeated ? .connecting : .disconnected
        return self.current == .connecting
    }
}
