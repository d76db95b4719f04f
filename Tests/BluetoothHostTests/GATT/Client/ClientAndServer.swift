// A client and the server of this host with nothing between them, and an application that keeps what is written.

import NIOCore
import Testing

@testable import BluetoothHost

struct ClientAndServer {
    static let link = LinkID(rawValue: 1)

    var script = ClientScript()
    var links: ServedLinks
    var values: [AttributeHandle: ByteBuffer] = [:]
    /// What the client has reported beside the ends of procedures.
    var reported: [ClientScript.Action] = []
    /// The number of PDUs that the client has sent.
    var requests = 0
    private var events: [ServedLinks.Event] = []

    init(mtu: Int = 517) {
        self.links = ServedLinks(GATTServer(configuration: .init(deviceName: "Crystal")), preferredMTU: mtu)
        self.links.linkOpened(Self.link)
    }

    mutating func add(_ service: GATTServiceDefinition) throws -> GATTServiceHandles {
        let handles = try self.links.add(service, now: self.script.now, into: &self.events)
        self.pump()
        return handles
    }

    mutating func run(_ procedure: ClientProcedure) -> ClientScript.Outcome? {
        let id = self.script.start(procedure)
        var outcomes: [ClientScript.Outcome] = []
        self.pump()
        for action in self.reported {
            if case .complete(id, let outcome) = action { outcomes.append(outcome) }
        }
        self.reported.removeAll { if case .complete = $0 { true } else { false } }
        #expect(outcomes.count == 1)
        return outcomes.first
    }

    mutating func command(_ handle: AttributeHandle, _ value: ByteBuffer) {
        self.script.writeCommand(handle, value)
        self.pump()
    }

    mutating func notify(_ value: ByteBuffer, _ handle: AttributeHandle) {
        self.links.notify(value, characteristic: handle, on: Self.link, now: self.script.now, into: &self.events)
        self.pump()
    }

    /// Carries PDUs in both directions until none is left.
    private mutating func pump() {
        while true {
            for pdu in self.script.takeSent() {
                self.requests += 1
                self.links.receive(pdu, on: Self.link, now: self.script.now, into: &self.events)
            }
            self.reported += self.script.takeReported()
            if self.events.isEmpty { self.links.flush(into: &self.events) }
            if self.events.isEmpty { break }
            let events = self.events
            self.events = []
            for event in events { self.perform(event.action) }
        }
        #expect(self.script.client.mtu == self.links.mtu(of: Self.link), "both sides agree on the MTU")
    }

    private mutating func perform(_ action: ATTBearer.Action) {
        switch action {
        case .send(let pdu, _): self.script.receive(pdu)
        case .read(let request):
            var value = self.values[request.handle] ?? ByteBuffer()
            let isInside = request.offset <= value.readableBytes
            value.moveReaderIndex(forwardBy: isInside ? request.offset : 0)
            self.links.respond(
                to: request.id,
                with: isInside ? .success(value) : .failure(.invalidOffset),
                into: &self.events
            )
        case .write(let request):
            for part in request.parts {
                var value = part.offset == 0 ? ByteBuffer() : self.values[part.handle] ?? ByteBuffer()
                value.writeImmutableBuffer(part.value)
                self.values[part.handle] = value
            }
            if let id = request.id { self.links.respond(to: id, error: nil, into: &self.events) }
        case .failed(let reason): Issue.record("the server failed: \(reason)")
        default: break
        }
    }
}
