// The GATT client of one link, without I/O (Vol 3, Part G, 4), and the one queue that decides in which order what was asked
// of it is sent. A bearer has at most one request on its way (Vol 3, Part F, 3.3.2).
//
//               ┌───────────────────── its maker asks for nothing ──────────────────────┐
//               ▼                                                                       │
//     idle ── head of the queue: made when its turn comes ──▶ making ── made ──▶ busy   │
//       ▲ └── head of the queue: a procedure ───────────────────────────────▶    │ │    │
//       └──────────────────── last answer: its result is reported ───────────────┘ │  (making)
//                                                        30 s without an answer ───┴──▶ failed
//     every state ── end of the link ──▶ closed
//
// idle: nothing is on its way. The head of the queue is taken when the driver calls `proceed`, which it does after it has
// reported the results of what ended before: who makes a procedure when its turn comes knows them.
// making: the driver calls the closure that makes the procedure; it may find that nothing is to be asked.
// busy: the answer to a request is awaited. Write commands at the head of the queue leave meanwhile, unless the procedure
// is an exclusive one.
// failed: a request stayed unanswered, and nothing is sent any more (Vol 3, Part F, 3.3.3).
// closed: the link has ended.
//
// What a peer can do: a server's answer is believed where the specification lets it be one. Another opcode, handles that
// do not grow, or lengths that do not fit end the procedure with `malformedResponse`, and the next one begins. Since every
// discovery goes on behind the last handle that it got, each ends after a finite number of answers, whatever the server
// says. A server that does not answer costs the link after 30 s. Nothing of what a server sends is queued here.
//
// Time comes in as `now`, for the limit of 30 s on each request (Vol 3, Part F, 3.3.3).

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// A client of the server at the other end of a link.
struct GATTClient {
    private enum State {
        case idle
        case making(any GATTDeferredProcedure)
        case busy(any GATTRunningProcedure, request: ATTOpcode, deadline: NIODeadline)
        case failed
        case closed(HCIErrorCode)
    }

    /// What waits for its turn.
    private enum Entry {
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

    /// What the driver has to do, in this order.
    enum Action {
        /// Send this PDU.
        case send(ByteBuffer)
        /// Send this Write Command and report that it has left.
        case sendCommand(ByteBuffer, TransmitToken)
        /// A Write Command will not be sent.
        case dropCommand(TransmitToken)
        /// Let this procedure be made, then call ``made(_:of:now:into:)``.
        case make(any GATTDeferredProcedure)
        /// The procedure has ended: its owner gets the result.
        case report(any GATTQueuedProcedure)
        /// A notification came, or an indication whose confirmation was sent.
        case notification(AttributeHandle, ByteBuffer)
        /// The server's services in this range are not what they were.
        case servicesChanged(AttributeHandleRange)
        /// The server has said that its database is another one than this client knows (2.5.2.1).
        case databaseOutOfSync
        /// The ATT MTU changed by this client's exchange.
        case mtuChanged(Int)
        /// The server did not answer in time; ATT is over on this link (Vol 3, Part F, 3.3.3).
        case bearerFailed

        /// Takes the action out of its place in an array.
        ///
        /// A PDU in it then has one owner, so that the layers below write their headers into its headroom; with a second
        /// owner, the array, each header would cost a copy.
        @inline(__always)
        mutating func take() -> Action {
            let action = consume self
            self = .bearerFailed
            return action
        }
    }

    /// The longest PDU that this client takes, in octets.
    let preferredMTU: Int
    /// How many procedures may wait.
    let queueLimit: Int
    /// The ATT MTU of the link, in octets.
    private(set) var mtu = ATT.defaultMTU

    private var state = State.idle
    private var queue: Deque<Entry> = []
    private var waitingProcedureCount = 0
    private var hasExchangedMTU = false
    /// The value handle of Service Changed, once a procedure has found it.
    private var serviceChangedHandle: AttributeHandle?

    /// Creates the client of a new link.
    ///
    /// A procedure beyond `queueLimit` waiting ones is refused.
    init(preferredMTU: Int = ATT.maximumMTU, queueLimit: Int = 65_536) {
        self.preferredMTU = min(max(preferredMTU, ATT.defaultMTU), ATT.maximumMTU)
        self.queueLimit = queueLimit
    }

    /// Whether requests and commands can still be sent.
    var isUsable: Bool {
        switch self.state {
        case .idle, .making, .busy: true
        case .failed, .closed: false
        }
    }

    /// When ``advance(to:into:)`` is to be called; `nil` for never.
    var nextDeadline: NIODeadline? {
        switch self.state {
        case .busy(_, _, let deadline): deadline
        case .idle, .making, .failed, .closed: nil
        }
    }

    /// The MTU that the local server and the peer's client have agreed on: it holds for both directions.
    mutating func setMTU(_ mtu: Int) { self.mtu = max(mtu, ATT.defaultMTU) }

    // MARK: The queue

    /// Puts a procedure at the end of the queue.
    mutating func perform(_ procedure: any GATTRunningProcedure, into actions: inout [Action]) {
        self.append(procedure, .procedure(procedure), into: &actions)
    }

    /// Puts a procedure that is made when its turn comes at the end of the queue.
    mutating func perform(_ procedure: any GATTDeferredProcedure, into actions: inout [Action]) {
        self.append(procedure, .deferred(procedure), into: &actions)
    }

    /// Puts the exchange of the ATT MTU at the head of the queue; after the first time, the result is what was agreed on
    /// then. A client sends the request once (Vol 3, Part F, 3.4.2.1).
    mutating func exchangeMTU(
        preferred: Int,
        id: GATTProcedureID,
        into actions: inout [Action],
        completion: @escaping (Result<Int, GATTError>) -> Void
    ) {
        let procedure = OwnedFindingProcedure(ExchangeMTU(preferred: preferred), id: id, completion: completion)
        guard !self.hasExchangedMTU else {
            procedure.succeed(self.mtu)
            return actions.append(.report(procedure))
        }
        self.hasExchangedMTU = true
        self.waitingProcedureCount += 1
        self.queue.prepend(.procedure(procedure))
    }

    /// Puts a procedure that is made when its turn comes at the head of the queue.
    mutating func performNext(_ procedure: any GATTDeferredProcedure) {
        self.waitingProcedureCount += 1
        self.queue.prepend(.deferred(procedure))
    }

    private mutating func append(
        _ procedure: any GATTQueuedProcedure,
        _ entry: Entry,
        into actions: inout [Action]
    ) {
        switch self.state {
        case .idle, .making, .busy:
            guard self.waitingProcedureCount < self.queueLimit else {
                // What a server without resources would say, said in its place.
                procedure.fail(.att(.insufficientResources, handle: 0))
                actions.append(.report(procedure))
                return
            }
            self.waitingProcedureCount += 1
            self.queue.append(entry)
        case .failed:
            procedure.fail(.transactionTimeout)
            actions.append(.report(procedure))
        case .closed(let reason):
            procedure.fail(.disconnected(reason))
            actions.append(.report(procedure))
        }
    }

    /// Takes a procedure out of the queue; of one that runs, the result is not reported.
    mutating func cancel(_ id: GATTProcedureID) {
        switch self.state {
        case .busy(let procedure, _, _) where procedure.id == id: return procedure.cancel()
        case .making(let procedure) where procedure.id == id: return procedure.cancel()
        case .idle, .making, .busy, .failed, .closed: break
        }
        guard let index = self.queue.firstIndex(where: { $0.procedure?.id == id }) else { return }
        self.queue.remove(at: index).procedure?.cancel()
        self.waitingProcedureCount -= 1
    }

    /// Sends a Write Command with the first MTU - 3 octets of `value`, at once or when it has become the head of the queue.
    ///
    /// Each ends in one `sendCommand` or `dropCommand`.
    mutating func writeCommand(
        _ handle: AttributeHandle,
        _ value: ByteBuffer,
        _ token: TransmitToken,
        into actions: inout [Action]
    ) {
        switch self.state {
        case .idle, .making, .busy:
            if self.queue.isEmpty, self.commandsMayLeave {
                self.send(handle, value, token, into: &actions)
            } else {
                self.queue.append(.writeCommand(handle, value, token))
            }
        case .failed, .closed:
            actions.append(.dropCommand(token))
        }
    }

    /// Takes Write Commands to these handles out of the queue.
    mutating func dropCommands(to handles: AttributeHandleRange, into actions: inout [Action]) {
        for case .writeCommand(let handle, _, let token) in self.queue where handles.contains(handle) {
            actions.append(.dropCommand(token))
        }
        self.queue.removeAll {
            if case .writeCommand(let handle, _, _) = $0 { handles.contains(handle) } else { false }
        }
    }

    private func send(
        _ handle: AttributeHandle,
        _ value: ByteBuffer,
        _ token: TransmitToken,
        into actions: inout [Action]
    ) {
        let value = value.prefix(self.mtu - 3)
        actions.append(.sendCommand(ATTWriteCommand(handle: handle, value: value).encoded(), token))
    }

    /// Whether a Write Command at the head of the queue need not wait.
    private var commandsMayLeave: Bool {
        switch self.state {
        case .idle: true
        case .busy(let procedure, _, _): !procedure.isExclusive
        case .making, .failed, .closed: false
        }
    }

    /// Starts what waits, where it need not wait any more. The driver calls this when it has carried out all actions.
    mutating func proceed(now: NIODeadline, into actions: inout [Action]) {
        while let head = self.queue.first {
            switch head {
            case .writeCommand(let handle, let value, let token):
                guard self.commandsMayLeave else { return }
                self.queue.removeFirst()
                self.send(handle, value, token, into: &actions)
            case .procedure(let procedure):
                guard case .idle = self.state else { return }
                self.queue.removeFirst()
                self.waitingProcedureCount -= 1
                self.begin(procedure, now: now, into: &actions)
                // One that ended at once is reported before the next one begins.
                if case .idle = self.state { return }
            case .deferred(let procedure):
                guard case .idle = self.state else { return }
                self.queue.removeFirst()
                self.waitingProcedureCount -= 1
                self.state = .making(procedure)
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
        switch self.state {
        case .making(let awaited) where awaited === deferred:
            self.state = .idle
            if let procedure { self.begin(procedure, now: now, into: &actions) }
        case .closed(let reason):
            // The link ended inside the call that made it.
            guard let procedure else { return }
            procedure.fail(.disconnected(reason))
            actions.append(.report(procedure))
        case .idle, .making, .busy, .failed: break
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
        case .mtu(let mtu):
            if mtu != self.mtu {
                self.mtu = mtu
                actions.append(.mtuChanged(mtu))
            }
        case .serviceChanged(let handle): self.serviceChangedHandle = handle
        case nil: break
        }
        if let request {
            guard let opcode = ATT.opcode(of: request) else { preconditionFailure("a request without an opcode") }
            self.state = .busy(procedure, request: opcode, deadline: now + ATT.transactionTimeout)
            actions.append(.send(request))
        } else {
            self.state = .idle
            actions.append(.report(procedure))
        }
    }

    // MARK: Time and end

    /// Ends the bearer where the server has not answered for 30 s.
    mutating func advance(to now: NIODeadline, into actions: inout [Action]) {
        guard case .busy(let procedure, _, let deadline) = self.state, deadline <= now else { return }
        self.state = .failed
        self.fail(procedure, .transactionTimeout, into: &actions)
        actions.append(.bearerFailed)
    }

    /// The link has ended: every procedure ends with it.
    mutating func close(reason: HCIErrorCode, into actions: inout [Action]) {
        switch self.state {
        case .busy(let procedure, _, _):
            self.state = .closed(reason)
            self.fail(procedure, .disconnected(reason), into: &actions)
        case .making(let procedure):
            self.state = .closed(reason)
            self.fail(procedure, .disconnected(reason), into: &actions)
        case .idle, .failed:
            self.state = .closed(reason)
            self.fail(nil, .disconnected(reason), into: &actions)
        case .closed:
            break
        }
    }

    /// Ends what runs and everything that waits.
    private mutating func fail(
        _ procedure: (any GATTQueuedProcedure)?,
        _ error: GATTError,
        into actions: inout [Action]
    ) {
        if let procedure {
            procedure.fail(error)
            actions.append(.report(procedure))
        }
        while let entry = self.queue.popFirst() {
            switch entry {
            case .procedure(let procedure):
                procedure.fail(error)
                actions.append(.report(procedure))
            case .deferred(let procedure):
                procedure.fail(error)
                actions.append(.report(procedure))
            case .writeCommand(_, _, let token):
                actions.append(.dropCommand(token))
            }
        }
        self.waitingProcedureCount = 0
    }

    // MARK: What the server sends

    /// Takes a PDU that a server sends: a response, a notification or an indication.
    ///
    /// Others are ignored.
    mutating func receive(_ pdu: ByteBuffer, now: NIODeadline, into actions: inout [Action]) {
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
        guard case .busy(let procedure, let request, _) = self.state else { return }
        let event: GATTProcedureEvent
        if opcode == .errorResponse {
            if let error = try? ATTErrorResponse(parsing: pdu), error.request == request {
                if error.error == .databaseOutOfSync { actions.append(.databaseOutOfSync) }
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
        actions.append(.send(ATTHandleValueConfirmation().encoded()))
        if indication.handle == self.serviceChangedHandle {
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
