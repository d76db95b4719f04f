// The GATT client of one link, without I/O (Vol 3, Part G, 4), and the one queue that decides the order in which
// operations and write commands are sent. A bearer has at most one request on its way (Vol 3, Part F, 3.3.2).
//
//     idle ── head of the queue ──▶ beginning ── its first request ──▶ busy ── 30 s without an answer ──▶ bearer fails
//       ▲                               │ nothing to ask                │ │
//       └───────────────────────────────┴─────────── last answer ───────┘ │
//     busy ── refused, and a more secure link may help ──▶ securing ── secured, or not ──▶ busy
//
// idle: nothing is on its way. The driver calls `proceed`, which takes the head of the queue, when it has reported the
// results of what ended before: an operation knows them when its turn comes. beginning: the driver gives the operation
// its turn, outside of this machine. busy: the answer to a request is awaited. Write commands at the head of the queue
// leave meanwhile, unless the operation is exclusive. securing: a server has refused a request because the link is not
// secure enough (Vol 3, Part C, 10.3.2); the driver has the link secured, and the request is sent again, or the
// operation gets the refusal. Each repetition needs a higher level of security, so there are at most three.
//
// A client of a bonded peer is held until the link is encrypted with the key of the bond. It sends nothing, accepts
// nothing, and has the driver secure the link as soon as something waits, which fails if that is impossible.
//
// What a peer can do: a response with another opcode, handles that do not grow, or lengths that do not fit ends the
// operation with `malformedResponse`, and the next one begins. Each discovery continues after the last handle that it
// got, so it ends after a finite number of answers, whatever the server says. A server that does not answer loses the
// link after 30 s. Nothing that it sends is queued.
//
// Deadlines are passed in as `now`, for the limit of 30 s on each request (Vol 3, Part F, 3.3.3).

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// A client of the server at the other end of a link.
struct GATTClient {
    typealias Action = ATTBearer.Action

    private enum State {
        case idle
        case beginning(GATTOperation)
        case busy(GATTOperation, Request, deadline: NIODeadline)
        case securing(GATTOperation, Request, refusal: ATTErrorResponse)

        /// The operation whose turn it is.
        var operation: GATTOperation? {
            switch self {
            case .idle: nil
            case .beginning(let operation), .busy(let operation, _, _), .securing(let operation, _, _): operation
            }
        }
    }

    /// A request on its way.
    private struct Request {
        let opcode: ATTOpcode
        /// Its octets, in case it is sent again; `nil` if a more secure link cannot help.
        let pdu: ByteBuffer?
        /// The security level of the link when it was sent.
        let level: SecurityLevel
    }

    /// The entries that wait for their turn.
    private enum Entry {
        case operation(GATTOperation)
        case writeCommand(AttributeHandle, ByteBuffer, TransmitToken)
    }

    private var state = State.idle
    private var queue: Deque<Entry> = []
    private let queueLimit: Int
    /// The value handle of Service Changed, once an operation has found it.
    private(set) var serviceChangedHandle: AttributeHandle?
    /// Whether nothing is sent or accepted: the peer is bonded, and the link not yet encrypted with the key of the
    /// bond.
    var isHeld = false {
        didSet { self.awaitsKey = false }
    }
    /// Whether the driver was asked for security because something waits while the client is held.
    private var awaitsKey = false
    /// Whether a request was sent on this link.
    private(set) var hasAsked = false
    /// The identity of the server's database when it was validated last on this link.
    var validatedDatabase: GATTCachedDatabase?

    /// Creates the client of a new link, which refuses an operation while so much waits.
    init(queueLimit: Int = 65_536) { self.queueLimit = queueLimit }

    /// When the request that is on its way has to be answered.
    func deadline(on bearer: ATTBearer) -> NIODeadline? {
        guard bearer.isUsable, case .busy(_, _, let deadline) = self.state else { return nil }
        return deadline
    }

    // MARK: The queue

    /// Puts an operation at the end of the queue, or at its head, whatever its limit.
    mutating func perform(
        _ operation: GATTOperation,
        isNext: Bool = false,
        on bearer: inout ATTBearer,
        into actions: inout [Action]
    ) {
        operation.open()
        if let error = bearer.refusal {
            self.end(operation, error, into: &actions)
        } else if isNext {
            self.queue.prepend(.operation(operation))
        } else if self.queue.count >= self.queueLimit {
            // The answer of a server without resources.
            self.end(operation, .att(.insufficientResources, handle: 0), into: &actions)
        } else {
            self.queue.append(.operation(operation))
        }
    }

    /// Puts the exchange of the ATT MTU at the head of the queue. A client sends the request once (Vol 3, Part F,
    /// 3.4.2.1); after that, the result is the MTU that was agreed on.
    @discardableResult
    mutating func exchangeMTU(
        preferred: Int,
        on bearer: inout ATTBearer,
        into actions: inout [Action],
        completion: @escaping (Result<Int, GATTError>) -> Void
    ) -> GATTOperation {
        guard case .notAsked = bearer.mtuExchange, bearer.isUsable else {
            let known = GATTProcedureOperation(ExchangeMTU(preferred: nil), completion: completion)
            _ = known.step(.turn, mtu: bearer.mtu)
            self.end(known, nil, into: &actions)
            return known
        }
        let preferred = min(max(preferred, ATT.defaultMTU), ATT.maximumMTU)
        let exchange = GATTProcedureOperation(ExchangeMTU(preferred: preferred), completion: completion)
        bearer.mtuExchange = .underWay(exchange, preferred: preferred)
        self.queue.prepend(.operation(exchange))
        return exchange
    }

    /// Removes an operation from the queue. The result of one that runs is not reported.
    mutating func cancel(_ operation: GATTOperation, on bearer: inout ATTBearer) {
        operation.cancel()
        let index = self.queue.firstIndex { if case .operation(operation) = $0 { true } else { false } }
        guard let index else { return }
        self.queue.remove(at: index)
        // The request was not sent yet.
        if case .underWay(operation, _) = bearer.mtuExchange { bearer.mtuExchange = .notAsked }
    }

    /// Sends a Write Command with the first MTU - 3 octets of `value`, at once or when it is the head of the queue.
    ///
    /// Each is counted once for its owner, with its `send` or a `dropped`.
    mutating func writeCommand(
        _ handle: AttributeHandle,
        _ value: consuming ByteBuffer,
        _ token: TransmitToken,
        on bearer: inout ATTBearer,
        into actions: inout [Action]
    ) {
        guard bearer.isUsable else { return actions.append(.dropped(Transmission(token: token, count: 1))) }
        if self.queue.isEmpty, self.commandsMayLeave {
            Self.send(handle, value, token, on: &bearer, into: &actions)
        } else {
            self.queue.append(.writeCommand(handle, value, token))
        }
    }

    /// Removes Write Commands to these handles from the queue.
    mutating func dropCommands(to handles: AttributeHandleRange, into actions: inout [Action]) {
        self.queue.removeAll { entry in
            guard case .writeCommand(let handle, _, let token) = entry, handles.contains(handle) else { return false }
            actions.append(.dropped(Transmission(token: token, count: 1)))
            return true
        }
    }

    /// Whether a Write Command at the head of the queue may be sent now.
    private var commandsMayLeave: Bool {
        guard !self.isHeld else { return false }
        return switch self.state {
        case .idle: true
        case .busy(let operation, _, _), .securing(let operation, _, _): !operation.isExclusive
        case .beginning: false
        }
    }

    private static func send(
        _ handle: AttributeHandle,
        _ value: consuming ByteBuffer,
        _ token: TransmitToken,
        on bearer: inout ATTBearer,
        into actions: inout [Action]
    ) {
        let pdu = ATT.encoded(.writeCommand, handle, value.prefix(bearer.mtu - 3))
        actions.append(.send(pdu, Transmission(token: token, count: 1)))
    }

    /// Sends commands and begins an operation from the queue, if possible. The driver calls this when it has carried
    /// out all actions.
    mutating func proceed(on bearer: inout ATTBearer, into actions: inout [Action]) {
        if self.isHeld, bearer.isUsable, !self.queue.isEmpty, !self.awaitsKey {
            self.awaitsKey = true
            actions.append(.needsSecurity(.encrypted))
        }
        while bearer.isUsable, !self.isHeld, let head = self.queue.first {
            switch head {
            case .writeCommand(let handle, let value, let token):
                guard self.commandsMayLeave else { return }
                self.queue.removeFirst()
                Self.send(handle, value, token, on: &bearer, into: &actions)
            case .operation(let operation):
                guard case .idle = self.state else { return }
                self.queue.removeFirst()
                self.state = .beginning(operation)
                return actions.append(.begin(operation))
            }
        }
    }

    /// An operation has had its turn, and returned its first request, or `nil`.
    mutating func begin(
        _ operation: GATTOperation,
        with request: ByteBuffer?,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        // The link may have ended in its turn, or the operation was cancelled.
        guard case .beginning(operation) = self.state else { return }
        self.follow(operation, operation.isOpen ? request : nil, on: &bearer, now: now, into: &actions)
    }

    private mutating func follow(
        _ operation: GATTOperation,
        _ request: ByteBuffer?,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        if let handle = operation.serviceChanged { self.serviceChangedHandle = handle }
        if let request {
            guard let opcode = ATT.opcode(of: request) else { preconditionFailure("a request without an opcode") }
            // The copy leaves the request with one owner, so that the layers below write their headers in front of it.
            let level = bearer.security.level
            let copy = level < .secureConnections ? ByteBuffer(bytes: request.readableBytesView) : nil
            let sent = Request(opcode: opcode, pdu: copy, level: level)
            self.state = .busy(operation, sent, deadline: now + ATT.transactionTimeout)
            self.hasAsked = true
            actions.append(.send(request, nil))
        } else {
            self.state = .idle
            if case .underWay(operation, _) = bearer.mtuExchange { bearer.mtuExchange = .done }
            self.end(operation, nil, into: &actions)
        }
    }

    private func end(_ operation: GATTOperation, _ error: GATTError?, into actions: inout [Action]) {
        operation.end(error)
        actions.append(.report(operation))
    }

    // MARK: The end

    /// Ends the bearer if a request has not been answered for 30 s.
    mutating func advance(to now: NIODeadline, on bearer: inout ATTBearer, into actions: inout [Action]) {
        guard let deadline = self.deadline(on: bearer), deadline <= now else { return }
        self.endOperations(.transactionTimeout, on: &bearer, into: &actions)
        bearer.fail(.requestTimeout, into: &actions)
    }

    /// The link has ended: every operation ends with it.
    mutating func close(reason: HCIErrorCode, on bearer: inout ATTBearer, into actions: inout [Action]) {
        bearer.close(reason: reason)
        self.endOperations(.disconnected(reason), on: &bearer, into: &actions)
    }

    /// The client is held, and the link cannot be secured: everything that waits fails.
    mutating func endHeld(_ error: GATTError, on bearer: inout ATTBearer, into actions: inout [Action]) {
        guard self.isHeld, self.awaitsKey else { return }
        self.awaitsKey = false
        self.endQueue(error, into: &actions)
        if case .underWay = bearer.mtuExchange { bearer.mtuExchange = .notAsked }
    }

    /// Ends the operation that runs and everything that waits.
    private mutating func endOperations(
        _ error: GATTError,
        on bearer: inout ATTBearer,
        into actions: inout [Action]
    ) {
        if let operation = self.state.operation { self.end(operation, error, into: &actions) }
        self.state = .idle
        self.endQueue(error, into: &actions)
        bearer.mtuExchange = .done
    }

    private mutating func endQueue(_ error: GATTError, into actions: inout [Action]) {
        while let entry = self.queue.popFirst() {
            switch entry {
            case .operation(let operation): self.end(operation, error, into: &actions)
            case .writeCommand(_, _, let token):
                actions.append(.dropped(Transmission(token: token, count: 1)))
            }
        }
    }

    // MARK: Answers

    /// Takes an answer to a request.
    mutating func receiveResponse(
        _ pdu: ByteBuffer,
        _ opcode: ATTOpcode,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        // An unexpected answer is ignored.
        guard case .busy(let operation, let request, _) = self.state else { return }
        let event: GATTEvent
        var isOutOfSync = false
        if opcode == .errorResponse {
            if let error = try? ATTErrorResponse(parsing: pdu), error.request == request.opcode {
                if self.awaitSecurity(error, of: request, operation, on: &bearer, now: now, into: &actions) { return }
                isOutOfSync = error.error == .databaseOutOfSync
                event = .error(error)
            } else {
                event = .malformed
            }
        } else if opcode.rawValue == request.opcode.rawValue | 1,
            pdu.readableBytes <= max(bearer.mtu, bearer.preferredMTU)
        {
            // The response's opcode is the request's plus one (Vol 3, Part F, 3.4.8).
            if opcode == .exchangeMTUResponse { bearer.takeAgreedMTU(from: pdu, into: &actions) }
            event = .response(pdu)
        } else {
            event = .malformed
        }
        let next = operation.step(event, mtu: bearer.mtu)
        self.follow(operation, next, on: &bearer, now: now, into: &actions)
        // The operation is reported first, so that its repetition stands behind the validation.
        if isOutOfSync { actions.append(.databaseOutOfSync) }
    }

    // MARK: Security

    /// The link has become more secure: the request that the server refused is sent again.
    mutating func repeatRefusedRequest(on bearer: inout ATTBearer, now: NIODeadline, into actions: inout [Action]) {
        guard case .securing(let operation, let request, _) = self.state, let pdu = request.pdu,
            request.level < bearer.security.level
        else { return }
        let repetition = Request(opcode: request.opcode, pdu: pdu, level: bearer.security.level)
        self.state = .busy(operation, repetition, deadline: now + ATT.transactionTimeout)
        var octets = PDUBuffer.make(capacity: pdu.readableBytes)
        octets.writeImmutableBuffer(pdu)
        actions.append(.send(octets, nil))
    }

    /// The link cannot become more secure: the operation gets the refusal, or ends with a more specific error.
    mutating func acceptRefusal(
        _ error: GATTError?,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard case .securing(let operation, _, let refusal) = self.state else { return }
        if let error { operation.end(error) }
        let next = error == nil ? operation.step(.error(refusal), mtu: bearer.mtu) : nil
        self.follow(operation, next, on: &bearer, now: now, into: &actions)
    }

    /// Lets a request that was refused wait for a more secure link, if that can help.
    private mutating func awaitSecurity(
        _ refusal: ATTErrorResponse,
        of request: Request,
        _ operation: GATTOperation,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [Action]
    ) -> Bool {
        guard request.pdu != nil, let shortfall = SecurityShortfall(refusal.error) else { return false }
        if request.level < bearer.security.level {
            // The link was secured while the request was on its way.
            self.state = .securing(operation, request, refusal: refusal)
            self.repeatRefusedRequest(on: &bearer, now: now, into: &actions)
            return true
        }
        guard let level = bearer.security.level(afterRefusalFor: shortfall) else { return false }
        self.state = .securing(operation, request, refusal: refusal)
        actions.append(.needsSecurity(level))
        return true
    }

    /// The server's database has to be discovered again, since an attacker could have changed the earlier answers: a
    /// request that was refused because the link was not secure ends as if the database had changed.
    mutating func distrustDatabase(on bearer: inout ATTBearer, now: NIODeadline, into actions: inout [Action]) {
        self.validatedDatabase = nil
        self.serviceChangedHandle = nil
        if case .securing(let operation, _, let refusal) = self.state {
            operation.end(.att(.databaseOutOfSync, handle: refusal.handle))
            self.follow(operation, nil, on: &bearer, now: now, into: &actions)
        }
        actions.append(.databaseOutOfSync)
    }
}
