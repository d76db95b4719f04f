// A server, its clients and its application, all of them driven by chance: the walk of GATTServerWalkTests.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

/// A server, its clients and its application, all of them driven by chance.
struct ServerWalk {
    struct Client {
        var asked: GATTReadRequest?
        var written: GATTRequestID?
        var counter: UInt32 = 0
        var isWaiting: Bool { self.asked != nil || self.written != nil }
    }

    static let key = Octets16(high: 0x611B_64EB_FBCD_1FD3, low: 0x72EC_9196_DF42_5E50)

    private var generator: SeededGenerator
    private(set) var server: ServedLinks
    private var now = NIODeadline.uptimeNanoseconds(0)
    private(set) var links: [(id: LinkID, client: Client)] = []
    private var lastLink: UInt32 = 0
    private var added: [AttributeHandle] = []
    private var bonded: [BondedClient] = []
    private var events: [ServedLinks.Event] = []
    private var notes = ActionNotes()
    /// The opcodes that the server has sent.
    private(set) var opcodes: Set<ATTOpcode> = []

    init(seed: UInt64) throws {
        self.generator = SeededGenerator(seed: seed)
        let services: [GenericAttributeService] = [.full, .full, .full, .serviceChanged, .full, .empty, .full, .absent]
        var configuration = GATTServer.Configuration(
            deviceName: String(repeating: "é", count: [3, 124, 125][Int(seed % 3)]),
            appearance: 0x0340,
            hasPrivacy: seed % 2 == 0,
            genericAttribute: services[Int(seed % 8)],
            minimumKeySize: seed % 3 == 0 ? 16 : 7
        )
        configuration.preparedWriteLimit = 6
        configuration.preparedOctetLimit = 700
        configuration.indicationLimit = 2
        var server = try GATTServerFixture.server(configuration)
        for service in Self.services { _ = try server.add(service) }
        self.server = ServedLinks(server, preferredMTU: [517, 23, 48, 185][Int(seed % 4)])
        for _ in 0..<3 { self.open() }
    }

    /// Characteristics with all that the fixture's do not have.
    private static var services: [GATTServiceDefinition] {
        let both: AttributePermissions = [.readable, .writeable]
        let authorized = AttributePermissions(
            read: SecurityRequirement(level: .encrypted, needsAuthorization: true),
            write: SecurityRequirement(level: .encrypted, minimumKeySize: 12)
        )
        return [
            GATTServiceDefinition(
                uuid: 0xE000,
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: 0xE001,
                        properties: [.read, .write, .notify, .indicate],
                        permissions: both,
                        descriptors: [
                            GATTDescriptorDefinition(
                                uuid: 0x2901,
                                value: ByteBuffer(),
                                permissions: both,
                                isDynamic: true
                            ),
                            GATTDescriptorDefinition(
                                uuid: 0xE0D1,
                                value: ByteBuffer(),
                                permissions: .writeable,
                                isDynamic: true
                            ),
                            GATTDescriptorDefinition(uuid: 0x2904, value: hex("04 00 01 27 01 00 00")),
                        ]
                    ),
                    GATTCharacteristicDefinition(uuid: 0xE002, properties: [.read, .write], permissions: authorized),
                    GATTCharacteristicDefinition(
                        uuid: 0xE003,
                        properties: [.writeWithoutResponse, .authenticatedSignedWrites],
                        permissions: .writeable
                    ),
                    GATTCharacteristicDefinition(
                        uuid: 0xE004,
                        properties: [.read, .notify],
                        permissions: .readable,
                        hasClientConfiguration: false
                    ),
                    GATTCharacteristicDefinition(
                        uuid: 0xE005,
                        properties: [.notify, .indicate],
                        permissions: [],
                        subscriptionSecurity: .authenticated
                    ),
                    GATTCharacteristicDefinition(
                        uuid: 0xE006,
                        properties: .read,
                        permissions: .readable,
                        value: octets(512)
                    ),
                    GATTCharacteristicDefinition(
                        uuid: 0xE008,
                        properties: [.indicate, .writeWithoutResponse, .extendedProperties],
                        permissions: .writeable
                    ),
                ]
            )
        ]
    }

    // MARK: Chance

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.generator) }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[self.number(0...elements.count - 1)]
    }

    mutating func isOne(in count: Int) -> Bool { self.number(1...count) == 1 }

    /// A length that is short, or near the MTU of a link or the longest value.
    mutating func length(_ mtu: Int) -> Int {
        switch self.number(0...3) {
        case 0: max(0, mtu - self.number(-1...9))
        case 1: self.one(of: [0, 1, 2, 121, 122, 511, 512, 513])
        default: self.number(0...12)
        }
    }

    mutating func value(_ mtu: Int) -> ByteBuffer { octets(self.length(mtu), from: UInt8(self.number(0...3))) }

    mutating func handle() -> AttributeHandle {
        let attributes = self.server.server.database.attributes
        let handle = attributes[self.number(0...attributes.count - 1)].handle
        switch self.number(0...19) {
        case 0: return handle &+ 1
        case 1: return handle &- 1
        case 2: return self.one(of: [0, 0xFFFF, 0x0100])
        default: return handle
        }
    }

    /// A handle of an attribute that an attribute of the list is.
    mutating func handle(where matches: (GATTAttribute) -> Bool) -> AttributeHandle {
        let handles = self.server.server.database.attributes.filter(matches).map(\.handle)
        return handles.isEmpty || self.isOne(in: 20) ? self.handle() : self.one(of: handles)
    }

    static func isConfiguration(_ attribute: GATTAttribute) -> Bool {
        if case .clientConfiguration = attribute.content { true } else { false }
    }

    /// The next sign counter of a client, mostly one that was not used.
    mutating func nextCounter(of place: Int) -> UInt32 {
        self.links[place].client.counter += self.isOne(in: 4) ? 0 : 1
        return self.links[place].client.counter
    }

    // MARK: Steps

    private mutating func open(_ record: BondedClient? = nil) {
        self.lastLink += 1
        let link = LinkID(rawValue: self.lastLink)
        self.server.linkOpened(link)
        self.links.append((link, Client()))
        guard let record else { return }
        self.server.setSecurity(LinkSecurity(level: .encrypted, isBonded: true), of: link)
        self.server.restoreClient(record, on: link, now: self.now, into: &self.events)
    }

    private mutating func close(_ place: Int) {
        let link = self.links.remove(at: place).id
        if let record = self.server.bondedClient(of: link) {
            self.notes.note(Self.text(record))
            self.bonded.append(record)
        }
        self.server.linkClosed(link, into: &self.events)
        guard self.isOne(in: 2), var record = self.bonded.last else { return self.open() }
        switch self.number(0...7) {
        case 0: record.databaseHash = nil
        case 1: record.features = UInt8(self.number(0...255))
        case 2:
            let attribute = self.one(of: self.server.server.database.attributes)
            record.configurations.append(
                .init(characteristic: attribute.handle, uuid: attribute.type, bits: UInt8(self.number(0...7)))
            )
        case 3: for index in record.configurations.indices { record.configurations[index].bits ^= 3 }
        case 4: for index in record.configurations.indices { record.configurations[index].uuid = 0x1234 }
        default: break
        }
        self.open(record)
    }

    private static func text(_ record: BondedClient) -> String {
        let configurations = record.configurations.map { "\($0.characteristic) \($0.uuid) \($0.bits)" }
        return "\(configurations) \(record.features) \(record.databaseHash.map { hex($0) } ?? "none")"
    }

    mutating func step() throws {
        self.now = self.now + .milliseconds(Int64(self.number(0...200)))
        let place = self.number(0...2)
        let link = self.links[place].id
        let mtu = self.server.mtu(of: link)
        switch self.number(0...99) {
        case 0:
            guard self.isOne(in: 3) else { break }
            if let handles = try? self.server.add(GATTServerFixture.extra, now: self.now, into: &self.events) {
                self.notes.note("\(handles.range)")
                self.added.append(handles.range.lowerBound)
            }
        case 1:
            let handle = self.isOne(in: 2) ? self.added.popLast() : self.one(of: [0x0001, 0x0002, 0x0007, 0x0030])
            if let handle, self.isOne(in: 2) { self.server.remove(handle, now: self.now, into: &self.events) }
        case 2...4: self.secure(link)
        case 5: try self.meetDeadline()
        case 6: if self.isOne(in: 4) { self.close(place) }
        case 7: self.server.beginMTUExchange(on: link)
        case 8...9: self.server.endMTUExchange(on: link, now: self.now, into: &self.events)
        case 10:
            let key = self.isOne(in: 3) ? nil : PeerSigningKey(key: Self.key, lastCounter: self.one(of: [nil, 5]))
            self.server.setSigningKey(key, of: link)
        case 11:
            self.server.notifyUnconditionally(
                self.value(mtu),
                characteristic: self.handle(),
                on: link,
                into: &self.events
            )
        case 12:
            self.server.server.setDeviceName(String(repeating: "x", count: self.one(of: [0, 247, 248, 249])))
            self.server.server.setCentralAddressResolution(self.isOne(in: 2))
        case 13...34:
            let handle = self.handle { $0.access == [] || $0.shortType >= 0xA000 }
            let token = TransmitToken(rawValue: UInt64(self.number(0...1)))
            self.server.notify(
                self.value(mtu),
                characteristic: handle,
                on: link,
                token: token,
                now: self.now,
                into: &self.events
            )
        case 35...37: self.server.flush(into: &self.events)
        case 38...55: self.answer(place, mtu)
        default:
            if self.links[place].client.isWaiting, !self.isOne(in: 60) { return self.answer(place, mtu) }
            let pdu = self.pdu(place, mtu)
            self.notes.note(pdu, UInt64(place))
            self.server.receive(pdu, on: link, now: self.now, into: &self.events)
        }
        self.takeEvents()
    }

    /// The last instant before a deadline, and the deadline.
    private mutating func meetDeadline() throws {
        guard let deadline = self.server.nextDeadline, self.isOne(in: 8) else { return }
        let count = self.events.count
        self.server.advance(to: deadline - .nanoseconds(1), into: &self.events)
        #expect(self.events.count == count)
        self.server.advance(to: deadline, into: &self.events)
        #expect(self.events.count > count)
        self.now = max(self.now, deadline)
    }

    private mutating func secure(_ link: LinkID) {
        var security = LinkSecurity(
            level: self.one(of: SecurityLevel.allCases),
            keySize: self.one(of: [7, 11, 12, 15, 16]),
            isBonded: self.isOne(in: 2),
            isAuthorized: self.isOne(in: 2)
        )
        if self.isOne(in: 4) { security.key = nil }
        self.server.setSecurity(security, of: link)
    }

    private mutating func answer(_ place: Int, _ mtu: Int) {
        let client = self.links[place].client
        let error = self.one(of: [ATTErrorCode.insufficientAuthorization, .unlikelyError, ATTErrorCode(rawValue: 0x80)])
        if let request = client.asked {
            let value = octets(self.length(mtu) + (self.isOne(in: 9) ? 512 : 0), from: UInt8(request.offset & 0xFF))
            let isLate = self.isOne(in: 30)
            let id = isLate ? GATTRequestID(rawValue: request.id.rawValue &- 1) : request.id
            if !isLate { self.links[place].client.asked = nil }
            self.server.respond(
                to: id,
                with: self.isOne(in: 6) ? .failure(error) : .success(value),
                into: &self.events
            )
        } else if let id = client.written {
            if self.isOne(in: 20) { self.server.respond(to: id, with: .success(ByteBuffer()), into: &self.events) }
            if self.isOne(in: 20) {
                let other = GATTRequestID(rawValue: id.rawValue &- 1)
                self.server.respond(to: other, error: nil, into: &self.events)
            }
            self.links[place].client.written = nil
            self.server.respond(to: id, error: self.isOne(in: 5) ? error : nil, into: &self.events)
        }
    }

    private mutating func takeEvents() {
        let events = self.events
        self.events.removeAll()
        for event in events {
            let place = self.links.firstIndex { $0.id == event.link }
            switch event.action {
            case .send(let pdu, _):
                #expect(pdu.readableBytes <= self.server.mtu(of: event.link))
                if let opcode = ATT.opcode(of: pdu) { self.opcodes.insert(opcode) }
            case .read(let request): if let place { self.links[place].client.asked = request }
            case .write(let request): if let place, let id = request.id { self.links[place].client.written = id }
            case .failed: if let place { self.close(place) }
            case .dropped, .mtuChanged, .confirmed, .subscriptionChanged, .bondedClientChanged, .signCounterAccepted:
                break
            case .make, .report, .notification, .servicesChanged, .databaseOutOfSync, .needsSecurity:
                Issue.record("an action of the client: \(event.action)")
            }
        }
        if !self.events.isEmpty { self.takeEvents() }
    }

    mutating func end() {
        while !self.links.isEmpty { self.server.linkClosed(self.links.removeLast().id, into: &self.events) }
    }
}
