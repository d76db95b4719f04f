// The GATT client of one link, without I/O (Vol 3, Part G, 4). Procedures run one after another in the order in which
// they were asked for, and each has at most one request under way, since ATT is sequential (Vol 3, Part F, 3.3.2).
//
//     idle ── start ──▶ busy ── last answer ──▶ idle, or the next of the queue
//                        │  └── 30 s without an answer ──▶ failed: nothing is sent any more (3.3.3)
//                        └── end of the link ──▶ closed
//
// A server's answer is believed as far as the specification lets it be one: another opcode, handles that do not grow, or
// lengths that do not fit end the procedure with `malformedResponse`, and the next one begins. Since every discovery
// goes on behind the last handle that it got, each ends after a finite number of answers, whatever the server says.

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// A client of the server at the other end of a link.
struct GATTClient: Sendable {
    private enum State: Sendable {
        /// Nothing is under way, and nothing waits.
        case idle
        /// The answer to a request is awaited.
        case busy(ProcedureID, GATTActiveProcedure, request: ATTOpcode, deadline: NIODeadline)
        /// A request stayed unanswered.
        case failed
        /// The link has ended.
        case closed(HCIErrorCode)
    }

    /// A procedure that waits for its turn.
    private struct Waiting: Sendable {
        var id: ProcedureID
        var procedure: Procedure
    }

    /// The longest PDU that this client takes, in octets.
    let preferredMTU: Int
    /// How many procedures may wait.
    let queueLimit: Int
    /// The ATT MTU of the link, in octets.
    private(set) var mtu = ATT.defaultMTU

    private var state = State.idle
    private var queue: Deque<Waiting> = []
    private var hasExchangedMTU = false
    /// The value handle of Service Changed, once a procedure has found it.
    private var serviceChangedHandle: AttributeHandle?

    /// Creates the client of a new link.
    ///
    /// A procedure beyond `queueLimit` waiting ones is refused.
    init(preferredMTU: Int = ATT.maximumMTU, queueLimit: Int = 4_096) {
        self.preferredMTU = min(max(preferredMTU, ATT.defaultMTU), ATT.maximumMTU)
        self.queueLimit = queueLimit
    }

    /// Whether requests and commands can still be sent.
    var isUsable: Bool {
        switch self.state {
        case .idle, .busy: true
        case .failed, .closed: false
        }
    }

    /// When ``advance(to:into:)`` is to be called; `nil` for never.
    var nextDeadline: NIODeadline? {
        switch self.state {
        case .busy(_, _, _, let deadline): deadline
        case .idle, .failed, .closed: nil
        }
    }

    /// The MTU that the local server and the peer's client have agreed on: it holds for both directions.
    mutating func setMTU(_ mtu: Int) { self.mtu = max(mtu, ATT.defaultMTU) }

    // MARK: Procedures

    /// Starts a procedure, now or after those that wait already.
    mutating func start(
        _ procedure: Procedure,
        id: ProcedureID,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        switch self.state {
        case .idle:
            self.begin(procedure, id, now: now, into: &actions)
        case .busy:
            guard self.queue.count < self.queueLimit else {
                // What a server without resources would say, said in its place.
                actions.append(.complete(id, .failure(.att(.insufficientResources, handle: 0))))
                return
            }
            self.queue.append(Waiting(id: id, procedure: procedure))
        case .failed:
            actions.append(.complete(id, .failure(.transactionTimeout)))
        case .closed(let reason):
            actions.append(.complete(id, .failure(.disconnected(reason))))
        }
    }

    /// Sends a Write Command with the first MTU - 3 octets of `value`; it overtakes procedures that wait.
    ///
    /// Nothing is sent once the client is not ``isUsable``.
    func writeCommand(_ handle: AttributeHandle, _ value: ByteBuffer, into actions: inout [Action]) {
        guard self.isUsable else { return }
        var value = value
        let length = min(value.readableBytes, self.mtu - 3)
        value.moveWriterIndex(to: value.readerIndex + length)
        actions.append(.sendCommand(ATTWriteCommand(handle: handle, value: value).encoded()))
    }

    private mutating func begin(
        _ procedure: Procedure,
        _ id: ProcedureID,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        if case .exchangeMTU = procedure {
            // A client sends the request once (Vol 3, Part F, 3.4.2.1).
            guard !self.hasExchangedMTU else {
                actions.append(.complete(id, .success(.mtu(self.mtu))))
                return
            }
            self.hasExchangedMTU = true
        }
        // An indication may overtake the answer to the subscription.
        if case .resumeCaching(let server) = procedure { self.serviceChangedHandle = server.serviceChanged }
        var active = GATTActiveProcedure(procedure, mtu: self.mtu)
        let step = active.handle(.begin, mtu: self.mtu)
        self.perform(step, id, active, now: now, into: &actions)
    }

    private mutating func perform(
        _ step: GATTClientStep,
        _ id: ProcedureID,
        _ active: consuming GATTActiveProcedure,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        switch step {
        case .request(let pdu):
            guard let opcode = ATT.opcode(of: pdu) else { preconditionFailure("a request without an opcode") }
            self.state = .busy(id, active, request: opcode, deadline: now + ATT.transactionTimeout)
            actions.append(.send(pdu))
        case .finish(let result):
            if case .success(.mtu(let mtu)) = result, mtu != self.mtu {
                self.mtu = mtu
                actions.append(.mtuChanged(mtu))
            }
            actions.append(.complete(id, result))
        }
    }

    /// Starts what waits, until a request is under way.
    private mutating func beginWaiting(now: NIODeadline, into actions: inout [Action]) {
        while case .idle = self.state, let next = self.queue.popFirst() {
            self.begin(next.procedure, next.id, now: now, into: &actions)
        }
    }

    // MARK: Time and end

    /// Gives up where the server has not answered for 30 s.
    mutating func advance(to now: NIODeadline, into actions: inout [Action]) {
        guard case .busy(let id, _, _, let deadline) = self.state, deadline <= now else { return }
        self.state = .failed
        actions.append(.complete(id, .failure(.transactionTimeout)))
        self.failWaiting(.transactionTimeout, into: &actions)
        actions.append(.bearerFailed)
    }

    /// The link has ended: every procedure ends with it.
    mutating func close(reason: HCIErrorCode, into actions: inout [Action]) {
        switch self.state {
        case .busy(let id, _, _, _):
            self.state = .closed(reason)
            actions.append(.complete(id, .failure(.disconnected(reason))))
            self.failWaiting(.disconnected(reason), into: &actions)
        case .idle, .failed:
            self.state = .closed(reason)
        case .closed:
            break
        }
    }

    private mutating func failWaiting(_ error: GATTError, into actions: inout [Action]) {
        while let next = self.queue.popFirst() { actions.append(.complete(next.id, .failure(error))) }
    }

    // MARK: The server speaks

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
        // An answer that nobody waits for is ignored.
        guard case .busy(let id, var active, let request, _) = self.state else { return }
        self.state = .idle
        let event: GATTClientEvent
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
        let step = active.handle(event, mtu: self.mtu)
        if case .cachingSetup(let setup) = active, let handle = setup.found.serviceChanged {
            // Known from here on: an indication may overtake the end of the procedure.
            self.serviceChangedHandle = handle
        }
        self.perform(step, id, active, now: now, into: &actions)
        self.beginWaiting(now: now, into: &actions)
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

/// Agrees on the ATT MTU (Vol 3, Part G, 4.3.1).
struct GATTMTUExchange: GATTClientProcedure {
    private let preferred: Int

    init(preferred: Int) { self.preferred = min(max(preferred, ATT.defaultMTU), ATT.maximumMTU) }

    mutating func begin(mtu: Int) -> GATTClientStep {
        .send(ATTExchangeMTURequest(clientMTU: UInt16(self.preferred)))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        let serverMTU = Int(try ATTExchangeMTUResponse(parsing: response).serverMTU)
        guard serverMTU >= ATT.defaultMTU else { throw MalformedBytes(.invalid, "Server Rx MTU") }
        return .succeed(.mtu(min(self.preferred, serverMTU)))
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        // A server that does not know the request leaves the MTU as it is.
        error.error == .requestNotSupported ? .succeed(.mtu(mtu)) : .fail(error)
    }
}
