// Exchanges of a GATT client as text: a line with `>` is a PDU that the client must send now, a line with `<` is one
// that the server sends. What stands behind `//` is for the reader.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

/// A client, its clock, and everything that it wanted done and that no script line has taken yet.
struct ClientScript {
    typealias Action = GATTClient.Action
    typealias Outcome = Result<GATTClient.Output, GATTError>

    var client: GATTClient
    var now = NIODeadline.uptimeNanoseconds(5_000_000_000)
    /// Actions other than PDUs, in order.
    private(set) var told: [Action] = []
    /// PDUs that no line has asked for.
    private var sent: [ByteBuffer] = []
    private var lastID: UInt32 = 0

    init(mtu: Int = 23, queueLimit: Int = 4_096) {
        self.client = GATTClient(queueLimit: queueLimit)
        self.client.setMTU(mtu)
    }

    /// Starts a procedure.
    @discardableResult
    mutating func start(_ procedure: GATTClient.Procedure) -> GATTClient.ProcedureID {
        self.lastID += 1
        let id = GATTClient.ProcedureID(rawValue: self.lastID)
        self.take { client, now, actions in client.start(procedure, id: id, now: now, into: &actions) }
        return id
    }

    /// Sends a Write Command.
    mutating func writeCommand(_ handle: AttributeHandle, _ value: ByteBuffer) {
        self.take { client, _, actions in client.writeCommand(handle, value, into: &actions) }
    }

    /// Lets time pass.
    mutating func advance(_ time: TimeAmount) {
        self.now = self.now + time
        self.take { client, now, actions in client.advance(to: now, into: &actions) }
    }

    /// Ends the link.
    mutating func close() {
        self.take { client, _, actions in client.close(reason: .remoteUserTerminated, into: &actions) }
    }

    /// Lets the server send a PDU.
    mutating func receive(_ pdu: ByteBuffer) {
        self.take { client, now, actions in client.receive(pdu, now: now, into: &actions) }
    }

    /// Follows the lines of a script; at its end nothing more may have been sent.
    mutating func play(_ lines: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for line in lines.split(separator: "\n") {
            let text = line.split(separator: "//", omittingEmptySubsequences: false)[0]
                .trimmingPrefix { $0.isWhitespace }
            guard let direction = text.first else { continue }
            let pdu = hex(String(text.dropFirst()))
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

    /// Takes what was told since the last time.
    mutating func takeTold() -> [Action] {
        defer { self.told.removeAll() }
        return self.told
    }

    /// Takes what was sent since the last time.
    mutating func takeSent() -> [ByteBuffer] {
        defer { self.sent.removeAll() }
        return self.sent
    }

    private mutating func take(_ body: (inout GATTClient, NIODeadline, inout [Action]) -> Void) {
        var actions: [Action] = []
        body(&self.client, self.now, &actions)
        for action in actions {
            switch action {
            case .send(let pdu), .sendCommand(let pdu):
                #expect(pdu.readableBytes <= self.client.mtu, "\(hex(pdu)) is longer than the MTU")
                #expect(pdu.readerIndex == PDUBuffer.headroom)
                self.sent.append(pdu)
            case .complete, .notification, .servicesChanged, .databaseOutOfSync, .mtuChanged, .bearerFailed:
                self.told.append(action)
            }
        }
    }

    /// Runs one procedure of a new client along a script and gives its outcome.
    static func run(
        _ procedure: GATTClient.Procedure,
        mtu: Int = 23,
        _ lines: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Outcome? {
        var script = ClientScript(mtu: mtu)
        let id = script.start(procedure)
        script.play(lines, sourceLocation: sourceLocation)
        var outcomes: [Outcome] = []
        for action in script.told {
            if case .complete(id, let outcome) = action { outcomes.append(outcome) }
        }
        #expect(outcomes.count <= 1, "a procedure ends once", sourceLocation: sourceLocation)
        #expect(script.client.nextDeadline == nil || outcomes.isEmpty, sourceLocation: sourceLocation)
        return outcomes.first
    }
}

/// `count` octets that count up from `first`.
func octets(_ count: Int, from first: UInt8 = 0) -> ByteBuffer {
    var bytes = ByteBuffer()
    for index in 0..<count { bytes.writeInteger(first &+ UInt8(truncatingIfNeeded: index)) }
    return bytes
}
