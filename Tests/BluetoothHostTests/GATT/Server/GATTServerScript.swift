// Runs scripts against the GATT server machine: `>` is a PDU of a client, `<` one of the server, `?` a report to the
// application. The application's side of a script:
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
//     signed 0010 7 01          a signed Write Command with a counter; `forged` with another key; `key 6` was used last
//     add · remove              a service more, or the last one less
//     disconnect · reconnect    the link of a bonded client ends · comes back
//     with keySize 16           another server, before the first step: mtu, keySize, attribute, signed
//
// What a client does successfully, in short:
//
//     subscribe 001A · subscribe 002A 3 · exchange 517 · features 04 · prepare 24 00 00 00 AA
//     hash type · hash handle

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

struct GATTServerScript: HexScriptRunner {
    var server: ServedLinks
    var link = LinkID(rawValue: 1)
    static let signingKey = Octets16(high: 0x611B_64EB_FBCD_1FD3, low: 0x72EC_9196_DF42_5E50)
    private var configuration: GATTServer.Configuration
    private var output: [String] = []
    private var added: [AttributeHandle] = []
    private var nextLink: UInt32 = 100
    private var record: BondedClient?
    private var owner = TransmitToken.standard

    /// A server with the services of ``GATTServerFixture`` and one client on link 1.
    init(configuration: GATTServer.Configuration = GATTServerFixture.configuration, mtu: Int = 517) throws {
        self.configuration = configuration
        self.server = ServedLinks(try GATTServerFixture.server(configuration), preferredMTU: mtu)
        self.server.open(self.link)
    }

    mutating func receive(_ bytes: ByteBuffer) { self.server.receive(bytes, on: self.link) }

    // MARK: What the server does

    mutating func takeOutput() -> [String] {
        for event in self.server.takeEvents() { self.describe(event) }
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
            text = "? read \(request.handle.hexDigits) @\(request.offset)"
        case .write(let request):
            #expect(request.link == event.link)
            let parts = request.parts.map { part in
                part.handle.hexDigits + (request.id == nil ? "" : " @\(part.offset)")
                    + (part.value.readableBytes == 0 ? "" : " " + hex(part.value))
            }
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
        case .begin, .report, .notification, .servicesChanged, .databaseOutOfSync, .needsSecurity:
            Issue.record("an action of the client: \(event.action)")
            return
        }
        let owner = counted.map { $0.token == .standard ? "" : " of \($0.token.rawValue)" } ?? ""
        self.append(text + owner, event.link)
    }

    /// Steps refer to one link; output of another is shown with its number.
    private mutating func append(_ text: String, _ link: LinkID) {
        self.output.append(link == self.link ? text : "? \(link.rawValue): \(text.dropFirst(2))")
    }

    // MARK: Steps

    mutating func perform(_ word: String, _ arguments: [String]) -> Bool {
        switch (word, arguments.first) {
        case ("=", _), ("ok", _), ("!", _): self.answer(nil, word, arguments[...])
        case ("reply", let number?):
            let answer = arguments.dropFirst(2)
            self.answer(UInt32(number), arguments.dropFirst().first ?? "ok", answer)
        case ("notify", let text?):
            guard let handle = AttributeHandle(text, radix: 16) else { return false }
            self.server.notify(
                octets(arguments.dropFirst()),
                characteristic: handle,
                on: self.link,
                token: self.owner
            )
        case ("owner", let number?): self.owner = TransmitToken(rawValue: UInt64(number) ?? 0)
        case ("hold", _): self.server.beginMTUExchange(on: self.link)
        case ("release", _): self.server.endMTUExchange(on: self.link)
        case ("flush", _): self.server.flush()
        case ("wait", let text?):
            guard let seconds = Double(text) else { return false }
            self.server.advance(to: self.server.now + .milliseconds(Int64(seconds * 1_000)))
        case ("open", let text?), ("link", let text?):
            guard let number = UInt32(text) else { return false }
            self.link = LinkID(rawValue: number)
            if word == "open" { self.server.open(self.link) }
        case ("close", _): self.server.close(self.link)
        case ("security", let name?):
            guard let level = SecurityLevel.allCases.first(where: { "\($0)" == name }) else { return false }
            let size = arguments.dropFirst().first.flatMap { Int($0) } ?? 16
            let security = LinkSecurity(level: level, keySize: size, isBonded: arguments.last == "bonded")
            self.server.setSecurity(security, of: self.link)
        case ("add", _):
            guard let handles = try? self.server.add(GATTServerFixture.extra) else { return false }
            self.added.append(handles.range.lowerBound)
        case ("remove", let text):
            let handle = text.flatMap { AttributeHandle($0, radix: 16) } ?? self.added.popLast()
            guard let handle else { return false }
            self.server.remove(handle)
        case ("disconnect", _):
            self.record = self.server.bondedClient(of: self.link)
            self.server.close(self.link)
        case ("reconnect", _):
            guard let record = self.record else { return false }
            self.nextLink += 1
            self.link = LinkID(rawValue: self.nextLink)
            self.server.open(self.link)
            self.server.restore(record, on: self.link)
        case ("key", let counter?):
            let key = counter == "none" ? nil : PeerSigningKey(key: Self.signingKey, lastCounter: UInt32(counter))
            self.server.setSigningKey(key, of: self.link)
        case ("signed", let text?), ("forged", let text?):
            guard arguments.count > 1, let handle = AttributeHandle(text, radix: 16), let counter = UInt32(arguments[1])
            else { return false }
            let key = word == "signed" ? Self.signingKey : .zero
            let value = hex(octets(arguments.dropFirst(2)))
            self.server.receive(signedWrite(handle, value, counter: counter, key: key), on: self.link)
        case ("with", let name?): return self.configure(name, arguments.last ?? "")
        default: return self.exchange(word, arguments)
        }
        return true
    }

    /// The application answers the last request of the link, or one of another number.
    private mutating func answer(_ sequence: UInt32?, _ word: String, _ arguments: ArraySlice<String>) {
        let client = self.server.bearers[self.link]?.server
        let id = GATTRequestID(link: self.link, sequence: sequence ?? client?.sequence ?? 0)
        let error = octets(word == "!" ? arguments : []).readableBytesView.first.map(ATTErrorCode.init(rawValue:))
        if word == "=" {
            self.server.respond(to: id, with: .success(octets(arguments)))
        } else if let error, case .reading = client?.transaction {
            self.server.respond(to: id, with: .failure(error))
        } else {
            self.server.respond(to: id, error: error)
        }
    }

    /// Starts again with another server.
    private mutating func configure(_ name: String, _ value: String) -> Bool {
        var mtu = 517
        let number = Int(value) ?? 0
        switch name {
        case "mtu": mtu = number
        case "signed": break
        case "keySize": self.configuration.minimumKeySize = number
        case "attribute":
            let contents = [GenericAttributeService.absent, .empty, .serviceChanged, .full]
            guard let content = contents.first(where: { "\($0)" == value }) else { return false }
            self.configuration.genericAttribute = content
        default: return false
        }
        guard let server = try? name == "signed" ? Self.signedServer() : GATTServerFixture.server(self.configuration)
        else { return false }
        self.server = ServedLinks(server, preferredMTU: mtu)
        self.server.open(self.link)
        self.server.setSigningKey(PeerSigningKey(key: Self.signingKey, lastCounter: nil), of: self.link)
        return true
    }

    /// A server with one characteristic for signed writes, 0010, and one for plain ones, 0012.
    private static func signedServer() throws -> GATTServer {
        var server = GATTServer(configuration: GATTServerFixture.configuration)
        let plain = GATTCharacteristicDefinition(
            uuid: 0xA002,
            properties: [.write, .writeWithoutResponse],
            permissions: .writeable
        )
        _ = try server.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [.signed, plain]))
        return server
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
            if case .clientConfiguration(value, let properties, _) = attribute.content {
                return (attribute.handle, properties.contains(.notify))
            }
        }
        return nil
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
