// One LE credit-based channel of a link, from the request to the end (Vol 3, Part A, 4.6, 4.7 and 4.22 to 4.24).
//
//      this side asks                                         the peer asks
//            |                                                      |
//      +-----v------+   30 s   +----------+                   +-----v-----+   refused
//      | connecting |--------->| timedOut |                   | requested |-----------> closed
//      +-----+------+          +--+----+--+                   +-----+-----+
//            | success            |    | refusal -> closed         | accepted
//            |                    |    |                            |
//      +-----v--------------------|----------------------------+    |
//      | open                     |                            |<---+
//      +-----+--------------+-----|----------------------------+
//     closed |       closed |     |
//    octets  |      nothing |     | late success
//      left  |         left |     |
//      +-----v-----+        |     |
//      |  closing  |------->|     |
//      +-----------+  last  |     |
//          octet, or 30 s   |     |
//                     +-----v-----v-----+  response, reject, or 30 s
//                     |  disconnecting  |---------------------------> closed
//                     +-----------------+
//
// requested: the peer has sent a request, and the user of this side has not answered. The CIDs of both sides are in
// use; frames are ignored, and a Disconnection Request finds no such channel.
//
// connecting: this side has sent a request. The peer accepts, refuses, rejects the command, or lets 30 s pass. An
// invalid response opens nothing: the channel that the peer may have opened is disconnected again.
//
// timedOut: the failure was reported to the user. The CID stays in use, since the peer may still open the channel; if
// it does, the channel is disconnected.
//
// open: both sides send and receive. Every frame and every credit of the peer is checked; a violation disconnects the
// channel immediately, and is reported to the user.
//
// closing: the user has closed the channel, and octets are left to send. They are sent as the peer gives credits;
// received SDUs are dropped, and the peer gets credits for them. If the peer accepts no frame for 30 s, the rest is
// discarded.
//
// disconnecting: a Disconnection Request was sent. Nothing more is sent, and received frames are ignored. If the peer's
// own request crosses it, that is answered, and no response is awaited.
//
// closed: the channel leaves the table of its link, and its CID is free. The end of the link leads here from every
// state, and the peer's own Disconnection Request from the three lower ones.
//
// The context of a step has the current time. Call ``advance(_:)`` at the `deadline`. The link is reliable, so no
// request is sent twice.

import BluetoothTypes
import NIOCore

/// A channel of a link.
struct CreditBasedChannel: Sendable {
    /// The time in which the peer must respond, and accept a frame of a closing channel (RTX, Vol 3, Part A, 6.2.1).
    static let timeout = TimeAmount.seconds(30)

    /// A request of this side.
    private struct Connecting: Sendable {
        var id: L2CAPChannelID
        var spsm: SPSM
        var configuration: L2CAPChannelConfiguration
        var identifier: UInt8
        var deadline: NIODeadline
    }

    private enum State: Sendable {
        case requested(PeerRequest, L2CAPChannelConfiguration)
        case connecting(Connecting)
        case timedOut(identifier: UInt8)
        case open(Connection)
        case closing(Connection, deadline: NIODeadline)
        /// `unreported` is the channel whose end has not been reported to the user yet.
        case disconnecting(remoteCID: CID, identifier: UInt8, deadline: NIODeadline, unreported: L2CAPChannelID?)
        case closed
    }

    /// This side's CID.
    let localCID: CID
    private var state: State

    // MARK: Properties

    /// The user's identifier, while it is valid for the user.
    var id: L2CAPChannelID? {
        switch self.state {
        case .requested, .connecting, .timedOut, .disconnecting, .closed: nil
        case .open(let connection), .closing(let connection, _): connection.id
        }
    }

    /// Both directions, while frames go through the channel.
    var connection: Connection? {
        switch self.state {
        case .requested, .connecting, .timedOut, .disconnecting, .closed: nil
        case .open(let connection), .closing(let connection, _): connection
        }
    }

    /// The peer's CID, if both sides know of the channel.
    var remoteCID: CID? {
        switch self.state {
        case .connecting, .timedOut, .closed: nil
        case .requested(let requested, _): requested.request.source
        case .open(let connection), .closing(let connection, _): connection.remoteCID
        case .disconnecting(let remoteCID, _, _, _): remoteCID
        }
    }

    /// Whether frames go through the channel.
    var isConnected: Bool {
        switch self.state {
        case .requested, .connecting, .timedOut, .disconnecting, .closed: false
        case .open, .closing: true
        }
    }

    /// The identifier of a command that waits for its response.
    var awaitedIdentifier: UInt8? {
        switch self.state {
        case .requested, .open, .closing, .closed: nil
        case .connecting(let connecting): connecting.identifier
        case .timedOut(let identifier), .disconnecting(_, let identifier, _, _): identifier
        }
    }

    /// When to call ``advance(_:)``; `nil` for never.
    var deadline: NIODeadline? {
        switch self.state {
        case .requested, .timedOut, .open, .closed: nil
        case .connecting(let connecting): connecting.deadline
        case .closing(_, let deadline), .disconnecting(_, _, let deadline, _): deadline
        }
    }

    /// Whether the channel is over.
    var isClosed: Bool { if case .closed = self.state { true } else { false } }

    // MARK: Opening

    /// Requests a channel from the peer.
    init(
        requesting id: L2CAPChannelID,
        to spsm: SPSM,
        _ configuration: L2CAPChannelConfiguration,
        localCID: CID,
        _ context: inout Context
    ) {
        self.localCID = localCID
        let request = LECreditBasedConnectionRequest(
            spsm: spsm,
            source: localCID,
            parameters: CreditBasedParameters(configuration)
        )
        self.state = .connecting(
            Connecting(
                id: id,
                spsm: spsm,
                configuration: configuration,
                identifier: context.start(.leCreditBasedConnectionRequest(request)),
                deadline: context.now + Self.timeout
            )
        )
    }

    /// Creates a channel that the peer requests, for the user to accept or refuse.
    init(
        requestedBy peer: PeerRequest,
        _ configuration: L2CAPChannelConfiguration,
        localCID: CID,
        _ context: inout Context
    ) {
        self.localCID = localCID
        self.state = .requested(peer, configuration)
        context.report(.requested(localCID, peer.request.spsm))
    }

    /// The user accepts the peer's request.
    mutating func accept(as id: L2CAPChannelID, _ context: inout Context) {
        guard case .requested(let requested, let configuration) = self.state else { return }
        let request = requested.request
        self.state = .open(
            Connection(
                id: id,
                remoteCID: request.source,
                accepted: (requested, CreditBasedParameters(configuration)),
                sender: CreditBasedSender(to: request.parameters, limit: configuration.sendLimit),
                receiver: CreditBasedReceiver(configuration)
            )
        )
        _ = self.respondAgain(to: requested, &context)
        context.report(.opened(id, request.spsm, isIncoming: true, peerMTU: Int(request.parameters.mtu)))
    }

    /// Responds again to an accepted request that the peer repeats (4); returns false for another one.
    func respondAgain(to repeated: PeerRequest, _ context: inout Context) -> Bool {
        guard let accepted = self.connection?.accepted, accepted.request == repeated else { return false }
        let response = LECreditBasedConnectionResponse(destination: self.localCID, parameters: accepted.offer)
        context.respond(.leCreditBasedConnectionResponse(response), to: repeated.identifier)
        return true
    }

    /// The user refuses the peer's request.
    mutating func refuse(_ result: L2CAPConnectionResult, _ context: inout Context) {
        guard case .requested(let requested, _) = self.state else { return }
        self.state = .closed
        let response = LECreditBasedConnectionResponse(refusing: result)
        context.respond(.leCreditBasedConnectionResponse(response), to: requested.identifier)
    }

    /// The peer responds to the request of this side.
    /// - Parameter isDuplicate: Whether the peer already uses the CID of the response for another channel.
    /// - Returns: Whether the peer has opened a second channel with the same CID; both end.
    mutating func receive(
        _ response: LECreditBasedConnectionResponse,
        isDuplicate: Bool,
        _ context: inout Context
    ) -> Bool {
        let remoteCID = response.destination
        switch self.state {
        case .requested, .open, .closing, .disconnecting, .closed:
            return false
        case .timedOut:
            self.state = .closed
            if response.result == .success, remoteCID.isDynamic {
                self.disconnect(remoteCID, unreported: nil, &context)
            }
            return false
        case .connecting(let connecting):
            self.state = .closed
            guard response.result == .success, remoteCID.isDynamic, !isDuplicate, response.parameters.isAcceptable
            else {
                let isRefused = response.result != .success
                context.report(.failed(connecting.id, isRefused ? .refused(response.result) : .invalidResponse))
                guard !isRefused, remoteCID.isDynamic else { return false }
                self.disconnect(remoteCID, unreported: nil, &context)
                return isDuplicate
            }
            self.state = .open(
                Connection(
                    id: connecting.id,
                    remoteCID: remoteCID,
                    accepted: nil,
                    sender: CreditBasedSender(to: response.parameters, limit: connecting.configuration.sendLimit),
                    receiver: CreditBasedReceiver(connecting.configuration)
                )
            )
            let mtu = Int(response.parameters.mtu)
            context.report(.opened(connecting.id, connecting.spsm, isIncoming: false, peerMTU: mtu))
            return false
        }
    }

    /// The peer has rejected a command of this side: it does not know the command or its channel.
    mutating func rejected(_ context: inout Context) {
        switch self.state {
        case .requested, .open, .closing, .closed:
            break
        case .timedOut:
            self.state = .closed
        case .connecting(let connecting):
            self.state = .closed
            context.report(.failed(connecting.id, .notSupported))
        case .disconnecting(_, _, _, let unreported):
            self.finish(unreported, .closedLocally, &context)
        }
    }

    /// Modifies an open or closing channel in place; returns `nil` if it is neither. A closing channel ends here once
    /// its last octet has been sent.
    @discardableResult
    @inline(__always)
    mutating func update<Result>(
        _ context: inout Context,
        _ body: (inout Connection, _ isClosing: Bool, inout Context) -> Result
    ) -> Result? {
        guard self.isConnected else { return nil }
        var state = State.closed
        // The value that is moved out has one owner, so its queues are changed in place.
        swap(&state, &self.state)
        switch consume state {
        case .open(var connection):
            let result = body(&connection, false, &context)
            self.state = .open(connection)
            return result
        case .closing(var connection, let deadline):
            let queuedOctets = connection.sender.queuedOctets
            let result = body(&connection, true, &context)
            if connection.sender.isDrained {
                self.disconnect(connection.remoteCID, unreported: connection.id, &context)
            } else {
                let hasMoved = connection.sender.queuedOctets < queuedOctets
                self.state = .closing(connection, deadline: hasMoved ? context.now + Self.timeout : deadline)
            }
            return result
        case .requested, .connecting, .timedOut, .disconnecting, .closed:
            return nil
        }
    }

    // MARK: The end

    /// The user closes the channel.
    /// - Parameter lastOctets: Octets to send before the end, regardless of the limit of ``write(_:_:)``.
    mutating func close(after lastOctets: [ByteBuffer], _ context: inout Context) {
        guard case .open(var connection) = self.state else { return }
        connection.sender.finish(with: lastOctets)
        guard !connection.sender.isDrained else {
            return self.disconnect(connection.remoteCID, unreported: connection.id, &context)
        }
        self.state = .closing(connection, deadline: context.now + Self.timeout)
        self.update(&context) { connection, _, context in connection.sendFrame(&context) }
        // The user reads nothing more, so the peer must not wait for it.
        self.consume(.max, &context)
    }

    /// The peer has broken a rule.
    mutating func end(_ violation: L2CAPChannelViolation, _ context: inout Context) {
        guard let connection = self.connection else { return }
        self.disconnect(connection.remoteCID, unreported: nil, &context)
        context.report(.closed(connection.id, .violation(violation)))
    }

    /// The peer requests the end of the channel; returns false if there is no such channel.
    mutating func receiveDisconnectionRequest(_ source: CID, _ identifier: UInt8, _ context: inout Context) -> Bool {
        let unreported: L2CAPChannelID?
        let reason: L2CAPChannelCloseReason
        switch self.state {
        case .requested, .connecting, .timedOut, .closed:
            return false
        case .open(let connection), .closing(let connection, _):
            (unreported, reason) = (connection.id, .closedByPeer)
        case .disconnecting(_, _, _, let disconnecting):
            // The requests of both sides cross: each responds, and no response is awaited.
            (unreported, reason) = (disconnecting, .closedLocally)
        }
        // A request with a wrong source CID is ignored without a response (4.6).
        guard self.remoteCID == source else { return true }
        context.respond(.disconnectionResponse(destination: self.localCID, source: source), to: identifier)
        self.finish(unreported, reason, &context)
        return true
    }

    /// The peer has confirmed the end of the channel.
    mutating func receiveDisconnectionResponse(_ source: CID, _ identifier: UInt8, _ context: inout Context) {
        guard case .disconnecting(source, identifier, _, let unreported) = self.state else { return }
        self.finish(unreported, .closedLocally, &context)
    }

    /// Handles an expired deadline.
    mutating func advance(_ context: inout Context) {
        guard let deadline = self.deadline, deadline <= context.now else { return }
        switch self.state {
        case .requested, .timedOut, .open, .closed:
            break
        case .connecting(let connecting):
            self.state = .timedOut(identifier: connecting.identifier)
            context.report(.failed(connecting.id, .timedOut))
        case .closing(let connection, _):
            self.disconnect(connection.remoteCID, unreported: connection.id, &context)
        case .disconnecting(_, _, _, let unreported):
            self.finish(unreported, .unconfirmed, &context)
        }
    }

    /// The link has ended.
    mutating func linkEnded(_ context: inout Context) {
        switch self.state {
        case .requested, .timedOut, .closed:
            self.state = .closed
        case .connecting(let connecting):
            self.state = .closed
            context.report(.failed(connecting.id, .notConnected))
        case .open(let connection), .closing(let connection, _):
            self.finish(connection.id, .linkEnded, &context)
        case .disconnecting(_, _, _, let unreported):
            self.finish(unreported, .linkEnded, &context)
        }
    }

    private mutating func disconnect(_ remoteCID: CID, unreported: L2CAPChannelID?, _ context: inout Context) {
        self.state = .disconnecting(
            remoteCID: remoteCID,
            identifier: context.start(.disconnectionRequest(destination: remoteCID, source: self.localCID)),
            deadline: context.now + Self.timeout,
            unreported: unreported
        )
    }

    private mutating func finish(
        _ unreported: L2CAPChannelID?,
        _ reason: L2CAPChannelCloseReason,
        _ context: inout Context
    ) {
        self.state = .closed
        if let unreported { context.report(.closed(unreported, reason)) }
    }
}
