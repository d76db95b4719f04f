// The ATT bearer of one link (Vol 3, Part F, 3.2.11): what both halves of this host, the client and the server, have in
// common on the link, each thing once, and the two halves. A machine without I/O and without a clock.
//
//     usable ── a request or an indication stayed unanswered for 30 s,
//        │      or a client sent a request before its last one was answered ──▶ failed
//        └── end of the link ──▶ closed ◀───────────────────────────────────────── ┘
//
// usable: PDUs go in both directions. The MTU is 23 until one side asks for another one; while this side waits for the
// answer, values that the server is to send are deferred.
// failed: nothing is sent or taken any more (Vol 3, Part F, 3.3.3); the driver ends the link.
// closed: the link has ended; every procedure ends with its reason.
//
// What a peer can do is said where its PDUs are taken: `GATTClient` for a server, `GATTServer` for a client. An MTU
// below 23 is never taken over.
//
// Time comes in as `now`; the one deadline is the nearer one of the two halves.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// A link's ATT bearer, with the local client and the local server's view of the peer's client.
struct ATTBearer {
    /// Why a bearer is of no more use.
    enum Failure: Hashable, Sendable {
        /// The server did not answer a request within 30 s (Vol 3, Part F, 3.3.3).
        case requestTimeout
        /// The client did not confirm an indication within 30 s (Vol 3, Part F, 3.3.3).
        case indicationTimeout
        /// The client sent a request before its last one was answered (Vol 3, Part F, 3.3.2).
        case requestWhilePending
    }

    /// What the driver has to do, in this order.
    enum Action {
        /// Send this PDU; says whose values it carries, which most PDUs do not.
        case send(ByteBuffer, Transmission?)
        /// Values that will not be sent, or an indication that will not be confirmed: count them all the same.
        case dropped(Transmission)
        /// The ATT MTU changed.
        case mtuChanged(Int)
        /// The bearer is dead: end the link.
        case failed(Failure)

        // The client.

        /// Let this procedure be made, then call ``made(_:now:into:)``.
        case make(OwnedProcedure)
        /// The procedure has ended: its owner gets the result.
        case report(OwnedProcedure)
        /// A notification came, or an indication whose confirmation was sent.
        case notification(AttributeHandle, ByteBuffer)
        /// The peer's services in this range are not what they were.
        case servicesChanged(AttributeHandleRange)
        /// The peer has said that its database is another one than this client knows (Vol 3, Part G, 2.5.2.1).
        case databaseOutOfSync
        /// The peer has refused a request: have the link secured as far as this, then call
        /// ``repeatRefusedRequest(now:into:)``, or ``acceptRefusal(_:now:into:)`` where that cannot be.
        case needsSecurity(SecurityLevel)

        // The server.

        /// The peer's client has confirmed an indication of this characteristic: count it.
        case confirmed(AttributeHandle, Transmission)
        /// Ask the application for a value.
        case read(GATTReadRequest)
        /// Hand values to the application.
        case write(GATTWriteRequest)
        /// The peer's client subscribed to a characteristic, or no longer does.
        case subscriptionChanged(AttributeHandle, isSubscribed: Bool)
        /// Something has changed that is kept of the peer's client, which is bonded.
        case bondedClientChanged
        /// The peer has signed a command with this counter, which is used now.
        case signCounterAccepted(UInt32)

        /// Takes the action out of its place in an array.
        ///
        /// A PDU in it then has one owner, so that the layers below write their headers into its headroom; with a
        /// second owner, the array, each header would cost a copy.
        @inline(__always)
        mutating func take() -> Action {
            let action = consume self
            self = .databaseOutOfSync
            return action
        }
    }

    /// How far the bearer can be used.
    enum Condition: Hashable, Sendable {
        case usable
        case failed(Failure)
        case closed(HCIErrorCode)
    }

    /// The exchange of the MTU by the local client, which is allowed once (Vol 3, Part F, 3.4.2.1).
    enum MTUExchange: Hashable, Sendable {
        case notAsked
        case underWay(GATTProcedureID)
        case done
    }

    /// The link.
    let link: LinkID
    /// The longest PDU that this host takes, in octets.
    let preferredMTU: Int
    /// The ATT MTU of the link, in octets, for both directions.
    private(set) var mtu = ATT.defaultMTU
    /// How secure the link is.
    var security = LinkSecurity.none
    /// Whether the local client has asked for the MTU.
    var mtuExchange = MTUExchange.notAsked
    private(set) var condition = Condition.usable

    /// The local client of the peer's server.
    var client: GATTClient
    /// What the local server keeps for the peer's client.
    var server = GATTServer.Client()

    /// Creates the bearer of a new link.
    ///
    /// A procedure beyond `queueLimit` waiting ones is refused.
    init(link: LinkID, preferredMTU: Int = ATT.maximumMTU, queueLimit: Int = 65_536) {
        self.link = link
        self.preferredMTU = min(max(preferredMTU, ATT.defaultMTU), ATT.maximumMTU)
        self.client = GATTClient(queueLimit: queueLimit)
    }

    /// Whether anything can still be sent.
    @inline(__always)
    var isUsable: Bool { self.condition == .usable }

    /// Whether the local client waits for the answer to its MTU request, or is about to send it.
    @inline(__always)
    var isExchangingMTU: Bool { if case .underWay = self.mtuExchange { true } else { false } }

    /// When ``advance(to:into:)`` is to be called; `nil` for never.
    var nextDeadline: NIODeadline? {
        guard self.isUsable else { return nil }
        guard let request = self.client.deadline else { return self.server.outstanding.deadline }
        return self.server.outstanding.deadline.map { min($0, request) } ?? request
    }

    /// Another MTU was agreed on, from the next PDU on.
    mutating func setMTU(_ mtu: Int, into actions: inout [Action]) {
        let mtu = max(ATT.defaultMTU, min(mtu, ATT.maximumMTU))
        guard mtu != self.mtu else { return }
        // Values that were batched for the other MTU.
        self.flushBatch(into: &actions)
        self.mtu = mtu
        actions.append(.mtuChanged(mtu))
    }

    /// Ends the bearer where a request or an indication has not been answered for 30 s.
    mutating func advance(to now: NIODeadline, into actions: inout [Action]) {
        guard self.isUsable else { return }
        if let deadline = self.client.deadline, deadline <= now {
            self.fail(.requestTimeout, into: &actions)
        } else if let deadline = self.server.outstanding.deadline, deadline <= now {
            self.fail(.indicationTimeout, into: &actions)
        }
    }

    /// The bearer is of no more use.
    mutating func fail(_ failure: Failure, into actions: inout [Action]) {
        guard self.isUsable else { return }
        self.condition = .failed(failure)
        switch failure {
        case .requestTimeout: self.endProcedures(.transactionTimeout, into: &actions)
        // The end of the link ends what the local client was asked for.
        case .indicationTimeout, .requestWhilePending: break
        }
        self.dropNotifications(into: &actions)
        self.server.transaction = .idle
        self.server.prepared = GATTServer.PreparedWrites()
        actions.append(.failed(failure))
    }

    /// The link has ended: every procedure ends with it.
    mutating func close(reason: HCIErrorCode, into actions: inout [Action]) {
        switch self.condition {
        case .usable, .failed:
            self.condition = .closed(reason)
            self.endProcedures(.disconnected(reason), into: &actions)
        case .closed: break
        }
    }
}
