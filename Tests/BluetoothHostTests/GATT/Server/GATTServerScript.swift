// Runs scripts against the GATT server machine. The application's side of a script:
//
//     ? read 0013 @0            the application is asked for a value, from octet 0 on
//     = 01 02                   it answers
//     ! 08                      it answers with an error
//     ? write 0013 @0 01 02     the application is given a value (more parts follow behind a semicolon)
//     ok                        it accepts
//     ? command 0015 01         a Write Command
//     ? subscribed 0017 · ? unsubscribed 0017 · ? confirmed 001A · ? dropped 1 · ? mtu 100 · ? failed WHY
//     notify 0017 01 02         the application sends a value
//     flush                     the driver's turn ends
//     hold · release            the local client asks for the MTU · has its answer
//     wait 30                   seconds go by
//     open 2 · link 2 · close   links; steps are about the link named last
//     security encrypted 16     the link is safer now (none, encrypted, authenticated; `bonded` behind it)
//     add · remove              a service more, or the last one less
//     reconnect                 the link of a bonded client ends and comes back

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

struct GATTServerScript: HexScriptRunner {
    var server: ServedLinks
    var now = NIODeadline.uptimeNanoseconds(0)
    var link = LinkID(rawValue: 1)
    private var output: [String] = []
    private var actions: [ServedLinks.Event] = []
    private var reads: [LinkID: GATTRequestID] = [:]
    private var writes: [LinkID: GATTRequestID] = [:]
    private var added: [AttributeHandle] = []
    private var nextLink: UInt32 = 100
    private var record: BondedClient?

    /// A server with the services of ``GATTServerFixture`` and one client on link 1.
    init(configuration: GATTServer.Configuration = GATTServerFixture.configuration, mtu: Int = 517) throws {
        self.server = ServedLinks(try GATTServerFixture.server(configuration), preferredMTU: mtu)
        self.server.linkOpened(self.link)
    }

    mutating func receive(_ bytes: ByteBuffer) {
        self.server.receive(bytes, on: self.link, now: self.now, into: &self.actions)
    }

    mutating func takeOutput() -> [String] {
        for action in self.actions { self.describe(action) }
        self.actions.removeAll()
        defer { self.output.removeAll() }
        return self.output
    }

    private mutating func describe(_ event: ServedLinks.Event) {
        let text: String
        switch event.action {
        case .send(let pdu, let transmission):
            #expect(pdu.readableBytes <= self.server.mtu(of: event.link))
            #expect(pdu.readerIndex == PDUBuffer.headroom)
            let opcode = ATT.opcode(of: pdu)
            #expect(
                (transmission != nil)
                    == (opcode == .handleValueNotification || opcode == .multipleHandleValueNotification)
            )
            text = "< " + hex(pdu)
        case .read(let request):
            #expect(request.link == event.link)
            self.reads[request.link] = request.id
            text = "? read \(request.handle.hexDigits) @\(request.offset)"
        case .write(let request):
            #expect(request.link == event.link)
            let parts = request.parts.map { part in
                part.handle.hexDigits + (request.id == nil ? "" : " @\(part.offset)")
                    + (part.value.readableBytes == 0 ? "" : " " + hex(part.value))
            }
            if let id = request.id { self.writes[request.link] = id }
            text = "? \(request.id == nil ? "command" : "write") " + parts.joined(separator: " ; ")
        case .subscriptionChanged(let characteristic, let isSubscribed):
            text = "? \(isSubscribed ? "subscribed" : "unsubscribed") \(characteristic.hexDigits)"
        case .mtuChanged(let mtu):
            #expect(self.server.mtu(of: event.link) == mtu)
            text = "? mtu \(mtu)"
        case .confirmed(let characteristic, let transmission):
            #expect(transmission.count == 1)
            text = "? confirmed \(characteristic.hexDigits)"
        case .dropped(let transmission):
            text = "? dropped \(transmission.count)"
        case .failed(let reason):
            text = "? failed \(reason)"
        case .bondedClientChanged:
            text = "? changed"
        case .signCounterAccepted(let counter):
            text = "? counter \(counter)"
        case .make, .report, .notification, .servicesChanged, .databaseOutOfSync:
            Issue.record("an action of the client: \(event.action)")
            return
        }
        // Steps are about one link; what happens on another is shown with its number.
        self.output.append(event.link == self.link ? text : "? \(event.link.rawValue): \(text.dropFirst(2))")
    }

    mutating func perform(_ word: String, _ arguments: [String]) -> Bool {
        switch (word, arguments.first) {
        case ("=", _):
            guard let id = self.reads.removeValue(forKey: self.link) else { return false }
            self.server.respond(to: id, with: .success(octets(arguments)), into: &self.actions)
        case ("ok", _):
            guard let id = self.writes.removeValue(forKey: self.link) else { return false }
            self.server.respond(to: id, error: nil, into: &self.actions)
        case ("!", let code?):
            guard let error = UInt8(code, radix: 16).map(ATTErrorCode.init(rawValue:)) else { return false }
            if let id = self.reads.removeValue(forKey: self.link) {
                self.server.respond(to: id, with: .failure(error), into: &self.actions)
            } else if let id = self.writes.removeValue(forKey: self.link) {
                self.server.respond(to: id, error: error, into: &self.actions)
            } else {
                return false
            }
        case ("notify", let text?):
            guard let handle = AttributeHandle(text, radix: 16) else { return false }
            self.server.notify(
                octets(arguments.dropFirst()),
                characteristic: handle,
                on: self.link,
                now: self.now,
                into: &self.actions
            )
        case ("hold", _): self.server.beginMTUExchange(on: self.link)
        case ("release", _): self.server.endMTUExchange(on: self.link, now: self.now, into: &self.actions)
        case ("flush", _):
            self.server.flush(into: &self.actions)
        case ("wait", let text?):
            guard let seconds = Double(text) else { return false }
            self.now = self.now + .milliseconds(Int64(seconds * 1_000))
            self.server.advance(to: self.now, into: &self.actions)
        case ("open", let text?), ("link", let text?):
            guard let number = UInt32(text) else { return false }
            self.link = LinkID(rawValue: number)
            if word == "open" { self.server.linkOpened(self.link) }
        case ("close", _):
            self.server.linkClosed(self.link, into: &self.actions)
        case ("security", let level?):
            let levels: [String: SecurityLevel] = [
                "none": .none, "encrypted": .encrypted, "authenticated": .authenticated,
            ]
            guard let level = levels[level] else { return false }
            self.server.setSecurity(
                LinkSecurity(
                    level: level,
                    keySize: arguments.dropFirst().first.flatMap { Int($0) } ?? 16,
                    isBonded: arguments.last == "bonded"
                ),
                of: self.link
            )
        case ("add", _):
            guard let handles = try? self.server.add(GATTServerFixture.extra, now: self.now, into: &self.actions) else {
                return false
            }
            self.added.append(handles.range.lowerBound)
        case ("remove", let text):
            let handle = text.flatMap { AttributeHandle($0, radix: 16) } ?? self.added.popLast()
            guard let handle else { return false }
            self.server.remove(handle, now: self.now, into: &self.actions)
        case ("disconnect", _):
            self.record = self.server.bondedClient(of: self.link)
            self.server.linkClosed(self.link, into: &self.actions)
        case ("reconnect", _):
            guard let record = self.record else { return false }
            self.nextLink += 1
            self.link = LinkID(rawValue: self.nextLink)
            self.server.linkOpened(self.link)
            self.server.restoreClient(record, on: self.link, now: self.now, into: &self.actions)
        default:
            return false
        }
        return true
    }
}

/// Tests that are scripts.
protocol GATTServerSuite {}

extension GATTServerSuite {
    /// Runs a script against the server of ``GATTServerFixture``, where need be with another configuration.
    func run(
        _ script: String,
        mtu: Int = 517,
        configure: (inout GATTServer.Configuration) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var configuration = GATTServerFixture.configuration
        configure(&configuration)
        var runner = try GATTServerScript(configuration: configuration, mtu: mtu)
        runner.run(script, sourceLocation: sourceLocation)
    }
}
