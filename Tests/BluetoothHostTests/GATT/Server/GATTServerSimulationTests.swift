// Clients send mostly valid PDUs for existing attributes or their neighbours, with lengths around the MTU; the
// application answers late or not at all; services are added and removed.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: simulation")
struct GATTServerSimulationTests {
    @Test(
        "answers each request once, keeps to permissions, MTU and limits, and counts each value once",
        arguments: simulationSeeds(4)
    )
    func simulation(seed: UInt64) throws {
        var simulation = try ServerSimulation(seed: seed)
        for _ in 0..<1_200 { simulation.step() }
        simulation.end()
    }
}

private struct ServerSimulation {
    /// The state of a client.
    struct Client {
        var mtu = 23
        /// The unanswered request, and the application's part in it.
        var isWaiting = false
        var asked: GATTRequestID?
        var isAskedToRead = false
        var subscriptions: Set<AttributeHandle> = []
        var awaitsConfirmation = false
        var lastCounter: UInt32?
        /// The numbers of values that the application has sent, and of those that were sent, confirmed or dropped.
        var promised = 0
        var counted = 0
    }

    private var choices: SeededChoices
    private var server: ServedLinks
    private let configuration: GATTServer.Configuration
    private var clients: [LinkID: Client] = [:]
    private var lastLink: UInt32 = 0
    private var added: [AttributeHandle] = []
    private var records: [BondedClient] = []

    init(seed: UInt64) throws {
        self.choices = SeededChoices(seed: seed)
        let services: [GenericAttributeService] = [.full, .full, .serviceChanged, .full, .empty, .absent]
        var configuration = GATTServerFixture.configuration
        configuration.genericAttribute = services[Int(seed % 6)]
        configuration.hasPrivacy = seed % 2 == 0
        configuration.minimumKeySize = seed % 3 == 0 ? 16 : 7
        (configuration.preparedWriteLimit, configuration.preparedOctetLimit) = (6, 700)
        configuration.indicationLimit = 2
        self.configuration = configuration
        var server = try GATTServerFixture.server(configuration)
        let signed = GATTCharacteristicDefinition(
            uuid: 0xE001,
            properties: [.authenticatedSignedWrites, .notify, .indicate],
            permissions: .writeable,
            subscriptionSecurity: .authenticated
        )
        _ = try server.add(GATTServiceDefinition(uuid: 0xE000, characteristics: [signed]))
        self.server = ServedLinks(server, preferredMTU: [517, 23, 48, 185][Int(seed % 4)])
        for _ in 0..<3 { self.open() }
    }

    // MARK: Links

    private mutating func open() {
        self.lastLink += 1
        let link = LinkID(rawValue: self.lastLink)
        self.server.open(link)
        self.clients[link] = Client()
        self.server.setSigningKey(PeerSigningKey(key: GATTServerScript.signingKey, lastCounter: nil), of: link)
        guard self.choices.once(in: 2), var record = self.records.last else { return }
        if self.choices.once(in: 4) { record.databaseHash = nil }
        if self.choices.once(in: 4) { record.features = UInt8(self.choices.below(256)) }
        self.server.setSecurity(LinkSecurity(level: .encrypted, isBonded: true), of: link)
        self.server.restore(record, on: link)
    }

    private mutating func close(_ link: LinkID) {
        self.server.flush()
        self.takeEvents()
        if let record = self.server.bondedClient(of: link) { self.records.append(record) }
        self.server.close(link)
        self.takeEvents()
        guard let client = self.clients.removeValue(forKey: link) else { return }
        #expect(client.promised == client.counted, "each value is counted once")
        #expect(client.subscriptions.isEmpty, "each subscription ends")
    }

    mutating func end() {
        for link in self.clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) { self.close(link) }
        #expect(self.server.nextDeadline == nil && self.server.bearers.isEmpty)
    }

    // MARK: Steps

    mutating func step() {
        self.server.now = self.server.now + .milliseconds(Int64(self.choices.below(200)))
        let link = self.choices.pick(self.clients.keys.sorted { $0.rawValue < $1.rawValue })
        switch self.choices.below(100) {
        case 0:
            if let handle = self.added.popLast() {
                self.server.remove(handle)
            } else if let handles = try? self.server.add(GATTServerFixture.extra) {
                self.added.append(handles.range.lowerBound)
            }
        case 1...3:
            let security = LinkSecurity(
                level: self.choices.pick(SecurityLevel.allCases),
                keySize: self.choices.pick([7, 15, 16]),
                isBonded: self.choices.once(in: 2),
                isAuthorized: self.choices.once(in: 2)
            )
            self.server.setSecurity(security, of: link)
        case 4: if self.choices.once(in: 10) { self.meetDeadline() }
        case 5:
            guard self.choices.once(in: 4) else { break }
            self.close(link)
            self.open()
        case 6: self.server.beginMTUExchange(on: link)
        case 7...8: self.server.endMTUExchange(on: link)
        case 9...30:
            self.clients[link]?.promised += 1
            let handle = self.handle { $0.access == [] || $0.shortType >= 0xA000 }
            self.server.notify(self.value(link), characteristic: handle, on: link)
        case 31...34: self.server.flush()
        case 35...54: self.answer(link)
        default: self.send(link)
        }
        self.takeEvents()
        self.checkLimits()
    }

    /// Nothing happens before the deadline, and the bearer fails at it.
    private mutating func meetDeadline() {
        guard let deadline = self.server.nextDeadline else { return }
        let now = self.server.now
        self.server.advance(to: deadline - .nanoseconds(1))
        #expect(self.server.bearers.values.allSatisfy { $0.isUsable })
        self.server.advance(to: deadline)
        #expect(!self.server.bearers.values.allSatisfy { $0.isUsable })
        self.server.now = max(now, deadline)
    }

    private mutating func send(_ link: LinkID) {
        // A client seldom breaks the rule of one request at a time.
        guard self.clients[link]?.isWaiting == false || self.choices.once(in: 40) else { return }
        let pdu = self.pdu(link)
        guard let opcode = ATT.opcode(of: pdu) else { return }
        let isRequest = !opcode.isCommand && opcode.isForServer && opcode != .handleValueConfirmation
        if isRequest { self.clients[link]?.isWaiting = true }
        if opcode == .handleValueConfirmation, pdu.readableBytes == 1 { self.clients[link]?.awaitsConfirmation = false }
        self.server.receive(pdu, on: link)
        self.takeEvents()
        guard isRequest, let client = self.clients[link] else { return }
        #expect(!client.isWaiting || client.asked != nil, "a request is answered, or the application is asked")
    }

    private mutating func answer(_ link: LinkID) {
        guard let client = self.clients[link], let asked = client.asked else { return }
        let id = self.choices.once(in: 10) ? GATTRequestID(rawValue: asked.rawValue &- 1) : asked
        let error = self.choices.pick([ATTErrorCode.insufficientAuthorization, .unlikelyError])
        if client.isAskedToRead != self.choices.once(in: 20) {
            let value = octets(self.length(client.mtu) + (self.choices.once(in: 9) ? 512 : 0))
            let result: Result<ByteBuffer, ATTErrorCode> = self.choices.once(in: 6) ? .failure(error) : .success(value)
            self.server.respond(to: id, with: result)
        } else {
            self.server.respond(to: id, error: self.choices.once(in: 5) ? error : nil)
        }
    }

    // MARK: What the server does

    private mutating func takeEvents() {
        while case let events = self.server.takeEvents(), !events.isEmpty {
            for event in events { self.take(event.action, on: event.link) }
        }
    }

    private mutating func take(_ action: ATTBearer.Action, on link: LinkID) {
        guard var client = self.clients[link] else { return }
        defer { if self.clients[link] != nil { self.clients[link] = client } }
        switch action {
        case .send(let pdu, let transmission):
            client.counted += transmission?.count ?? 0
            self.check(pdu, &client)
        case .read(let request):
            #expect(client.isWaiting && request.link == link)
            #expect(self.permits(request.handle, .read, on: link))
            (client.asked, client.isAskedToRead) = (request.id, true)
        case .write(let request):
            #expect(!request.parts.isEmpty && request.link == link)
            for part in request.parts {
                let access: GATTAttribute.Access = request.id == nil ? [.writeCommand, .signedWrite] : .write
                #expect(self.permits(part.handle, access, on: link))
                #expect(part.offset + part.value.readableBytes <= 512)
            }
            guard let id = request.id else { return }
            #expect(client.isWaiting)
            (client.asked, client.isAskedToRead) = (id, false)
        case .subscriptionChanged(let handle, isSubscribed: true): #expect(client.subscriptions.insert(handle).inserted)
        case .subscriptionChanged(let handle, isSubscribed: false): #expect(client.subscriptions.remove(handle) != nil)
        case .mtuChanged(let mtu): client.mtu = mtu
        case .confirmed(_, let transmission), .dropped(let transmission): client.counted += transmission.count
        case .bondedClientChanged: #expect(self.server.bearers[link]?.security.isBonded == true)
        case .signCounterAccepted(let counter):
            #expect(client.lastCounter.map { $0 < counter } ?? true)
            client.lastCounter = counter
        case .failed:
            self.clients[link] = client
            self.close(link)
            self.open()
        case .begin, .report, .notification, .servicesChanged, .databaseOutOfSync, .needsSecurity:
            Issue.record("an action of the client: \(action)")
        }
    }

    private func check(_ pdu: ByteBuffer, _ client: inout Client) {
        #expect(pdu.readableBytes > 0 && pdu.readableBytes <= client.mtu)
        switch ATT.opcode(of: pdu) {
        case .handleValueNotification?:
            let handle = (try? ATTHandleValueNotification(parsing: pdu))?.handle ?? 0
            #expect(client.subscriptions.contains(handle))
        case .multipleHandleValueNotification?:
            let handles = (try? ATTMultipleHandleValueNotification(parsing: pdu))?.list.map(\.handle) ?? []
            #expect(handles.count >= 2 && client.subscriptions.isSuperset(of: handles))
        case .handleValueIndication?:
            #expect(!client.awaitsConfirmation, "one indication at a time")
            client.awaitsConfirmation = true
        case let opcode:
            #expect(opcode?.isForServer == false && client.isWaiting, "an answer to no request: \(hex(pdu))")
            (client.isWaiting, client.asked) = (false, nil)
        }
    }

    /// Whether the link may have the value.
    private func permits(_ handle: AttributeHandle, _ access: GATTAttribute.Access, on link: LinkID) -> Bool {
        guard let position = self.server.server.database.index(of: handle), let bearer = self.server.bearers[link]
        else { return false }
        let attribute = self.server.server.database.attributes[position]
        let requirement = access == .read ? attribute.readSecurity : attribute.writeSecurity
        let size = self.configuration.minimumKeySize
        return !attribute.access.isDisjoint(with: access)
            && bearer.security.shortfall(of: requirement, minimumKeySize: size) == nil
    }

    private func checkLimits() {
        for bearer in self.server.bearers.values {
            #expect(bearer.server.prepared.count <= self.configuration.preparedWriteLimit)
            #expect(bearer.server.prepared.octets <= self.configuration.preparedOctetLimit)
            let octets = bearer.server.prepared.parts.reduce(0) { $0 + $1.value.readableBytes }
            #expect(octets == bearer.server.prepared.octets, "no prepared octet is lost or duplicated")
            #expect(bearer.server.indications.count <= self.configuration.indicationLimit)
        }
    }

    // MARK: PDUs

    /// A length that is short, or near the MTU or the longest value.
    private mutating func length(_ mtu: Int) -> Int {
        switch self.choices.below(4) {
        case 0: max(0, mtu + 1 - self.choices.below(11))
        case 1: self.choices.pick([0, 1, 2, 121, 122, 511, 512, 513])
        default: self.choices.below(13)
        }
    }

    private mutating func value(_ link: LinkID) -> ByteBuffer { octets(self.length(self.server.mtu(of: link))) }

    private mutating func handle() -> AttributeHandle {
        let handle = self.choices.pick(self.server.server.database.attributes).handle
        return self.choices.pick([handle, handle, handle, handle, handle &+ 1, handle &- 1, 0, 0xFFFF])
    }

    private mutating func handle(where matches: (GATTAttribute) -> Bool) -> AttributeHandle {
        let handles = self.server.server.database.attributes.filter(matches).map(\.handle)
        return handles.isEmpty || self.choices.once(in: 20) ? self.handle() : self.choices.pick(handles)
    }

    private mutating func pdu(_ link: LinkID) -> ByteBuffer {
        let opcode: UInt8 = self.choices.pick([
            0x02, 0x04, 0x06, 0x06, 0x08, 0x08, 0x0A, 0x0A, 0x0C, 0x0C, 0x0E, 0x10, 0x12, 0x12, 0x12, 0x12, 0x12, 0x16,
            0x16, 0x16, 0x18, 0x18, 0x1E, 0x1E, 0x20, 0x52, 0x52, 0xD2, 0x00,
        ])
        var bytes = ByteBuffer(bytes: [opcode == 0 ? UInt8(self.choices.below(256)) : opcode])
        switch opcode {
        case 0x02: bytes.writeLittleEndian(UInt16(self.choices.pick([0, 22, 23, 24, 48, 100, 185, 517, 518, 0xFFFF])))
        case 0x04, 0x06, 0x08, 0x10: self.writeSearch(opcode, into: &bytes)
        case 0x0A: bytes.writeLittleEndian(self.handle())
        case 0x0C:
            bytes.writeLittleEndian(self.handle())
            bytes.writeLittleEndian(UInt16(self.choices.pick([0, 59, 60, 61, self.length(self.server.mtu(of: link))])))
        case 0x0E, 0x20:
            for _ in 0...self.choices.below(6) { bytes.writeLittleEndian(self.handle { $0.access.contains(.read) }) }
        case 0x12 where self.choices.once(in: 2):
            bytes.writeLittleEndian(self.handle { $0.shortType == GATTAttributeType.clientConfiguration })
            bytes.writeLittleEndian(UInt16(self.choices.pick([0, 1, 1, 2, 2, 3, 5])))
        case 0x12 where self.choices.once(in: 6):
            bytes.writeLittleEndian(self.handle { $0.shortType == GATTAttributeType.clientSupportedFeatures })
            bytes.writeInteger(UInt8(self.choices.pick([0, 1, 4, 5, 7])))
        case 0x12, 0x52:
            let access: GATTAttribute.Access = opcode == 0x12 ? .write : .writeCommand
            bytes.writeLittleEndian(self.handle { $0.access.contains(access) })
            bytes.writeImmutableBuffer(self.value(link))
        case 0xD2:
            bytes.writeLittleEndian(self.handle { $0.access.contains(.signedWrite) })
            bytes.writeImmutableBuffer(octets(self.choices.below(10)))
            let counter = (self.clients[link]?.lastCounter ?? 0) &+ UInt32(self.choices.below(3))
            let key = self.choices.once(in: 8) ? Octets16.zero : GATTServerScript.signingKey
            DataSignature(of: bytes, counter: counter, key: key).encode(into: &bytes)
        case 0x16:
            bytes.writeLittleEndian(self.handle { $0.access.contains(.write) })
            bytes.writeLittleEndian(UInt16(self.choices.once(in: 2) ? self.choices.below(5) : self.length(512)))
            bytes.writeImmutableBuffer(self.choices.once(in: 2) ? octets(self.choices.below(5)) : self.value(link))
        case 0x18: bytes.writeInteger(UInt8(self.choices.pick([1, 1, 1, 0, 2])))
        case 0x1E: break
        default: bytes.writeImmutableBuffer(self.value(link))
        }
        switch self.choices.below(40) {
        case 0: bytes.moveWriterIndex(to: bytes.writerIndex - 1)
        case 1: bytes.writeInteger(UInt8(0))
        default: break
        }
        return bytes
    }

    private mutating func writeSearch(_ opcode: UInt8, into bytes: inout ByteBuffer) {
        let start = self.choices.once(in: 2) ? 1 : self.handle()
        bytes.writeLittleEndian(start)
        bytes.writeLittleEndian(self.choices.pick([0xFFFF, 0xFFFF, start, self.handle()]))
        guard opcode != 0x04 else { return }
        let attribute = self.choices.pick(self.server.server.database.attributes)
        let type = self.choices.pick([attribute.type, 0x2800, 0x2801, 0x2802, 0x2803, 0x2902, 0x2B2A])
        guard opcode == 0x06 else { return type.encode(into: &bytes) }
        bytes.writeLittleEndian(type.shortValue ?? 0)
        if case .fixed(let value) = attribute.content { bytes.writeImmutableBuffer(value) }
    }
}
