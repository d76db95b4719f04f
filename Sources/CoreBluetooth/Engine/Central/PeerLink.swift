// The link to one peer and the connections of this device's apps that share it, without I/O. Each `CBPeripheral` object
// that an app connects is one connection; all connections of a peer use one link (Vol 3, Part C, 9.3).
//
// The link:
//
//     none ── first request ──▶ connecting ── link ──▶ connected ── last connection cancelled ──▶ disconnecting
//      ▲                            │ failure              │ link lost                               │ link ended
//      └────────────────────────────┴──────────────────────┴─────────────────────────────────────────┘
//
// - none: there is no link, and no app asks for one.
// - connecting: the host tries to connect. A link that the peer opens meanwhile is used instead.
// - connected: there is a link; `isCentral` says whether this side opened it.
// - disconnecting: this side ends the link; requests that arrive now wait until it is gone.
//
// One connection:
//
//     delayed ── start delay over ──▶ pending ── link ──▶ established ── cancelled ──▶ leaving ── link ended ──▶ removed
//                                        ▲                    │
//                                        └── link lost, and the app asked for reconnection
//
// - delayed: the app asked for a start delay.
// - pending: it waits for the link, without a limit.
// - established: the app has the link.
// - leaving: the app has cancelled, and the link is being ended; the end is reported when it has ended.
//
// A connection that fails, is cancelled without a link, or loses its link without reconnection is removed at once. A
// link that other connections use, or that the peer opened, stays when a connection is cancelled.
//
// A peer can connect and disconnect whenever it likes, even twice at a time: a second link with the same peer is
// ignored until the first one has ended. No timers: the caller schedules the start delay.

import BluetoothHCI
import BluetoothHost

/// Decides when the link to a peer is opened and closed, and what is reported to each connection.
struct PeerLink<Connection: Equatable> {
    /// How one connection stands.
    enum Phase: Equatable {
        case delayed
        case pending
        case established
        case leaving
    }

    /// Actions to carry out, in order.
    enum Action: Equatable {
        /// Have the host connect to the peer.
        case connect
        /// Have the host stop connecting, and end a link that was made meanwhile.
        case cancelConnecting
        /// Have the host stop connecting, and keep a link that was made meanwhile.
        case stopConnecting
        /// Have the host end the link.
        case disconnect(LinkID)
        /// The connection has the link.
        case establish(Connection, LinkID)
        /// The connection is cancelled and will end with the link.
        case leave(Connection)
        /// The connection could not be made, and is removed.
        case fail(Connection, HCIErrorCode)
        /// The link is lost, and the connection waits for the next one.
        case reconnect(Connection, HCIErrorCode)
        /// The connection has ended, and is removed; the reason is `nil` if its app cancelled it.
        case end(Connection, HCIErrorCode?)
    }

    private enum State: Equatable {
        case none
        case connecting
        case connected(LinkID, isCentral: Bool)
        case disconnecting(LinkID)
    }

    private struct Request {
        let connection: Connection
        let reconnects: Bool
        var phase: Phase
    }

    private var state = State.none
    /// In the order in which they came.
    private var requests: ContiguousArray<Request> = []

    /// The link, while it can be used.
    var id: LinkID? {
        switch self.state {
        case .connected(let link, isCentral: _): link
        case .none, .connecting, .disconnecting: nil
        }
    }

    /// Whether there is neither a link nor a request.
    var isUnused: Bool { self.state == .none && self.requests.isEmpty }

    /// All connections, in the order in which they came.
    var connections: [Connection] { self.requests.map(\.connection) }

    /// The connections that have the link.
    var established: [Connection] { self.requests.filter { $0.phase == .established }.map(\.connection) }

    /// How a connection stands; `nil` if it has ended.
    func phase(of connection: Connection) -> Phase? {
        self.requests.first { $0.connection == connection }?.phase
    }

    // MARK: Apps

    /// An app asks for a connection.
    mutating func add(_ connection: Connection, reconnects: Bool, isDelayed: Bool) -> [Action] {
        self.requests.append(Request(connection: connection, reconnects: reconnects, phase: .delayed))
        return isDelayed ? [] : self.startDelayElapsed(connection)
    }

    /// The start delay of a connection is over.
    mutating func startDelayElapsed(_ connection: Connection) -> [Action] {
        guard let index = self.index(of: connection), self.requests[index].phase == .delayed else { return [] }
        self.requests[index].phase = .pending
        switch self.state {
        case .none: return self.connectIfWanted()
        case .connecting, .disconnecting: return []
        case .connected(let link, isCentral: _):
            self.requests[index].phase = .established
            return [.establish(connection, link)]
        }
    }

    /// An app cancels a connection.
    mutating func cancel(_ connection: Connection) -> [Action] {
        guard let index = self.index(of: connection) else { return [] }
        switch self.requests[index].phase {
        case .leaving: return []
        case .delayed:
            self.requests.remove(at: index)
            return [.end(connection, nil)]
        case .pending:
            self.requests.remove(at: index)
            guard self.state == .connecting, !self.hasPending else { return [.end(connection, nil)] }
            self.state = .none
            return [.end(connection, nil), .cancelConnecting]
        case .established:
            let isShared = self.requests.contains { $0.phase == .established && $0.connection != connection }
            if case .connected(let link, isCentral: true) = self.state, !isShared {
                self.requests[index].phase = .leaving
                self.state = .disconnecting(link)
                return [.leave(connection), .disconnect(link)]
            }
            self.requests.remove(at: index)
            return [.end(connection, nil)]
        }
    }

    // MARK: The host

    /// There is a link with the peer. Returns `nil` if there was one already.
    mutating func connected(_ link: LinkID, isCentral: Bool) -> [Action]? {
        var actions: [Action] = []
        switch self.state {
        case .none: break
        case .connecting: if !isCentral { actions.append(.stopConnecting) }
        case .connected, .disconnecting: return nil
        }
        guard self.hasPending || !isCentral else {
            // Cancelled while the link was being made.
            self.state = .disconnecting(link)
            return [.disconnect(link)]
        }
        self.state = .connected(link, isCentral: isCentral)
        for index in self.requests.indices where self.requests[index].phase == .pending {
            self.requests[index].phase = .established
            actions.append(.establish(self.requests[index].connection, link))
        }
        return actions
    }

    /// The host could not connect.
    mutating func connectingFailed(_ status: HCIErrorCode) -> [Action] {
        guard self.state == .connecting else { return [] }
        self.state = .none
        let failed = self.requests.filter { $0.phase == .pending }
        self.requests.removeAll { $0.phase == .pending }
        return failed.map { .fail($0.connection, status) }
    }

    /// The link has ended.
    ///
    /// Connections that wait for the next one get it with ``connectIfWanted()``.
    mutating func disconnected(_ reason: HCIErrorCode) -> [Action] {
        self.state = .none
        var actions: [Action] = []
        var remaining: ContiguousArray<Request> = []
        for var request in self.requests {
            switch request.phase {
            case .delayed, .pending: remaining.append(request)
            case .leaving: actions.append(.end(request.connection, nil))
            case .established where request.reconnects:
                request.phase = .pending
                remaining.append(request)
                actions.append(.reconnect(request.connection, reason))
            case .established: actions.append(.end(request.connection, reason))
            }
        }
        self.requests = remaining
        return actions
    }

    /// Asks for a link if a connection waits for one and none is there or under way.
    mutating func connectIfWanted() -> [Action] {
        guard self.state == .none, self.hasPending else { return [] }
        self.state = .connecting
        return [.connect]
    }

    // MARK: Steps

    private var hasPending: Bool { self.requests.contains { $0.phase == .pending } }

    private func index(of connection: Connection) -> Int? {
        self.requests.firstIndex { $0.connection == connection }
    }
}
