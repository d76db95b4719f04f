// The GATT client of one link, without I/O (Vol 3, Part G, 4), and the one queue that decides in which order what was
// asked of it is sent. A bearer has at most one request on its way (Vol 3, Part F, 3.3.2).
//
//               ┌───────────────────── its maker asks for nothing ──────────────────────┐
//               ▼                                                                       │
//     idle ── head of the queue: made when its turn comes ──▶ making ── made ──▶ busy   │
//       ▲ └── head of the queue: a procedure ───────────────────────────────▶    │ │    │
//       └──────────────────── last answer: its result is reported ───────────────┘ │  (making)
//                                                        30 s without an answer ───┴──▶ the bearer fails
//     busy ── refused, and a more secure link may help ──▶ securing ── secured, or not ──▶ busy
//
// idle: nothing is on its way. The head of the queue is taken when the driver calls `proceed`, which it does after it
// has reported the results of what ended before: who makes a procedure when its turn comes knows them. making: the
// driver calls the closure that makes the procedure; it may find that nothing is to be asked. busy: the answer to a
// request is awaited. Write commands at the head of the queue leave meanwhile, unless the procedure is an exclusive
// one. securing: a server has refused a request because the link is not secure enough (Vol 3, Part C, 10.3.2); the
// driver has the link secured, and the request is sent once more, or the procedure gets the refusal. Each repetition
// needs a higher level of security, so there are at most three.
//
// Held: a client of a bonded peer is held until the link is encrypted with the key of the bond. It sends nothing,
// believes nothing, and has the driver secure the link as soon as something waits; what waits fails if that cannot be.
//
// What a peer can do: a server's answer is believed where the specification lets it be one. Another opcode, handles
// that do not grow, or lengths that do not fit end the procedure with `malformedResponse`, and the next one begins.
// Since every discovery goes on behind the last handle that it got, each ends after a finite number of answers,
// whatever the server says. A server that does not answer costs the link after 30 s. Nothing that it sends is queued.
//
// Time comes in as `now`, for the limit of 30 s on each request (Vol 3, Part F, 3.3.3).

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// A client of the server at the other end of a link.
struct GATTClient {
    fileprivate enum State {
        case idle
        case making(OwnedProcedure)
        case busy(OwnedProcedure, request: Request, deadline: NIODeadline)
        case securing(OwnedProcedure, request: Request, refusal: ATTErrorResponse)

        /// The procedure that runs, or is about to.
        var procedure: OwnedProcedure? {
            switch self {
            case .idle: nil
            case .making(let procedure), .busy(let procedure, _, _), .securing(let procedure, _, _): procedure
            }
        }
    }

    /// A request on its way.
    fileprivate struct Request {
        let opcode: ATTOpcode
        /// Its octets, for the case that it is sent once more; `nil` where no more secure link can help.
        let pdu: ByteBuffer?
        /// How secure the link was when it was sent.
        let level: SecurityLevel
    }

    fileprivate var state = State.idle
    /// What waits for its turn.
    fileprivate var queue: GATTClientQueue
    /// The value handle of Service Changed, once a procedure has found it.
    fileprivate(set) var serviceChangedHandle: AttributeHandle?
    /// Whether nothing is sent or believed: the peer is bonded, and the link not yet encrypted with the key of the
    /// bond.
    var isHeld = false {
        didSet { self.awaitsKey = false }
    }
    /// Whether the driver was told that something waits while the client is held.
    fileprivate(set) var awaitsKey = false
    /// Whether a request was sent on this link.
    fileprivate(set) var hasAsked = false
    /// What identified the server's database when it was validated last on this link.
    var validatedDatabase: GATTCachedDatabase?

    /// Creates the client of a new link.
    ///
    /// A procedure beyond `queueLimit` waiting ones is refused.
    init(queueLimit: Int) { self.queue = GATTClientQueue(limit: queueLimit) }

    /// When the request that is on its way has to be answered.
    var deadline: NIODeadline? {
        switch self.state {
        case .busy(_, _, let deadline): deadline
        case .idle, .making, .securing: nil
        }
    }

    /// Whether a Write Command at the head of the queue need not wait.
    fileprivate var commandsMayLeave: Bool {
        guard !self.isHeld else { return false }
        return switch self.state {
        case .idle: true
        case .busy(let procedure, _, _), .securing(let procedure, _, _): !procedure.isExclusive
        case .making: false
        }
    }
}

extension ATTBearer {
    // MARK: The queue

    /// Puts a procedure at the end of the queue.
    mutating func perform(_ procedure: OwnedProcedure, into actions: inout [Action]) {
        if let error = self.refusal { return self.end(procedure, error, into: &actions) }
        guard !self.client.queue.isFull else {
            // What a server without resources would say, said in its place.
            return self.end(procedure, .att(.insufficientResources, handle: 0), into: &actions)
        }
        self.client.queue.append(procedure)
    }

    /// What a procedure ends with at once; `nil` where it may wait, be it for the end of the link.
    private var refusal: GATTError? {
        switch self.condition {
        case .usable, .failed(.indicationTimeout), .failed(.requestWhilePending): nil
        case .failed(.requestTimeout): .transactionTimeout
        case .closed(let reason): .disconnected(reason)
        }
    }

    /// Puts the exchange of the ATT MTU at the head of the queue; after the first time, the result is what was agreed
    /// on then. A client sends the request once (Vol 3, Part F, 3.4.2.1).
    mutating func exchangeMTU(
        preferred: Int,
        id: GATTProcedureID,
        into actions: inout [Action],
        completion: @escaping (Result<Int, GATTError>) -> Void
    ) {
        guard case .notAsked = self.mtuExchange, self.isUsable else {
            return actions.append(
                .report(
                    OwnedProcedure(ExchangeMTU.self, endedWith: .success(self.mtu), id: id, completion: completion)
                )
            )
        }
        let procedure = OwnedProcedure(finding: ExchangeMTU(preferred: preferred), id: id, completion: completion)
        self.mtuExchange = .underWay(id)
        self.client.queue.prepend(procedure)
    }

    /// Puts a procedure at the head of the queue, whatever its limit.
    mutating func performNext(_ procedure: OwnedProcedure, into actions: inout [Action]) {
        if let error = self.refusal { return self.end(procedure, error, into: &actions) }
        self.client.queue.prepend(procedure)
    }

    /// Takes a procedure out of the queue; of one that runs, the result is not reported.
    mutating func cancel(_ id: GATTProcedureID) {
        if let procedure = self.client.state.procedure, procedure.id == id { return procedure.cancel() }
        guard let procedure = self.client.queue.remove(id) else { return }
        procedure.cancel()
        // The MTU was not asked for yet.
        if case .underWay(id) = self.mtuExchange { self.mtuExchange = .notAsked }
    }

    /// Sends a Write Command with the first MTU - 3 octets of `value`, at once or when it has become the head of the
    /// queue.
    ///
    /// Each is counted once for its owner, with its `send` or a `dropped`.
    mutating func writeCommand(
        _ handle: AttributeHandle,
        _ value: consuming ByteBuffer,
        _ token: TransmitToken,
        into actions: inout [Action]
    ) {
        switch self.condition {
        case .usable:
            if self.client.queue.isEmpty, self.client.commandsMayLeave {
                self.send(handle, value, token, into: &actions)
            } else {
                self.client.queue.append(handle, value, token)
            }
        case .failed, .closed:
            actions.append(.dropped(Transmission(token: token, count: 1)))
        }
    }

    /// Takes Write Commands to these handles out of the queue.
    mutating func dropCommands(to handles: AttributeHandleRange, into actions: inout [Action]) {
        for token in self.client.queue.removeCommands(to: handles) {
            actions.append(.dropped(Transmission(token: token, count: 1)))
        }
    }

    /// Mutating, so that the bearer is lent and not copied for each value.
    private mutating func send(
        _ handle: AttributeHandle,
        _ value: consuming ByteBuffer,
        _ token: TransmitToken,
        into actions: inout [Action]
    ) {
        let pdu = ATT.encoded(.writeCommand, handle, value.prefix(self.mtu - 3))
        actions.append(.send(pdu, Transmission(token: token, count: 1)))
    }

    /// Starts what waits, where it need not wait any more. The driver calls this when it has carried out all actions.
    mutating func proceed(now: NIODeadline, into actions: inout [Action]) {
        if self.client.isHeld, self.isUsable, !self.client.queue.isEmpty, !self.client.awaitsKey {
            self.client.awaitsKey = true
            actions.append(.needsSecurity(.encrypted))
        }
        while self.isUsable, !self.client.isHeld, let head = self.client.queue.first {
            switch head {
            case .writeCommand(let handle, let value, let token):
                guard self.client.commandsMayLeave else { return }
                self.client.queue.removeFirst()
                self.send(handle, value, token, into: &actions)
            case .procedure(let procedure):
                guard case .idle = self.client.state else { return }
                self.client.queue.removeFirst()
                guard procedure.isOpen else {
                    self.client.state = .making(procedure)
                    return actions.append(.make(procedure))
                }
                self.begin(procedure, now: now, into: &actions)
                // One that ended at once is reported before the next one begins.
                if case .idle = self.client.state { return }
            }
        }
    }

    /// A procedure was made in its turn, unless nothing is to be asked.
    mutating func made(_ procedure: OwnedProcedure, now: NIODeadline, into actions: inout [Action]) {
        switch self.client.state {
        case .making(let awaited) where awaited === procedure:
            self.client.state = .idle
            if procedure.isOpen { self.begin(procedure, now: now, into: &actions) }
        // The bearer ended inside the call that made it, and the procedure with it.
        case .idle, .making, .busy, .securing: break
        }
    }

    private mutating func begin(
        _ procedure: OwnedProcedure,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        let request = procedure.begin(mtu: self.mtu)
        self.follow(procedure, request, now: now, into: &actions)
    }

    private mutating func follow(
        _ procedure: OwnedProcedure,
        _ request: ByteBuffer?,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        switch procedure.finding {
        case .mtu(let mtu): self.setMTU(mtu, into: &actions)
        case .serviceChanged(let handle): self.client.serviceChangedHandle = handle
        case nil: break
        }
        if let request {
            guard let opcode = ATT.opcode(of: request) else { preconditionFailure("a request without an opcode") }
            // The copy leaves the request with one owner, so that the layers below write their headers in front of it.
            let level = self.security.level
            let copy = level < .secureConnections ? ByteBuffer(bytes: request.readableBytesView) : nil
            let sent = GATTClient.Request(opcode: opcode, pdu: copy, level: level)
            self.client.state = .busy(procedure, request: sent, deadline: now + ATT.transactionTimeout)
            self.client.hasAsked = true
            actions.append(.send(request, nil))
        } else {
            self.client.state = .idle
            if case .underWay(procedure.id) = self.mtuExchange { self.mtuExchange = .done }
            actions.append(.report(procedure))
        }
    }

    // MARK: Security

    /// The link has become more secure: what the server has refused for want of that is asked once more.
    mutating func repeatRefusedRequest(now: NIODeadline, into actions: inout [Action]) {
        guard case .securing(let procedure, let request, _) = self.client.state, let pdu = request.pdu,
            request.level < self.security.level
        else { return }
        let repetition = GATTClient.Request(opcode: request.opcode, pdu: pdu, level: self.security.level)
        self.client.state = .busy(procedure, request: repetition, deadline: now + ATT.transactionTimeout)
        var octets = PDUBuffer.make(capacity: pdu.readableBytes)
        octets.writeImmutableBuffer(pdu)
        actions.append(.send(octets, nil))
    }

    /// The link does not become more secure: the procedure gets the refusal, or ends with an error that says more.
    mutating func acceptRefusal(_ error: GATTError?, now: NIODeadline, into actions: inout [Action]) {
        guard case .securing(let procedure, _, let refusal) = self.client.state else { return }
        if let error {
            procedure.fail(error)
            self.follow(procedure, nil, now: now, into: &actions)
        } else {
            self.follow(procedure, procedure.receive(.error(refusal), mtu: self.mtu), now: now, into: &actions)
        }
    }

    /// Lets a request that was refused wait for a more secure link, where that can help.
    private mutating func awaitSecurity(
        _ refusal: ATTErrorResponse,
        of request: GATTClient.Request,
        _ procedure: OwnedProcedure,
        now: NIODeadline,
        into actions: inout [Action]
    ) -> Bool {
        guard request.pdu != nil, let shortfall = SecurityShortfall(refusal.error) else { return false }
        if request.level < self.security.level {
            // The link was secured while the request was on its way.
            self.client.state = .securing(procedure, request: request, refusal: refusal)
            self.repeatRefusedRequest(now: now, into: &actions)
            return true
        }
        guard let level = self.security.level(afterRefusalFor: shortfall) else { return false }
        self.client.state = .securing(procedure, request: request, refusal: refusal)
        actions.append(.needsSecurity(level))
        return true
    }

    /// The server's database is to be found out anew, since what was learned of it came over a link that anybody could
    /// have changed: a request that was refused because the link was not secure ends as if the database had changed.
    mutating func distrustDatabase(now: NIODeadline, into actions: inout [Action]) {
        self.client.validatedDatabase = nil
        self.client.serviceChangedHandle = nil
        if case .securing(let procedure, _, let refusal) = self.client.state {
            procedure.fail(.att(.databaseOutOfSync, handle: refusal.handle))
            self.follow(procedure, nil, now: now, into: &actions)
        }
        actions.append(.databaseOutOfSync)
    }

    /// The client is held, and the link does not become secure: nothing that waits is sent.
    mutating func endHeld(_ error: GATTError, into actions: inout [Action]) {
        guard self.client.isHeld, self.client.awaitsKey else { return }
        self.client.awaitsKey = false
        self.endQueue(error, into: &actions)
        if case .underWay = self.mtuExchange { self.mtuExchange = .notAsked }
    }

    /// Ends what runs and everything that waits.
    mutating func endProcedures(_ error: GATTError, into actions: inout [Action]) {
        if let procedure = self.client.state.procedure { self.end(procedure, error, into: &actions) }
        self.client.state = .idle
        self.endQueue(error, into: &actions)
        self.mtuExchange = .done
    }

    private mutating func endQueue(_ error: GATTError, into actions: inout [Action]) {
        while let entry = self.client.queue.first {
            self.client.queue.removeFirst()
            switch entry {
            case .procedure(let procedure): self.end(procedure, error, into: &actions)
            case .writeCommand(_, _, let token):
                actions.append(.dropped(Transmission(token: token, count: 1)))
            }
        }
    }

    private func end(_ procedure: OwnedProcedure, _ error: GATTError, into actions: inout [Action]) {
        procedure.fail(error)
        actions.append(.report(procedure))
    }

    // MARK: What the server sends

    /// Takes an answer to a request.
    mutating func receiveResponse(
        _ pdu: ByteBuffer,
        _ opcode: ATTOpcode,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        // An answer that nothing waits for is ignored.
        guard case .busy(let procedure, let request, _) = self.client.state else { return }
        let event: GATTProcedureEvent
        var isOutOfSync = false
        if opcode == .errorResponse {
            if let error = try? ATTErrorResponse(parsing: pdu), error.request == request.opcode {
                if self.awaitSecurity(error, of: request, procedure, now: now, into: &actions) { return }
                isOutOfSync = error.error == .databaseOutOfSync
                event = .error(error)
            } else {
                event = .malformed
            }
        } else if opcode.rawValue == request.opcode.rawValue | 1, pdu.readableBytes <= max(self.mtu, self.preferredMTU)
        {
            // The response's opcode is the request's and one (Vol 3, Part F, 3.4.8).
            event = .response(pdu)
        } else {
            event = .malformed
        }
        let next = procedure.receive(event, mtu: self.mtu)
        self.follow(procedure, next, now: now, into: &actions)
        // The owner of the procedure hears of it first: what it repeats stands behind the validation then.
        if isOutOfSync { actions.append(.databaseOutOfSync) }
    }
}
