// The signalling channel of one link, without I/O (Vol 3, Part A, 4). A peripheral requests connection parameters, and
// a central answers. Commands for credit-based channels are in LESignalling+Channels.swift. Every other request gets a
// Command Reject.
//
// The peripheral's request for connection parameters (4.20, 4.21, and Vol 3, Part C, 9.3.9.2):
//
//               request                   response, reject
//     +------+ ---------> +------------+ -----------------> +---------+
//     | idle |            |    sent    |                    | resting |
//     +------+ <--------- +------------+ <----------------- +---------+
//        ^       30 s                      30 s, `next` waits    |
//        +-------------------------------------------------------+
//                          30 s, nothing waits
//
// idle: nothing is requested; a request is sent immediately.
//
// sent: the response is awaited. A newer request of the user waits as `next`, and the newest one wins.
//
// resting: the central has responded, and must not be asked again for 30 s; a newer request waits.
//
// closed: the link has ended, from every state; requests fail immediately.
//
// A peer can send any response at any time: only one with the awaited identifier counts. Its own requests are answered
// one by one, and only the last one is stored. Each call has the current time; `nextDeadline` says when
// ``advance(to:into:)`` is due.

import BluetoothTypes
import NIOCore

/// The signalling channel of a link.
struct LESignalling: Sendable {
    /// An action for the driver.
    enum Action: Hashable, Sendable {
        /// Send this payload on the signalling channel.
        case send(ByteBuffer)
        /// This side is the central and has accepted these parameters: set them.
        case updateConnection(LEConnectionParameterRequest)
        /// The peripheral's request for these parameters has ended.
        case parameterRequestEnded(LEConnectionParameterRequest, ParameterRequestOutcome)
        /// An action of a credit-based channel.
        case channel(CreditBasedChannel.Action)

        /// Moves the action out, so that its PDU has one owner.
        @inline(__always)
        mutating func take() -> Action {
            let action = consume self
            self = .channel(.writable(L2CAPChannelID(rawValue: 0)))
            return action
        }
    }

    /// How a peripheral's request for connection parameters ended.
    enum ParameterRequestOutcome: Hashable, Sendable {
        /// The central sets them.
        case accepted
        /// The central keeps its parameters.
        case rejected
        /// The central does not know the request.
        case notUnderstood
        /// The central did not answer in time.
        case timedOut
        /// A later request took its place before it was sent.
        case superseded
        /// The link ended.
        case linkEnded
    }

    /// The longest C-frame that this host accepts, the minimum for an LE link (Vol 3, Part A, 4).
    static let mtu = L2CAP.minimumMTU
    /// The time limit of a response, and the shortest time from a response to the next request (Vol 3, Part C, appendix
    /// A, TGAP(conn_param_timeout)).
    static let parameterRequestTimeout = TimeAmount.seconds(30)

    /// The request for connection parameters of this side.
    private enum ParameterRequest: Sendable {
        /// None is in progress.
        case idle
        /// Sent; the response with this identifier is awaited. `next` is a newer request.
        case sent(
            LEConnectionParameterRequest,
            identifier: UInt8,
            deadline: NIODeadline,
            next: LEConnectionParameterRequest?
        )
        /// Answered recently; `next` is sent when the time is over.
        case resting(until: NIODeadline, next: LEConnectionParameterRequest?)
        /// The link has ended.
        case closed
    }

    /// Whether this side is the central.
    let isCentral: Bool
    /// The identifier of the last command that this side started.
    var lastIdentifier: UInt8 = 0
    private var parameterRequest = ParameterRequest.idle
    /// The last parameter request of the peer, to recognize a repetition.
    private var lastAnswered: (identifier: UInt8, request: LEConnectionParameterRequest)?
    /// The link's credit-based channels.
    var channels = CreditBasedChannels()

    /// Creates the channel of a new link.
    init(isCentral: Bool) { self.isCentral = isCentral }

    /// When to call ``advance(to:into:)``; `nil` for never.
    var nextDeadline: NIODeadline? {
        let deadline: NIODeadline? =
            switch self.parameterRequest {
            case .idle, .closed: nil
            case .sent(_, _, let deadline, _): deadline
            case .resting(let until, let next): next == nil ? nil : until
            }
        guard let channelDeadline = self.channels.nextDeadline else { return deadline }
        return min(deadline ?? channelDeadline, channelDeadline)
    }

    /// Whether the link has ended.
    var isClosed: Bool {
        switch self.parameterRequest {
        case .idle, .sent, .resting: false
        case .closed: true
        }
    }

    // MARK: This side asks

    /// Requests connection parameters from the central, as soon as that is allowed.
    ///
    /// This side must be the peripheral.
    mutating func requestParameters(
        _ wanted: LEConnectionParameterRequest,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        precondition(!self.isCentral, "the central sets the parameters itself")
        switch self.parameterRequest {
        case .idle:
            self.sendParameterRequest(wanted, now: now, into: &actions)
        case .sent(let sent, let identifier, let deadline, let next):
            if let next { actions.append(.parameterRequestEnded(next, .superseded)) }
            self.parameterRequest = .sent(sent, identifier: identifier, deadline: deadline, next: wanted)
        case .resting(let until, let next):
            if let next { actions.append(.parameterRequestEnded(next, .superseded)) }
            if until <= now {
                self.sendParameterRequest(wanted, now: now, into: &actions)
            } else {
                self.parameterRequest = .resting(until: until, next: wanted)
            }
        case .closed:
            actions.append(.parameterRequestEnded(wanted, .linkEnded))
        }
    }

    private mutating func sendParameterRequest(
        _ wanted: LEConnectionParameterRequest,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        let identifier = self.makeIdentifier()
        self.parameterRequest = .sent(
            wanted,
            identifier: identifier,
            deadline: now + Self.parameterRequestTimeout,
            next: nil
        )
        self.send(.connectionParameterUpdateRequest(wanted), identifier, into: &actions)
    }

    /// The identifier for the next command of this side. They cycle from 1 to 255, so that none is reused before all
    /// others (4), and those whose responses are awaited are skipped; there are far fewer of these.
    var nextIdentifier: UInt8 {
        var identifier = self.lastIdentifier
        repeat {
            identifier = identifier == 255 ? 1 : identifier + 1
        } while self.isAwaited(identifier)
        return identifier
    }

    /// Takes the next identifier.
    mutating func makeIdentifier() -> UInt8 {
        self.lastIdentifier = self.nextIdentifier
        return self.lastIdentifier
    }

    private func isAwaited(_ identifier: UInt8) -> Bool {
        if case .sent(_, identifier, _, _) = self.parameterRequest { return true }
        return self.channels.localCID(awaiting: identifier) != nil
    }

    /// Ends an expired request, and sends one that had to wait.
    mutating func advance(to now: NIODeadline, into actions: inout [Action]) {
        self.advanceChannels(to: now, into: &actions)
        switch self.parameterRequest {
        case .idle, .closed:
            break
        case .sent(let sent, _, let deadline, let next):
            guard deadline <= now else { return }
            self.parameterRequest = .idle
            actions.append(.parameterRequestEnded(sent, .timedOut))
            if let next { self.sendParameterRequest(next, now: now, into: &actions) }
        case .resting(let until, let next):
            guard until <= now else { return }
            self.parameterRequest = .idle
            if let next { self.sendParameterRequest(next, now: now, into: &actions) }
        }
    }

    /// The link has ended; nothing is sent any more.
    mutating func close(into actions: inout [Action]) {
        self.closeChannels(into: &actions)
        switch self.parameterRequest {
        case .idle, .closed:
            break
        case .sent(let sent, _, _, let next):
            actions.append(.parameterRequestEnded(sent, .linkEnded))
            if let next { actions.append(.parameterRequestEnded(next, .linkEnded)) }
        case .resting(_, let next):
            if let next { actions.append(.parameterRequestEnded(next, .linkEnded)) }
        }
        self.parameterRequest = .closed
    }

    // MARK: The peer speaks

    /// Takes the payload of a C-frame; `security` is that of the link, for requests for channels.
    mutating func receive(
        _ payload: ByteBuffer,
        security: LinkSecurity = .none,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        if case .closed = self.parameterRequest { return }
        var bytes = payload
        // Without a header, or with the reserved identifier 0, there is nothing to respond to.
        guard let header = try? LESignallingHeader(parsing: &bytes), header.identifier != 0 else { return }
        guard payload.readableBytes <= Self.mtu else {
            self.reject(header, .signallingMTUExceeded(mtu: UInt16(Self.mtu)), into: &actions)
            return
        }
        // A frame of an LE link has exactly one command (4).
        guard header.dataLength == bytes.readableBytes,
            let command = try? LESignallingCommand(header.code, parameters: &bytes)
        else {
            self.reject(header, .notUnderstood, into: &actions)
            return
        }
        self.receive(command, header, security, now: now, into: &actions)
    }

    private mutating func receive(
        _ command: LESignallingCommand,
        _ header: LESignallingHeader,
        _ security: LinkSecurity,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        let identifier = header.identifier
        switch command {
        case .connectionParameterUpdateRequest(let request):
            // A peripheral must reject the request as not understood (4.20).
            guard self.isCentral else { return self.reject(header, .notUnderstood, into: &actions) }
            self.answer(request, identifier: identifier, into: &actions)
        case .connectionParameterUpdateResponse(let isAccepted):
            self.endParameterRequest(identifier, isAccepted ? .accepted : .rejected, now: now, into: &actions)
        case .commandReject:
            self.endParameterRequest(identifier, .notUnderstood, now: now, into: &actions)
            let cid = self.channels.localCID(awaiting: identifier)
            self.update(cid, now: now, into: &actions) { $0.rejected(&$1) }
        case .leCreditBasedConnectionRequest(let request):
            self.receive(request, identifier: identifier, security, now: now, into: &actions)
        case .leCreditBasedConnectionResponse(let response):
            self.receive(response, identifier: identifier, now: now, into: &actions)
        case .flowControlCredit(let channel, let credits):
            let cid = self.channels.localCID(sendingTo: channel)
            self.update(cid, now: now, into: &actions) { $0.receiveCredits(Int(credits), &$1) }
        case .disconnectionRequest(let destination, let source):
            // The destination CID is the receiver's, so this side's (4.6).
            let isKnown = self.update(destination, now: now, into: &actions) {
                $0.receiveDisconnectionRequest(source, identifier, &$1)
            }
            if isKnown != true { self.reject(header, .invalidCID(local: destination, remote: source), into: &actions) }
        case .disconnectionResponse(let destination, let source):
            self.update(source, now: now, into: &actions) {
                $0.receiveDisconnectionResponse(destination, identifier, &$1)
            }
        case .creditBasedConnectionRequest(let request):
            let response = CreditBasedConnectionResponse(refusing: .spsmNotSupported, count: request.sources.count)
            self.send(.creditBasedConnectionResponse(response), identifier, into: &actions)
        case .creditBasedReconfigureRequest:
            let result = CreditBasedReconfigureRequest.invalidDestination
            self.send(.creditBasedReconfigureResponse(result: result), identifier, into: &actions)
        case .creditBasedConnectionResponse, .creditBasedReconfigureResponse:
            // Responses for enhanced channels, which this side never requests.
            break
        case .unknown:
            self.reject(header, .notUnderstood, into: &actions)
        }
    }

    /// The central's answer to a peripheral.
    private mutating func answer(
        _ request: LEConnectionParameterRequest,
        identifier: UInt8,
        into actions: inout [Action]
    ) {
        let isAccepted = request.isValid
        self.send(.connectionParameterUpdateResponse(isAccepted: isAccepted), identifier, into: &actions)
        // A repeated request is answered again, but carried out once (4).
        if let last = self.lastAnswered, last.identifier == identifier, last.request == request { return }
        self.lastAnswered = (identifier, request)
        if isAccepted { actions.append(.updateConnection(request)) }
    }

    private mutating func endParameterRequest(
        _ identifier: UInt8,
        _ outcome: ParameterRequestOutcome,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        guard case .sent(let sent, identifier, _, let next) = self.parameterRequest else { return }
        self.parameterRequest = .resting(until: now + Self.parameterRequestTimeout, next: next)
        actions.append(.parameterRequestEnded(sent, outcome))
    }

    /// Rejects a request, and ignores a response.
    private func reject(_ header: LESignallingHeader, _ reason: LECommandReject, into actions: inout [Action]) {
        guard !header.code.isResponse else { return }
        self.send(.commandReject(reason), header.identifier, into: &actions)
    }

    func send(_ command: LESignallingCommand, _ identifier: UInt8, into actions: inout [Action]) {
        actions.append(.send(command.encoded(identifier: identifier)))
    }
}
