// A GATT server with the bearers of its links and a clock, as the host has them: scripts and simulations name a link,
// and every event says on which one it happened.

import BluetoothTypes
import NIOCore

@testable import BluetoothHost

/// A server and the links that it serves.
struct ServedLinks {
    typealias Event = (link: LinkID, action: ATTBearer.Action)

    var server: GATTServer
    var now = NIODeadline.uptimeNanoseconds(0)
    private(set) var bearers: [LinkID: ATTBearer] = [:]
    private var events: [Event] = []
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

    /// What is to be done since the last call.
    mutating func takeEvents() -> [Event] {
        defer { self.events = [] }
        return self.events
    }

    // MARK: Links

    mutating func open(_ link: LinkID) {
        self.bearers[link] = ATTBearer(link: link, preferredMTU: self.preferredMTU)
    }

    mutating func close(_ link: LinkID) {
        self.feed(link) { server, bearer, actions in
            bearer.close(reason: .remoteUserTerminated)
            server.close(&bearer, into: &actions)
        }
        self.bearers[link] = nil
    }

    mutating func setSecurity(_ security: LinkSecurity, of link: LinkID) { self.bearers[link]?.security = security }

    mutating func setSigningKey(_ key: PeerSigningKey?, of link: LinkID) {
        self.bearers[link]?.server.signingKey = key
    }

    /// The local client waits for the answer to its MTU request.
    mutating func beginMTUExchange(on link: LinkID) {
        self.bearers[link]?.mtuExchange = .underWay(GATTOperation(), preferred: 517)
    }

    /// It has the answer.
    mutating func endMTUExchange(on link: LinkID) {
        let now = self.now
        self.feed(link) { server, bearer, actions in
            bearer.mtuExchange = .done
            server.sendDeferred(on: &bearer, now: now, into: &actions)
        }
    }

    // MARK: Services

    mutating func add(_ service: GATTServiceDefinition) throws(GATTDatabaseError) -> GATTServiceHandles {
        let handles = try self.server.add(service)
        self.databaseChanged(in: handles.range)
        return handles
    }

    mutating func remove(_ handle: AttributeHandle) {
        guard let range = self.server.remove(handle) else { return }
        self.databaseChanged(in: range)
    }

    private mutating func databaseChanged(in range: AttributeHandleRange) {
        let now = self.now
        self.feedAll { $0.databaseChanged(in: range, on: &$1, now: now, into: &$2) }
    }

    // MARK: PDUs, answers and values

    mutating func receive(_ pdu: ByteBuffer, on link: LinkID) {
        let now = self.now
        self.feed(link) { $0.receive(pdu, on: &$1, now: now, into: &$2) }
    }

    mutating func respond(to request: GATTRequestID, with result: Result<ByteBuffer, ATTErrorCode>) {
        self.feed(request.link) { $0.respond(to: request, with: result, on: &$1, into: &$2) }
    }

    mutating func respond(to request: GATTRequestID, error: ATTErrorCode?) {
        self.feed(request.link) { $0.respond(to: request, error: error, on: &$1, into: &$2) }
    }

    mutating func notify(
        _ value: ByteBuffer,
        characteristic handle: AttributeHandle,
        on link: LinkID,
        token: TransmitToken = .standard
    ) {
        let now = self.now
        self.feed(link) { $0.notify(value, characteristic: handle, token: token, on: &$1, now: now, into: &$2) }
    }

    mutating func flush() {
        let links = self.batched
        self.batched = []
        for link in links { self.feed(link) { $1.flushBatch(into: &$2) } }
    }

    mutating func advance(to now: NIODeadline) {
        self.now = now
        self.feedAll { $1.advance(to: now, into: &$2) }
    }

    // MARK: Bonded clients

    mutating func bondedClient(of link: LinkID) -> BondedClient? {
        guard var bearer = self.bearers[link] else { return nil }
        return self.server.bondedClient(on: &bearer)
    }

    mutating func restore(_ client: BondedClient, on link: LinkID) {
        let now = self.now
        self.feed(link) { $0.restoreClient(client, on: &$1, now: now, into: &$2) }
    }

    // MARK: Feeding

    typealias Body = (inout GATTServer, inout ATTBearer, inout [ATTBearer.Action]) -> Void

    mutating func feed(_ link: LinkID, _ body: Body) {
        guard var bearer = self.bearers.removeValue(forKey: link) else { return }
        var actions: [ATTBearer.Action] = []
        body(&self.server, &bearer, &actions)
        self.bearers[link] = bearer
        if bearer.hasBatch, !self.batched.contains(link) { self.batched.append(link) }
        self.events += actions.map { (link, $0) }
    }

    private mutating func feedAll(_ body: Body) {
        for link in self.bearers.keys.sorted(by: { $0.rawValue < $1.rawValue }) { self.feed(link, body) }
    }
}
