// The GATT client of one link, without I/O (Vol 3, Part G, 4), and the one queue that decides in which order what was
// asked of it is sent. A bearer has at most one request on its way (Vol 3, Part F, 3.3.2).
//
//               ┌───────────────────── its maker asks for nothing ──────────────────────┐
//               ▼                                                                       │
//     idle ── head of the queue: made when its turn comes ──▶ making ── made ──▶ busy   │
//       ▲ └── head of the queue: a procedure ───────────────────────────────▶    │ │    │
//       └──────────────────── last answer: its result is reported ───────────────┘ │  (making)
//                                                        30 s without an answer ───┴──▶ the bearer fails
//
// idle: nothing is on its way. The head of the queue is taken when the driver calls `proceed`, which it does after it
// has reported the results of what ended before: who makes a procedure when its turn comes knows them. making: the
// driver calls the closure that makes the procedure; it may find that nothing is to be asked. busy: the answer to a
// request is awaited. Write commands at the head of the queue leave meanwhile, unless the procedure is an exclusive
// one.
//
// What a peer can do: a server's answer is believed where the specification lets it be one. Another opcode, handles
// that do not grow, or lengths that do not fit end the procedure with `malformedResponse`, and the next one begins.
// Since every discovery goes on behind the last handle that it got, each ends after a finite number of answers,
// whatever the server says. A server that does not answer costs the link after 30 s. Nothing of what a server sends is
// queued here.
//
// Time comes in as `now`, for the limit of 30 s on each request (Vol 3, Part F, 3.3.3).

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// A client of the server at the other end of a link.
struct GATTClient {
    fileprivate enum State {
        case idle
        case making(any GATTDeferredProcedure)
        case busy(any GATTRunningProcedure, request: ATTOpcode, deadline: NIODeadline)
    }

    /// What waits for its turn.
    fileprivate enum Entry {
        case procedure(any GATTRunningProcedure)
        case deferred(any GATTDeferredProcedure)
        case writeCommand(AttributeHandle, ByteBuffer, TransmitToken)

        /// The procedure, where it is one.
        var procedure: (any GATTQueuedProcedure)? {
            switch self {
            case .procedure(let procedure): procedure
            case .deferred(let procedure): procedure
            case .writeCommand: nil
            }
        }
    }

    /// How many procedures may wait.
    let queueLimit: Int

    fileprivate var state = State.idle
    fileprivate var queue: Deque<Entry> = []
    fileprivate var waitingProcedureCount = 0
    /// The value handle of Service Changed, once a procedure has found it.
    fileprivate var serviceChangedHandle: AttributeHandle?
    /// What identified the server's database when it was validated last on this link.
    var validatedDatabase: GATTCachedDatabase?

    /// Creates the client of a new link.
    ///
    /// A procedure beyond `queueLimit` waiting ones is refused.
    init(queueLimit: Int) { self.queueLimit = queueLimit }

    /// When the request that is on its way has to be answered.
    var deadline: NIODeadline? {
        switch self.state {
        case .busy(_, _, let deadline): deadline
        case .idle, .making: nil
        }
    }

    /// Whether a Write Command at the head of the queue need not wait.
    fileprivate var commandsMayLeave: Bool {
        switch self.state {
        case .idle: true
        case .busy(let procedure, _, _): !procedure.isExclusive
        case .making: false
        }
    }
}

extension ATTBearer {
    // MARK: The queue

    /// Puts a procedure at the end of the queue.
    mutating func perform(_ procedure: any GATTRunningProcedure, into actions: inout [Action]) {
        self.append(procedure, .procedure(procedure), into: &actions)
    }

    /// Puts a procedure that is made when its turn comes at the end of the queue.
    mutating func perform(_ procedure: any GATTDeferredProcedure, into actions: inout [Action]) {
        self.append(procedure, .deferred(procedure), into: &actions)
    }

    /// Puts the exchange of the ATT MTU at the head of the queue; after the first time, the result is what was agreed
    /// on then. A client sends the request once (Vol 3, Part F, 3.4.2.1).
    mutating func exchangeMTU(
        preferred: Int,
        id: GATTProcedureID,
        into actions: inout [Action],
        completion: @escaping (Result<Int, GATTError>) -> Void
    ) {
        let procedure = OwnedFindingProcedure(ExchangeMTU(preferred: preferred), id: id, completion: completion)
        guard case .notAsked = self.mtuExchange, self.isUsable else {
            procedure.succeed(self.mtu)
            return actions.append(.report(procedure))
        }
        self.mtuExchange = .underWay(id)
        self.client.waitingProcedureCount += 1
        self.client.queue.prepend(.procedure(procedure))
    }

    /// Puts a procedure that is made when its turn comes at the head of the queue.
    mutating func performNext(_ procedure: any GATTDeferredProcedure) {
        self.client.waitingProcedureCount += 1
        self.client.queue.prepend(.deferred(procedure))
    }

    private mutating func append(
        _ procedure: any GATTQueuedProcedure,
        _ entry: GATTClient.Entry,
        into actions: inout [Action]
    ) {
        switch self.condition {
        case .usable, .failed(.indicationTimeout), .failed(.requestWhilePending):
            guard self.client.waitingProcedureCount < self.client.queueLimit else {
                // What a server without resources would say, said in its place.
                procedure.fail(.att(.insufficientResources, handle: 0))
                actions.append(.report(procedure))
                return
            }
            self.client.waitingProcedureCount += 1
            self.client.queue.append(entry)
        case .failed(.requestTimeout):
            procedure.fail(.transactionTimeout)
            actions.append(.report(procedure))
        case .closed(let reason):
            procedure.fail(.disconnected(reason))
            actions.append(.report(procedure))
        }
    }

    /// Takes a procedure out of the queue; of one that runs, the result is not reported.
    mutating func cancel(_ id: GATTProcedureID) {
        switch self.client.state {
        case .busy(let procedure, _, _) where procedure.id == id: return procedure.cancel()
        case .making(let procedure) where procedure.id == id: return procedure.cancel()
        case .idle, .making, .busy: break
        }
        guard let index = self.client.queue.firstIndex(where: { $0.procedure?.id == id }) else { return }
        self.client.queue.remove(at: index).procedure?.cancel()
        self.client.waitingProcedureCount -= 1
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
                self.client.queue.append(.writeCommand(handle, value, token))
            }
        case .failed, .closed:
            actions.append(.dropped(Transmission(token: token, count: 1)))
        }
    }

    /// Takes Write Commands to these handles out of the queue.
    mutating func dropCommands(to handles: AttributeHandleRange, into actions: inout [Action]) {
        for case .writeCommand(let handle, _, let token) in self.client.queue where handles.contains(handle) {
            actions.append(.dropped(Transmission(token: token, count: 1)))
        }
        self.client.queue.removeAll {
            if case .writeCommand(let handle, _, _) = $0 { handles.contains(handle) } else { false }
        }
    }

    private func send(
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
        while self.isUsable, let head = self.client.queue.first {
            switch head {
            case .writeCommand(let handle, let value, let token):
                guard self.client.commandsMayLeave else { return }
                self.client.queue.removeFirst()
                self.send(handle, value, token, into: &actions)
            case .procedure(let procedure):
                guard case .idle = self.client.state else { return }
                self.client.queue.removeFirst()
                self.client.waitingProcedureCount -= 1
                self.begin(procedure, now: now, into: &actions)
                // One that ended at once is reported before the next one begins.
                if case .idle = self.client.state { return }
            case .deferred(let procedure):
                guard case .idle = self.client.state else { return }
                self.client.queue.removeFirst()
                self.client.waitingProcedureCount -= 1
                self.client.state = .making(procedure)
                actions.append(.make(procedure))
                return
            }
        }
    }

    /// A procedure was made in its turn; `nil` where nothing is to be asked.
    mutating func made(
        _ procedure: (any GATTRunningProcedure)?,
        of deferred: any GATTDeferredProcedure,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        switch self.client.state {
        case .making(let awaited) where awaited === deferred:
            self.client.state = .idle
            if let procedure { self.begin(procedure, now: now, into: &actions) }
        // The bearer ended inside the call that made it, and the procedure with it.
        case .idle, .making, .busy: break
        }
    }

    private mutating func begin(
        _ procedure: any GATTRunningProcedure,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        let request = procedure.begin(mtu: self.mtu)
        self.follow(procedure, request, now: now, into: &actions)
    }

    private mutating func follow(
        _ procedure: any GATTRunningProcedure,
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
            self.client.state = .busy(procedure, request: opcode, deadline: now + ATT.transactionTimeout)
            actions.append(.send(request, nil))
        } else {
            self.client.state = .idle
            if case .underWay(procedure.id) = self.mtuExchange { self.mtuExchange = .done }
            actions.append(.report(procedure))
        }
    }

    /// Ends what runs and everything that waits.
    mutating func endProcedures(_ error: GATTError, into actions: inout [Action]) {
        switch self.client.state {
        case .busy(let procedure, _, _): self.end(procedure, error, into: &actions)
        case .making(let procedure): self.end(procedure, error, into: &actions)
        case .idle: break
        }
        self.client.state = .idle
        while let entry = self.client.queue.popFirst() {
            switch entry {
            case .procedure(let procedure): self.end(procedure, error, into: &actions)
            case .deferred(let procedure): self.end(procedure, error, into: &actions)
            case .writeCommand(_, _, let token):
                actions.append(.dropped(Transmission(token: token, count: 1)))
            }
        }
        self.client.waitingProcedureCount = 0
        self.mtuExchange = .done
    }

    private func end(_ procedure: any GATTQueuedProcedure, _ error: GATTError, into actions: inout [Action]) {
        procedure.fail(error)
        actions.append(.report(procedure))
    }

    // MARK: What the server sends

    /// Takes a PDU that a server sends: a response, a notification or an indication.
    ///
    /// Others are ignored.
    mutating func receiveAsClient(_ pdu: ByteBuffer, now: NIODeadline, into actions: inout [Action]) {
        guard self.isUsable, let opcode = ATT.opcode(of: pdu), !opcode.isForServer else { return }
        switch opcode {
        case .handleValueNotification:
            self.receiveNotification(pdu, into: &actions)
        case .handleValueIndication:
            self.receiveIndication(pdu, into: &actions)
        case .multipleHandleValueNotification:
            self.receiveMultipleNotification(pdu, into: &actions)
        default:
            self.receiveResponse(pdu, opcode, now: now, into: &actions)
        }
    }

    private mutating func receiveResponse(
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
            if let error = try? ATTErrorResponse(parsing: pdu), error.request == request {
                isOutOfSync = error.error == .databaseOutOfSync
                event = .error(error)
            } else {
                event = .malformed
            }
        } else if opcode.rawValue == request.rawValue | 1, pdu.readableBytes <= max(self.mtu, self.preferredMTU) {
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

    private func receiveNotification(_ pdu: ByteBuffer, into actions: inout [Action]) {
        guard let notification = try? ATTHandleValueNotification(parsing: pdu), notification.handle != 0 else { return }
        actions.append(.notification(notification.handle, notification.value))
    }

    /// All notifications of one PDU, or none where one of them is cut short.
    private func receiveMultipleNotification(_ pdu: ByteBuffer, into actions: inout [Action]) {
        guard let notification = try? ATTMultipleHandleValueNotification(parsing: pdu) else { return }
        for (handle, value) in notification.list where handle != 0 {
            actions.append(.notification(handle, value))
        }
    }

    /// An indication is confirmed before anything else happens: the server may not send the next one until then.
    private func receiveIndication(_ pdu: ByteBuffer, into actions: inout [Action]) {
        guard let indication = try? ATTHandleValueIndication(parsing: pdu) else { return }
        actions.append(.send(ATTHandleValueConfirmation().encoded(), nil))
        if indication.handle == self.client.serviceChangedHandle {
            actions.append(.servicesChanged(Self.changedRange(indication.value)))
        } else if indication.handle != 0 {
            actions.append(.notification(indication.handle, indication.value))
        }
    }

    /// The range of a Service Changed value (Vol 3, Part G, 7.1).
    ///
    /// A value that makes no sense still says that something changed, so it means all services.
    private static func changedRange(_ value: ByteBuffer) -> AttributeHandleRange {
        var value = value
        guard value.readableBytes == 4,
            let (first, last) = value.readMultipleIntegers(endianness: .little, as: (UInt16, UInt16).self),
            first != 0, first <= last
        else { return 0x0001...0xFFFF }
        return first...last
    }
}
