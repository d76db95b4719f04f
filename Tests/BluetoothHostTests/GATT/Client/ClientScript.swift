// Exchanges of a GATT client as text: a line with `>` is a PDU that the client must send now, a line with `<` is one
// that the server sends. Text after `#` is a comment.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

/// A client, its clock, and the actions that no script line has taken yet.
struct ClientScript {
    typealias Outcome = ClientProcedure.Outcome
    /// The number of a procedure, in the order of their starts.
    typealias ID = Int

    /// A report of a client; PDUs are not among them.
    enum Action: Hashable {
        case complete(ID, Outcome)
        case notification(AttributeHandle, ByteBuffer)
        case servicesChanged(AttributeHandleRange)
        case databaseOutOfSync
        case mtuChanged(Int)
        case bearerFailed
        case needsSecurity(SecurityLevel)
    }

    /// Results, in the order in which procedures report them.
    private final class Results {
        var reported: [Action] = []
    }

    var client: GATTClient
    var bearer = ATTBearer(link: LinkID(rawValue: 1))
    var now = NIODeadline.uptimeNanoseconds(5_000_000_000)
    /// Actions other than PDUs, in order.
    private(set) var reported: [Action] = []
    /// Write Commands that were sent or dropped, in order.
    private(set) var transmitted = TransmitTally()
    /// PDUs that no line has taken.
    private var sent: [ByteBuffer] = []
    /// Whether a request that is refused because of security waits until the script secures the link, or does not.
    var awaitsSecurity = false
    private var operations: [GATTOperation] = []
    private let results = Results()

    init(mtu: Int = 23, queueLimit: Int = 4_096) {
        self.client = GATTClient(queueLimit: queueLimit)
        self.setMTU(mtu)
    }

    /// The deadline of the client's request.
    var deadline: NIODeadline? { self.client.deadline(on: self.bearer) }

    @discardableResult
    mutating func start(_ procedure: ClientProcedure) -> ID {
        let (id, results) = (self.operations.count, self.results)
        self.take { script, actions in
            let operation = procedure.start(
                &script.client,
                &script.bearer,
                { results.reported.append(.complete(id, $0)) },
                &actions
            )
            script.operations.append(operation)
        }
        return id
    }

    /// Starts a procedure that is created when its turn comes.
    @discardableResult
    mutating func start<Procedure: GATTProcedure>(
        whenItsTurnComes make: @escaping () -> Procedure?,
        _ output: @escaping (Procedure.Output) -> ClientProcedure.Output
    ) -> ID {
        let (id, results) = (self.operations.count, self.results)
        let operation = GATTProcedureOperation(make()) { results.reported.append(.complete(id, $0.map(output))) }
        self.operations.append(operation)
        self.perform(operation)
        return id
    }

    mutating func perform(_ operation: GATTOperation) {
        self.take { $0.client.perform(operation, on: &$0.bearer, into: &$1) }
    }

    mutating func cancel(_ id: ID) {
        self.take { script, _ in script.client.cancel(script.operations[id], on: &script.bearer) }
    }

    /// Cancels an operation that was never asked for.
    mutating func cancelForeign() {
        self.take { script, _ in script.client.cancel(GATTOperation(), on: &script.bearer) }
    }

    /// The local server and the peer's client agree on an MTU.
    mutating func setMTU(_ mtu: Int) {
        var actions: [ATTBearer.Action] = []
        self.bearer.setMTU(mtu, into: &actions)
    }

    mutating func writeCommand(_ handle: AttributeHandle, _ value: ByteBuffer, token: TransmitToken = .standard) {
        self.take { $0.client.writeCommand(handle, value, token, on: &$0.bearer, into: &$1) }
    }

    mutating func dropCommands(to handles: AttributeHandleRange) {
        self.take { $0.client.dropCommands(to: handles, into: &$1) }
    }

    mutating func advance(_ time: TimeAmount) {
        self.now = self.now + time
        self.take { $0.client.advance(to: $0.now, on: &$0.bearer, into: &$1) }
    }

    mutating func close() {
        self.take { $0.client.close(reason: .remoteUserTerminated, on: &$0.bearer, into: &$1) }
    }

    mutating func receive(_ pdu: ByteBuffer) {
        self.take { $0.client.receive(pdu, on: &$0.bearer, now: $0.now, into: &$1) }
    }

    /// Follows the lines of a script; at its end nothing more may have been sent.
    mutating func play(_ lines: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for line in lines.split(separator: "\n") {
            let text = line.prefix { $0 != "#" }.trimmingPrefix { $0 == " " }
            guard let direction = text.first else { continue }
            let pdu = octets(text.dropFirst().split(separator: " ").map(String.init))
            switch direction {
            case ">":
                guard !self.sent.isEmpty else {
                    Issue.record("nothing was sent instead of \(hex(pdu))", sourceLocation: sourceLocation)
                    return
                }
                let first = self.sent.removeFirst()
                #expect(first == pdu, "sent \(hex(first)) instead of \(hex(pdu))", sourceLocation: sourceLocation)
            case "<":
                #expect(self.sent.isEmpty, "sent \(self.sent.map(hex))", sourceLocation: sourceLocation)
                self.receive(pdu)
            default:
                Issue.record("a line without > or <: \(line)", sourceLocation: sourceLocation)
            }
        }
        #expect(self.sent.isEmpty, "also sent \(self.sent.map(hex))", sourceLocation: sourceLocation)
    }

    mutating func takeReported() -> [Action] {
        defer { self.reported.removeAll() }
        return self.reported
    }

    mutating func takeSent() -> [ByteBuffer] {
        defer { self.sent.removeAll() }
        return self.sent
    }

    mutating func takeTransmitted() -> [Transmission] {
        defer { self.transmitted.removeAll() }
        return self.transmitted.transmissions
    }

    /// Feeds the client and carries out its actions, as the driver does.
    private mutating func take(_ body: (inout ClientScript, inout [ATTBearer.Action]) -> Void) {
        var actions: [ATTBearer.Action] = []
        body(&self, &actions)
        while true {
            let batch = actions
            actions.removeAll(keepingCapacity: true)
            for action in batch { self.perform(action, into: &actions) }
            if actions.isEmpty { self.client.proceed(on: &self.bearer, into: &actions) }
            if actions.isEmpty { return }
        }
    }

    private mutating func perform(_ action: ATTBearer.Action, into actions: inout [ATTBearer.Action]) {
        switch action {
        case .send(let pdu, let transmission):
            self.send(pdu)
            if let transmission { self.transmitted.add(transmission.token, count: transmission.count) }
        case .dropped(let transmission):
            self.transmitted.add(transmission.token, count: transmission.count)
        case .begin(let operation):
            let request = operation.step(.turn, mtu: self.bearer.mtu)
            self.client.begin(operation, with: request, on: &self.bearer, now: self.now, into: &actions)
        case .report(let operation):
            operation.report()
            self.reported += self.results.reported
            self.results.reported.removeAll(keepingCapacity: true)
        case .notification(let handle, let value): self.reported.append(.notification(handle, value))
        case .servicesChanged(let range): self.reported.append(.servicesChanged(range))
        case .databaseOutOfSync: self.reported.append(.databaseOutOfSync)
        case .needsSecurity(let level):
            guard self.awaitsSecurity else {
                return self.client.acceptRefusal(nil, on: &self.bearer, now: self.now, into: &actions)
            }
            self.reported.append(.needsSecurity(level))
        case .mtuChanged(let mtu): self.reported.append(.mtuChanged(mtu))
        case .failed(let failure):
            #expect(failure == .requestTimeout)
            self.reported.append(.bearerFailed)
        case .confirmed, .read, .write, .subscriptionChanged, .bondedClientChanged, .signCounterAccepted:
            Issue.record("an action of the server: \(action)")
        }
    }

    /// The link is as secure as this now.
    mutating func secured(_ key: LinkSecurity.Key?) {
        self.bearer.security.key = key
        self.take { $0.client.repeatRefusedRequest(on: &$0.bearer, now: $0.now, into: &$1) }
    }

    /// The link does not become more secure.
    mutating func acceptRefusal(_ error: GATTError? = nil) {
        self.take { $0.client.acceptRefusal(error, on: &$0.bearer, now: $0.now, into: &$1) }
    }

    private mutating func send(_ pdu: ByteBuffer) {
        #expect(pdu.readableBytes <= self.bearer.mtu, "\(hex(pdu)) is longer than the MTU")
        #expect(pdu.readerIndex == PDUBuffer.headroom)
        self.sent.append(pdu)
    }

    /// Runs one procedure of a new client along a script and gives its outcome.
    static func run(
        _ procedure: ClientProcedure,
        mtu: Int = 23,
        _ lines: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Outcome? {
        var script = ClientScript(mtu: mtu)
        let id = script.start(procedure)
        script.play(lines, sourceLocation: sourceLocation)
        var outcomes: [Outcome] = []
        for action in script.reported {
            if case .complete(id, let outcome) = action { outcomes.append(outcome) }
        }
        #expect(outcomes.count <= 1, "a procedure ends once", sourceLocation: sourceLocation)
        #expect(script.deadline == nil || outcomes.isEmpty, sourceLocation: sourceLocation)
        return outcomes.first
    }
}

/// `count` octets that count up from `first`.
func octets(_ count: Int, from first: UInt8 = 0) -> ByteBuffer {
    var bytes = ByteBuffer()
    for index in 0..<count { bytes.writeInteger(first &+ UInt8(truncatingIfNeeded: index)) }
    return bytes
}

extension [ATTBearer.Action] {
    /// The PDUs among the actions of a bearer.
    var sent: [String] {
        self.compactMap { action -> String? in if case .send(let pdu, _) = action { pdu.hex } else { nil } }
    }

    /// Reports the results among the actions, as the driver does, and forgets all of them.
    mutating func report() {
        for case .report(let operation) in self { operation.report() }
        self = []
    }
}
