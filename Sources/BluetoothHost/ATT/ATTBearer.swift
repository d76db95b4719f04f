// The ATT bearer of one link (Vol 3, Part F, 3.2.11): the state that the client and the server of this host share on
// the link, and the server's state for the link. Without I/O.
//
//     usable ── a request or an indication stayed unanswered for 30 s,
//        │      or a client sent a request before its last one was answered ──▶ failed
//        └── end of the link ──▶ closed ◀───────────────────────────────────────── ┘
//
// - usable: PDUs go in both directions. The MTU is 23 until one side asks for another one; while this side waits for
//   the answer, values that the server is to send are deferred.
// - failed: nothing more is sent or accepted (Vol 3, Part F, 3.3.3); the driver ends the link.
// - closed: the link has ended; every operation ends with its reason.
//
// `GATTClient` says what a server can do, `GATTServer` what a client can do. An MTU below 23 is never used.
//
// Deadlines are passed in as `now`; the bearer's own is that of an indication.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// A link's ATT bearer, with the local server's view of the peer's client.
struct ATTBearer {
    /// The error of a bearer.
    enum Failure: Hashable, Sendable {
        /// The server did not answer a request within 30 s (Vol 3, Part F, 3.3.3).
        case requestTimeout
        /// The client did not confirm an indication within 30 s (Vol 3, Part F, 3.3.3).
        case indicationTimeout
        /// The client sent a request before its last one was answered (Vol 3, Part F, 3.3.2).
        case requestWhilePending
    }

    /// Actions for the driver, in order.
    enum Action {
        /// Send this PDU; with the owner of its values, if they are to be counted.
        case send(ByteBuffer, Transmission?)
        /// Count values that will not be sent, or an indication that will not be confirmed.
        case dropped(Transmission)
        /// The ATT MTU changed.
        case mtuChanged(Int)
        /// The bearer has failed: end the link.
        case failed(Failure)

        // The client.

        /// Let this operation take its turn, then call ``GATTClient/begin(_:with:on:now:into:)`` with its request.
        case begin(GATTOperation)
        /// The operation has ended: have it report its result.
        case report(GATTOperation)
        /// A notification came, or an indication whose confirmation was sent.
        case notification(AttributeHandle, ByteBuffer)
        /// The peer's services in this range have changed.
        case servicesChanged(AttributeHandleRange)
        /// The peer's database has changed since this client discovered it (Vol 3, Part G, 2.5.2.1).
        case databaseOutOfSync
        /// The peer has refused a request: secure the link to this level, then call
        /// ``GATTClient/repeatRefusedRequest(on:now:into:)``, or ``GATTClient/acceptRefusal(_:on:now:into:)`` if that
        /// is impossible.
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
        /// The stored state of the peer's bonded client has changed.
        case bondedClientChanged
        /// The peer has signed a command with this counter, which must not be used again.
        case signCounterAccepted(UInt32)

        /// Moves the action out of an array.
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

    /// Whether the bearer can be used.
    enum Condition: Hashable, Sendable {
        case usable
        case failed(Failure)
        case closed(HCIErrorCode)
    }

    /// The exchange of the MTU by the local client, which is allowed once (Vol 3, Part F, 3.4.2.1).
    enum MTUExchange {
        case notAsked
        case underWay(GATTOperation, preferred: Int)
        case done
    }

    /// The link.
    let link: LinkID
    /// The longest PDU that this host takes, in octets.
    let preferredMTU: Int
    /// The ATT MTU of the link, in octets, for both directions.
    private(set) var mtu = ATT.defaultMTU
    /// The security of the link.
    var security = LinkSecurity.none
    /// Whether the local client has asked for the MTU.
    var mtuExchange = MTUExchange.notAsked
    private(set) var condition = Condition.usable

    /// The local server's state for the peer's client.
    var server = GATTServer.ServedClient()

    /// Creates the bearer of a new link.
    init(link: LinkID, preferredMTU: Int = ATT.maximumMTU) {
        self.link = link
        self.preferredMTU = min(max(preferredMTU, ATT.defaultMTU), ATT.maximumMTU)
    }

    /// Whether anything can still be sent.
    @inline(__always)
    var isUsable: Bool { self.condition == .usable }

    /// The error with which an operation of the client ends at once; `nil` if it may wait.
    var refusal: GATTError? {
        switch self.condition {
        case .usable, .failed(.indicationTimeout), .failed(.requestWhilePending): nil
        case .failed(.requestTimeout): .transactionTimeout
        case .closed(let reason): .disconnected(reason)
        }
    }

    /// Whether the local client has sent its MTU request, or is about to.
    @inline(__always)
    var isExchangingMTU: Bool { if case .underWay = self.mtuExchange { true } else { false } }

    /// The time at which to call ``advance(to:into:)``; `nil` for never.
    var nextDeadline: NIODeadline? { self.isUsable ? self.server.outstanding.deadline : nil }

    /// Another MTU was agreed on, from the next PDU on.
    mutating func setMTU(_ mtu: Int, into actions: inout [Action]) {
        let mtu = max(ATT.defaultMTU, min(mtu, ATT.maximumMTU))
        guard mtu != self.mtu else { return }
        // Values that were batched for the other MTU.
        self.flushBatch(into: &actions)
        self.mtu = mtu
        actions.append(.mtuChanged(mtu))
    }

    /// The server has answered the local client's request for the MTU, which is valid from now on (Vol 3, Part F,
    /// 3.4.2.2).
    mutating func takeAgreedMTU(from response: ByteBuffer, into actions: inout [Action]) {
        guard case .underWay(_, let preferred) = self.mtuExchange,
            let response = try? ATTExchangeMTUResponse(parsing: response), response.serverMTU >= ATT.defaultMTU
        else { return }
        self.setMTU(min(preferred, Int(response.serverMTU)), into: &actions)
    }

    /// Ends the bearer if an indication has not been confirmed for 30 s.
    mutating func advance(to now: NIODeadline, into actions: inout [Action]) {
        if let deadline = self.nextDeadline, deadline <= now { self.fail(.indicationTimeout, into: &actions) }
    }

    /// Becomes unusable. The end of the link ends the operations of the local client.
    mutating func fail(_ failure: Failure, into actions: inout [Action]) {
        guard self.isUsable else { return }
        self.condition = .failed(failure)
        self.dropNotifications(into: &actions)
        self.server.transaction = .idle
        self.server.prepared = GATTServer.PreparedWrites()
        actions.append(.failed(failure))
    }

    /// The link has ended.
    mutating func close(reason: HCIErrorCode) {
        switch self.condition {
        case .usable, .failed: self.condition = .closed(reason)
        case .closed: break
        }
    }
}
