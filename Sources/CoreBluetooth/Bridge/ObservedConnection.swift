// What `CBPeripheral.state` shows, without a queue: the app's calls change it at once, the event loop's reports when
// they are delivered on the manager's queue. Both cross on the way, so each connection has a number, its attempt, and
// what is reported of an earlier attempt changes nothing.
//
//     disconnected ── connect ──▶ connecting ── didConnect ──▶ connected ── didDisconnect ──▶ disconnected
//                                     ▲ │                         │ │
//                                     │ └─── cancel ──▶ disconnecting ◀─ cancel
//                                     └── link lost, and it is waited for again
//
// - disconnected: there is no connection; the next `connect` begins a new attempt.
// - connecting: a connection was asked for.
// - connected: there is one. A `connect` in this state is answered with one more `didConnect`, where the event loop
//   knows the connection; `repeatedRequests` counts the calls that are not answered yet. Where the link was lost before
//   such a call reached the event loop, the call has begun to wait for the next link, under the same attempt: the
//   disconnection that is reported then leads to connecting, not to disconnected.
// - disconnecting: the app has cancelled, and the end of the connection is not reported yet.
//
// A peer changes this through the event loop's reports alone. There is no time in it.

/// One `CBPeripheral` object's connection as its app sees it.
struct ObservedConnection {
    private enum State: Equatable {
        case disconnected
        case connecting
        case connected(repeatedRequests: Int)
        case disconnecting
    }

    /// What a report of a connection is for the app.
    enum Report: Equatable {
        /// The connection begins.
        case begins
        /// It was there already and is reported once more.
        case goesOn
    }

    private var current = State.disconnected
    /// How often a connection was asked for.
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

    /// The app asks for a connection; the attempt to ask the event loop for, `nil` where one is waited for already.
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

    /// The app cancels; the attempt to cancel, `nil` where there is none.
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

    /// There is a connection; `nil` where the app no longer wants it.
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

    /// A connection has ended, or could not be made; whether it is waited for under the same attempt.
    @discardableResult
    mutating func disconnected(_ attempt: UInt32, isReconnecting: Bool = false) -> Bool {
        guard attempt == self.attempt else { return false }
        let isRepeated = if case .connected(let count) = self.current { count > 0 } else { false }
        self.current = isReconnecting || isRepeated ? .connecting : .disconnected
        return self.current == .connecting
    }
}
