// Runs scripts against the GATT server machine. The application's side of a script:
//
//     ? read 0013 @0            the application is asked for a value, from octet 0 on
//     = 01 02                   it answers
//     ! 08                      it answers with an error
//     ? write 0013 @0 01 02     the application is given a value (more parts follow behind a semicolon)
//     ok                        it accepts
//     reply 2 · reply 2 ! 08 · reply 2 = 01      it accepts, refuses or answers the second request of the link
//     ? command 0015 01         a Write Command
//     ? subscribed 0017 · ? unsubscribed 0017 · ? confirmed 001A · ? dropped 1 · ? mtu 100 · ? failed WHY
//     notify 0017 01 02         the application sends a value
//     owner 7                   the owner of its next values; counts of owners other than 0 are shown with the owner
//     flush                     the driver's turn ends
//     hold · release            the local client asks for the MTU · has its answer
//     wait 30                   seconds go by
//     open 2 · link 2 · close   links; steps are about the link named last
//     security encrypted 16     the link is safer now (none, encrypted, authenticated; `bonded` behind it)
//     add · remove              a service more, or the last one less
//     disconnect · reconnect    the link of a bonded client ends · comes back
//     with keySize 16           another server, before the first step: mtu, keySize, indications, parts, octets, attribute
//
// What a client does successfully, in short:
//
//     subscribe 001A · subscribe 002A 3 · exchange 517 · features 04 · prepare 24 00 00 00 AA · hash type · hash handle

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

struct GATTServerScript: HexScriptRunner {
    var server: ServedLinks
    var now = NIODeadline.uptimeNanoseconds(0)
    var link = LinkID(rawValue: 1)
    private var configuration: GATTServer.Configuration
    private var output: [String] = []
    private var actions: [ServedLinks.Event] = []
    private var reads: [LinkID: GATTRequestID] = [:]
    private var writes: [LinkID: GATTRequestID] = [:]
    private var added: [AttributeHandle] = []
    private var nextLink: UInt32 = 100
    private var record: BondedClient?
    private var owner = TransmitToken.standard

    /// A server with the services of ``GATTServerFixture`` and one client on link 1.
    init(configuration: GATTServer.Configuration = GATTServerFixture.configuration, mtu: Int = 517) throws {
        self.configuration = configuration
        self.server = ServedLinks(try GATTServerFixture.server(configuration), preferredMTU: mtu)
        self.server.linkOpened(self.link)
    }

    mutating func receive(_ bytes: ByteBuffer) {
        self.server.receive(bytes, on: self.link, now: self.now, into: &self.actions)
    }

    // MARK: What the server does

    mutating func takeOutput() -> [String] {
        for action in self.actions { self.describe(action) }
        self.actions.removeAll()
        defer { self.output.removeAll() }
        return self.output
    }

    private mutating func describe(_ event: ServedLinks.Event) {
        var counted: Transmission?
        let text: String
        switch event.action {
        case .send(let pdu, let transmission):
            #expect(pdu.readableBytes <= self.server.mtu(of: event.link))
            #expect(pdu.readerIndex == PDUBuffer.headroom)
            let opcode = ATT.opcode(of: pdu)
            let isNotification = opcode == .handleValueNotification || opcode == .multipleHandleValueNotification
            #expect((transmission != nil) == isNotification)
            text = "< " + hex(pdu)
            if let transmission, transmission.token != .standard {
                self.append(text, event.link)
                self.append("? sent \(transmission.count) of \(transmission.token.rawValue)", event.link)
                return
            }
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
            counted = transmission
        case .dropped(let transmission):
            text = "? dropped \(transmission.count)"
            counted = transmission
        case .failed(let reason): text = "? failed \(reason)"
        case .bondedClientChanged: text = "? changed"
        case .signCounterAccepted(let counter): text = "? counter \(counter)"
        case .make, .report, .notification, .servicesChanged, .databaseOutOfSync, .needsSecurity:
            Issue.record("an action of the client: \(event.action)")
            return
        }
        let owner = counted.map { $0.token == .standard ? "" : " of \($0.token.rawValue)" } ?? ""
        self.append(text + owner, event.link)
    }

    /// Steps are about one link; what happens on another is shown with its number.
    private mutating func append(_ text: String, _ link: LinkID) {
        self.output.append(link == self.link ? text : "? \(link.rawValue): \(text.dropFirst(2))")
    }

    // MARK: Steps

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
        case ("reply", let number?):
            guard let sequence = UInt32(number) else { return false }
            self.reply(GATTRequestID(link: self.link, sequence: sequence), Array(arguments.dropFirst()))
        case ("notify", let text?):
            guard let handle = AttributeHandle(text, radix: 16) else { return false }
            self.server.notify(
                octets(arguments.dropFirst()),
                characteristic: handle,
                on: self.link,
                token: self.owner,
                now: self.now,
                into: &self.actions
            )
        case ("owner", let number?): self.owner = TransmitToken(rawValue: UInt64(number) ?? 0)
        case ("hold", _): self.server.beginMTUExchange(on: self.link)
        case ("release", _): self.server.endMTUExchange(on: self.link, now: self.now, into: &self.actions)
        case ("flush", _): self.server.flush(into: &self.actions)
        case ("wait", let text?):
            guard let seconds = Double(text) else { return false }
            self.now = self.now + .milliseconds(Int64(seconds * 1_000))
            self.server.advance(to: self.now, into: &self.actions)
        case ("open", let text?), ("link", let text?):
            guard let number = UInt32(text) else { return false }
            self.link = LinkID(rawValue: number)
            if word == "open" { self.server.linkOpened(self.link) }
        case ("close", _): self.server.linkClosed(self.link, into: &self.actions)
        case ("security", let name?):
            guard let level = SecurityLevel.allCases.first(where: { "\($0)" == name }) else { return false }
            let size = arguments.dropFirst().first.flatMap { Int($0) } ?? 16
            let security = LinkSecurity(level: level, keySize: size, isBonded: arguments.last == "bonded")
            self.server.setSecurity(security, of: self.link)
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
        case ("with", let name?): return self.configure(name, arguments.last ?? "")
        default: return self.exchange(word, arguments)
        }
        return true
    }

    private mutating func reply(_ id: GATTRequestID, _ answer: [String]) {
        switch answer.first {
        case "=": self.server.respond(to: id, with: .success(octets(answer.dropFirst())), into: &self.actions)
        case "!":
            let error = octets(answer.dropFirst()).readableBytesView.first.map(ATTErrorCode.init(rawValue:))
            self.server.respond(to: id, error: error, into: &self.actions)
        default: self.server.respond(to: id, error: nil, into: &self.actions)
        }
    }

    /// Begins anew with another server.
    private mutating func configure(_ name: String, _ value: String) -> Bool {
        var mtu = 517
        let number = Int(value) ?? 0
        switch name {
        case "mtu": mtu = number
        case "keySize": self.configuration.minimumKeySize = number
        case "indications": self.configuration.indicationLimit = number
        case "parts": self.configuration.preparedWriteLimit = number
        case "octets": self.configuration.preparedOctetLimit = number
        case "attribute":
            let contents = [GenericAttributeService.absent, .empty, .serviceChanged, .full]
            guard let content = contents.first(where: { "\($0)" == value }) else { return false }
            self.configuration.genericAttribute = content
        default: return false
        }
        guard let server = try? GATTServerFixture.server(self.configuration) else { return false }
        self.server = ServedLinks(server, preferredMTU: mtu)
        self.server.linkOpened(self.link)
        return true
    }

    /// A request that succeeds, and its answer.
    private mutating func exchange(_ word: String, _ arguments: [String]) -> Bool {
        switch (word, arguments.first) {
        case ("subscribe", let text?):
            guard let handle = AttributeHandle(text, radix: 16),
                let configuration = self.server.server.database.configuration(of: handle)
            else { return false }
            let bits = arguments.dropFirst().first ?? (configuration.notifies ? "1" : "2")
            let descriptor = octet(Int(configuration.handle & 0xFF))
            let isServiceChanged = handle == self.server.server.serviceChangedHandle
            self.expect(
                "12 \(descriptor) 00 0\(bits) 00",
                ["< 13"] + (isServiceChanged ? [] : ["? subscribed \(text)"])
            )
        case ("features", let features?): self.expect("12 0B 00 \(features)", ["< 13"])
        case ("exchange", let text?):
            let mtu = Int(text) ?? 0
            self.expect("02 \(octet(mtu & 0xFF)) \(octet(mtu >> 8))", ["< 03 05 02", "? mtu \(mtu)"])
        case ("prepare", _):
            let part = hex(octets(arguments))
            self.expect("16 " + part, ["< 17 " + part])
        case ("hash", "type"):
            self.expect("08 01 00 FF FF 2A 2B", ["< 09 12 0D 00 " + hex(self.server.server.database.hash().value)])
        case ("hash", "handle"): self.expect("0A 0D 00", ["< 0B " + hex(self.server.server.database.hash().value)])
        default: return false
        }
        return true
    }

    private mutating func expect(_ request: String, _ answers: [String]) {
        self.receive(hex(request))
        let output = self.takeOutput()
        #expect(output == answers, "the answer to \(request)")
    }
}

extension GATTDatabase {
    /// The Client Characteristic Configuration of a characteristic.
    fileprivate func configuration(of value: AttributeHandle) -> (handle: AttributeHandle, notifies: Bool)? {
        for attribute in self.attributes {
            if case .clientConfiguration(value, let properties) = attribute.content {
                return (attribute.handle, properties.contains(.notify))
            }
        }
        return nil
    }
}

/// A script with a title. A text has several of them; each begins with a line `## TITLE`.
struct ServerScript: Sendable, CustomTestStringConvertible {
    let title: String
    let steps: String
    private let sourceLocation: SourceLocation

    var testDescription: String { self.title }

    /// The scripts of a text that is the only argument of the call, behind its first line.
    static func all(_ text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line) -> [Self]
    {
        var number = line + 1
        return text.split(separator: "## ", omittingEmptySubsequences: false).compactMap { script in
            defer { number += script.count(where: \.isNewline) }
            let (title, steps) = (script.prefix { !$0.isNewline }, script.drop { !$0.isNewline })
            guard !title.isEmpty else { return nil }
            let location = SourceLocation(fileID: fileID, filePath: filePath, line: number, column: 9)
            return ServerScript(title: String(title), steps: String(steps), sourceLocation: location)
        }
    }

    func run() throws {
        var runner = try GATTServerScript()
        runner.run(self.steps, sourceLocation: self.sourceLocation)
    }
}

/// Tests that are scripts.
protocol GATTServerSuite {}

extension GATTServerSuite {
    /// Runs a script against the server of ``GATTServerFixture``.
    func run(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var runner = try GATTServerScript()
        runner.run(script, sourceLocation: sourceLocation)
    }
}
