// A GATT server with the bearers of its links, as the host has them: scripts and simulations name a link, and every
// action says on which one it happened.

import BluetoothTypes
import NIOCore

@testable import BluetoothHost

/// A server and the links that it serves.
struct ServedLinks {
    /// What is to be done, and on which link.
    struct Event {
        var link: LinkID
        var action: ATTBearer.Action
    }

    var server: GATTServer
    private(set) var bearers: [LinkID: ATTBearer] = [:]
    /// Links with a batch of notifications, in the order in which it began.
    private var batched: [LinkID] = []
    private let preferredMTU: Int

    init(_ server: GATTServer, preferredMTU: Int = 517) {
        self.server = server
        self.preferredMTU = preferredMTU
    }

    /// When the first bearer has something to do.
    var nextDeadline: NIODeadline? { self.bearers.values.compactMap(\.nextDeadline).min() }

    func mtu(of link: LinkID) -> Int { self.bearers[link]?.mtu ?? 23 }

    // MARK: Links

    mutating func linkOpened(_ link: LinkID) {
        self.bearers[link] = ATTBearer(link: link, preferredMTU: self.preferredMTU)
    }

    mutating func linkClosed(_ link: LinkID, into events: inout [Event]) {
        self.feed(link, into: &events) { server, bearer, actions in
            bearer.close(reason: .remoteUserTerminated, into: &actions)
            server.close(&bearer, into: &actions)
        }
        self.bearers[link] = nil
    }

    mutating func setSecurity(_ security: LinkSecurity, of link: LinkID) {
        self.bearers[link]?.security = security
    }

    mutating func setSigningKey(_ key: PeerSigningKey?, of link: LinkID) {
        self.bearers[link]?.server.signingKey = key
    }

    func signingKey(of link: LinkID) -> PeerSigningKey? { self.bearers[link]?.server.signingKey }

    /// The local client waits for the answer to its MTU request.
    mutating func beginMTUExchange(on link: LinkID) {
        self.bearers[link]?.mtuExchange = .underWay(GATTProcedureID(rawValue: 1))
    }

    /// It has the answer.
    mutating func endMTUExchange(on link: LinkID, now: NIODeadline, into events: inout [Event]) {
        self.feed(link, into: &events) { server, bearer, actions in
            bearer.mtuExchange = .done
            server.sendDeferred(on: &bearer, now: now, into: &actions)
        }
    }

    // MARK: Services

    mutating func add(
        _ service: GATTServiceDefinition,
        now: NIODeadline,
        into events: inout [Event]
    ) throws(GATTDatabaseError) -> GATTServiceHandles {
        let handles = try self.server.add(service)
        self.databaseChanged(in: handles.range, now: now, into: &events)
        return handles
    }

    mutating func remove(_ handle: AttributeHandle, now: NIODeadline, into events: inout [Event]) {
        guard let range = self.server.remove(handle) else { return }
        self.databaseChanged(in: range, now: now, into: &events)
    }

    private mutating func databaseChanged(in range: AttributeHandleRange, now: NIODeadline, into events: inout [Event])
    {
        self.feedAll(into: &events) { server, bearer, actions in
            server.databaseChanged(in: range, on: &bearer, now: now, into: &actions)
        }
    }

    // MARK: PDUs, answers and values

    mutating func receive(_ pdu: ByteBuffer, on link: LinkID, now: NIODeadline, into events: inout [Event]) {
        self.feed(link, into: &events) { server, bearer, actions in
            server.receive(pdu, on: &bearer, now: now, into: &actions)
        }
    }

    mutating func respond(
        to request: GATTRequestID,
        with result: Result<ByteBuffer, ATTErrorCode>,
        into events: inout [Event]
    ) {
        self.feed(request.link, into: &events) { server, bearer, actions in
            server.respond(to: request, with: result, on: &bearer, into: &actions)
        }
    }

    mutating func respond(to request: GATTRequestID, error: ATTErrorCode?, into events: inout [Event]) {
        self.feed(request.link, into: &events) { server, bearer, actions in
            server.respond(to: request, error: error, on: &bearer, into: &actions)
        }
    }

    mutating func notify(
        _ value: ByteBuffer,
        characteristic handle: AttributeHandle,
        on link: LinkID,
        token: TransmitToken = .standard,
        now: NIODeadline,
        into events: inout [Event]
    ) {
        self.feed(link, into: &events) { server, bearer, actions in
            server.notify(value, characteristic: handle, token: token, on: &bearer, now: now, into: &actions)
        }
    }

    mutating func notifyUnconditionally(
        _ value: ByteBuffer,
        characteristic handle: AttributeHandle,
        on link: LinkID,
        into events: inout [Event]
    ) {
        self.feed(link, into: &events) { server, bearer, actions in
            server.notifyUnconditionally(value, characteristic: handle, on: &bearer, into: &actions)
        }
    }

    mutating func flush(into events: inout [Event]) {
        let links = self.batched
        self.batched = []
        for link in links {
            self.feed(link, into: &events) { _, bearer, actions in bearer.flushBatch(into: &actions) }
        }
    }

    mutating func advance(to now: NIODeadline, into events: inout [Event]) {
        self.feedAll(into: &events) { _, bearer, actions in bearer.advance(to: now, into: &actions) }
    }

    // MARK: Bonded clients

    mutating func bondedClient(of link: LinkID) -> BondedClient? {
        guard var bearer = self.bearers[link] else { return nil }
        return self.server.bondedClient(on: &bearer)
    }

    mutating func restoreClient(_ client: BondedClient, on link: LinkID, now: NIODeadline, into events: inout [Event]) {
        self.feed(link, into: &events) { server, bearer, actions in
            server.restoreClient(client, on: &bearer, now: now, into: &actions)
        }
    }

    // MARK: Feeding

    private typealias Body = (inout GATTServer, inout ATTBearer, inout [ATTBearer.Action]) -> Void

    private mutating func feed(_ link: LinkID, into events: inout [Event], _ body: Body) {
        guard var bearer = self.bearers.removeValue(forKey: link) else { return }
        var actions: [ATTBearer.Action] = []
        body(&self.server, &bearer, &actions)
        self.bearers[link] = bearer
        if bearer.hasBatch, !self.batched.contains(link) { self.batched.append(link) }
        events += actions.map { Event(link: link, action: $0) }
    }

    private mutating func feedAll(into events: inout [Event], _ body: Body) {
        for link in self.bearers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            self.feed(link, into: &events, body)
        }
    }
}
