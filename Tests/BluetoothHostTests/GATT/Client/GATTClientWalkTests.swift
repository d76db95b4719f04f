// The client against the server of this host, on record: procedures of every kind, in any order, on a link that loses,
// cuts and changes answers; what the server refuses for want of security, what is cancelled, held back or dropped, and
// changes of the database in between. Each procedure ends once.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: a walk with a server")
struct GATTClientWalkTests {
    @Test(arguments: Array(1...8) as [UInt64])
    func `Every action is on record, and each procedure ends once`(seed: UInt64) throws {
        var walk = try ClientWalk(seed: seed)
        for _ in 0..<3_000 { try walk.step() }
        walk.close()
        #expect(walk.succeeded > 30 && walk.failed > 30)
    }
}

/// A client and a server, and what is between them.
private struct ClientWalk {
    private static let link = LinkID(rawValue: 1)

    private var generator: SeededGenerator
    private var script = ClientScript()
    private var server: ServedLinks
    private var events: [ServedLinks.Event] = []
    /// Procedures that have not ended, and those that were given up.
    private var open: Set<UInt64> = []
    private var cancelled: Set<UInt64> = []
    /// Those that ask for nothing.
    private var silent: Set<UInt64> = []
    private var wantsSecurity = false
    private var isHeld = false
    private var validated: [GATTCachedDatabase] = []
    private var asked: [GATTReadRequest] = []
    private var added: [AttributeHandle] = []
    /// How many faults there are between the two, in a thousand answers.
    private let faults: Int
    private var lost = false
    private(set) var succeeded = 0
    private(set) var failed = 0

    init(seed: UInt64) throws {
        self.generator = SeededGenerator(seed: seed &+ 100)
        let services: [GenericAttributeService] = [.full, .full, .serviceChanged, .full, .absent, .full, .empty, .full]
        var configuration = GATTServerFixture.configuration
        configuration.genericAttribute = services[Int(seed % 8)]
        configuration.deviceName = String(repeating: "x", count: [4, 19, 18, 248][Int(seed % 4)])
        configuration.preparedWriteLimit = 40
        self.server = ServedLinks(
            try GATTServerFixture.server(configuration),
            preferredMTU: [517, 60, 23][Int(seed % 3)]
        )
        self.faults = [30, 100, 250][Int(seed % 3)]
        self.connect()
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.generator) }

    private mutating func isOne(in count: Int) -> Bool { self.number(1...count) == 1 }

    private mutating func one<Element>(of elements: [Element]) -> Element {
        elements[self.number(0...elements.count - 1)]
    }

    private mutating func handle() -> AttributeHandle {
        let attributes = self.server.server.database.attributes
        return self.isOne(in: 12) ? UInt16(self.number(0...0x40)) : self.one(of: attributes).handle
    }

    private mutating func length() -> Int {
        let mtu = self.script.client.mtu
        return switch self.number(0...3) {
        case 0: max(0, self.number(1...2) * (mtu - self.one(of: [0, 1, 2, 3, 4, 5, 6])))
        case 1: self.one(of: [0, 1, 511, 512, 513])
        default: self.number(0...30)
        }
    }

    // MARK: Links

    private mutating func connect() {
        self.script = ClientScript(mtu: 23, queueLimit: 12)
        self.script.awaitsSecurity = true
        self.server.linkOpened(Self.link)
        (self.wantsSecurity, self.isHeld, self.lost) = (false, false, false)
        (self.open, self.cancelled, self.silent) = ([], [], [])
        self.asked = []
    }

    /// Ends the link: everything that waits ends with it.
    mutating func close() {
        self.script.close()
        self.takeReports()
        #expect(self.open.subtracting(self.cancelled).subtracting(self.silent).isEmpty, "a procedure without an end")
        self.server.linkClosed(Self.link, into: &self.events)
        self.events.removeAll()
    }

    private mutating func takeReports() {
        for report in self.script.takeReported() {
            switch report {
            case .complete(let id, let outcome):
                #expect(self.open.remove(id.rawValue) != nil && !self.cancelled.contains(id.rawValue))
                switch outcome {
                case .success(.validation(let validation)):
                    if let database = validation.database { self.validated.append(database) }
                    self.succeeded += 1
                case .success: self.succeeded += 1
                case .failure: self.failed += 1
                }
            case .needsSecurity: self.wantsSecurity = true
            case .notification, .servicesChanged, .databaseOutOfSync, .mtuChanged, .bearerFailed: break
            }
        }
    }

    // MARK: Steps

    mutating func step() throws {
        switch self.number(0...99) {
        case 0: if self.isOne(in: 6) { self.reconnect() }
        case 1...30: self.start()
        case 31...36:
            let token = TransmitToken(rawValue: UInt64(self.number(0...2)))
            self.script.writeCommand(self.handle(), octets(self.length()), token: token)
        case 37:
            let first = self.handle()
            if first < 0xFFF0 { self.script.dropCommands(to: first...(first + 8)) }
        case 38...39:
            guard let id = self.open.sorted().randomElement(using: &self.generator) else { break }
            self.cancelled.insert(id)
            self.script.cancel(GATTProcedureID(rawValue: id))
        case 40:
            self.isHeld.toggle()
            self.script.client.client.isHeld = self.isHeld
            self.script.dropCommands(to: 0...0)
        case 41:
            if self.isOne(in: 4) { self.script.setMTU(self.one(of: [22, 23, 24, 60, 185, 517, 518])) }
        case 42...45: self.secure()
        case 46: try self.changeDatabase()
        case 47...52:
            self.server.notify(
                octets(self.length()),
                characteristic: self.handle(),
                on: Self.link,
                now: self.script.now,
                into: &self.events
            )
            self.server.flush(into: &self.events)
        case 53: self.sendUnasked()
        default: self.deliver()
        }
        self.serve()
        self.takeReports()
        self.meetDeadline()
    }

    private mutating func reconnect() {
        self.close()
        self.connect()
    }

    /// A link whose request was lost goes on until the instant of its deadline.
    private mutating func meetDeadline() {
        guard self.script.client.isUsable else { return self.reconnect() }
        guard self.lost, let deadline = self.script.client.nextDeadline, self.isOne(in: 8) else { return }
        self.script.advance(deadline - self.script.now - .nanoseconds(1))
        #expect(self.script.client.isUsable)
        self.script.advance(.nanoseconds(1))
        #expect(!self.script.client.isUsable)
        self.script.writeCommand(3, ByteBuffer())
        self.open.insert(self.script.start(.read(3)).rawValue)
        self.takeReports()
        self.reconnect()
    }

    private mutating func changeDatabase() throws {
        if let handle = self.added.popLast() {
            self.server.remove(handle, now: self.script.now, into: &self.events)
        } else {
            let handles = try self.server.add(GATTServerFixture.extra, now: self.script.now, into: &self.events)
            self.added.append(handles.range.lowerBound)
        }
    }

    private mutating func secure() {
        let keys: [LinkSecurity.Key?] = [
            nil, .init(isAuthenticated: false, isSecureConnections: false),
            .init(isAuthenticated: true, isSecureConnections: false),
            .init(isAuthenticated: true, isSecureConnections: true),
            .init(isAuthenticated: false, isSecureConnections: true, size: 7),
        ]
        guard self.wantsSecurity || self.isOne(in: 3) else { return }
        self.wantsSecurity = false
        switch self.number(0...4) {
        case 0: self.script.acceptRefusal()
        case 1: self.script.acceptRefusal(self.one(of: [.pairingTimedOut, .encryptionFailed(.pinOrKeyMissing)]))
        default:
            let key = self.one(of: keys)
            self.server.setSecurity(LinkSecurity(key: key), of: Self.link)
            self.script.secured(key)
        }
        self.takeReports()
        if self.wantsSecurity { self.script.acceptRefusal() }
        self.wantsSecurity = false
    }

    private mutating func start() {
        if self.isOne(in: 10) {
            let handle = self.isOne(in: 3) ? nil : self.handle()
            let id = self.script.start(
                whenItsTurnComes: { handle.map { ReadValue($0) } },
                ClientProcedure.Output.value
            )
            self.open.insert(id.rawValue)
            // Where nothing was asked, nothing but the end of its queue is reported.
            if handle == nil { self.silent.insert(id.rawValue) }
        } else {
            let procedure = self.procedure()
            self.open.insert(self.script.start(procedure).rawValue)
        }
    }

    private mutating func procedure() -> ClientProcedure {
        let low = max(1, self.handle())
        let high = self.isOne(in: 2) ? 0xFFFF : max(low, self.handle())
        let characteristic = GATTRemoteCharacteristic(
            uuid: 0xA001,
            properties: .read,
            declarationHandle: low - 1,
            valueHandle: low,
            endHandle: self.isOne(in: 2) ? high : low &+ 2
        )
        let attribute = self.one(of: self.server.server.database.attributes)
        let service = self.server.server.database.services.filter { !$0.isEmpty }
        let range = self.isOne(in: 5) ? low...high : self.one(of: service)
        switch self.number(0...22) {
        case 0: return .exchangeMTU(preferred: self.one(of: [0, 22, 23, 24, 100, 516, 517, 518]))
        case 1: return .discoverServices(uuids: nil)
        case 2:
            let full = (try? GATTServerFixture.full("00")) ?? 0xA000
            return .discoverServices(
                uuids: self.one(of: [[], [full], [0x1800, 0xA000, 0x1800], [0x1234], [0xC000, full]])
            )
        case 3: return .discoverIncludedServices(range)
        case 4: return .discoverCharacteristics(range, uuids: nil)
        case 5: return .discoverCharacteristics(range, uuids: [0xA001, 0xA008])
        case 6: return .discoverDescriptors(characteristic)
        case 7...8: return .read(low)
        case 9: return .readLong(low, offset: self.one(of: [-1, 0, 1, 22, 59, 60, 61, 512, 513, 70_000]))
        case 10: return .readByType(attribute.type, range)
        case 11: return .readMultiple((0..<self.number(1...13)).map { _ in self.handle() })
        case 12: return .readMultipleVariable((0..<self.number(0...12)).map { _ in self.handle() })
        case 13: return .readDeviceName
        case 14: return .readDatabaseHash
        case 15...16: return .write(low, octets(self.length()))
        case 17:
            return .writeReliably(
                (0..<self.number(0...3)).map { _ in .init(handle: self.handle(), value: octets(self.length())) }
            )
        case 18:
            let configuration = ClientCharacteristicConfiguration(rawValue: UInt16(self.number(0...3)))
            return .configure(configuration, of: characteristic, at: self.isOne(in: 2) ? nil : low + 1)
        case 19: return .configureCaching
        case 20: if let known = self.validated.last { return .resumeCaching(known) }
        case 21: if let known = self.validated.last { return .validateAgain(known) }
        default: break
        }
        let known = self.validated.randomElement(using: &self.generator)
        return .validateDatabaseCache(self.isOne(in: 3) ? nil : known)
    }

    // MARK: Between them

    private mutating func deliver() {
        self.script.advance(.milliseconds(Int64(self.number(0...50))))
        for pdu in self.script.takeSent() {
            if self.isOne(in: 400), ATT.opcode(of: pdu)?.isCommand == false {
                self.lost = true
            } else {
                self.server.receive(pdu, on: Self.link, now: self.script.now, into: &self.events)
            }
        }
        if let request = self.asked.popLast() { self.answer(request) }
    }

    private mutating func answer(_ request: GATTReadRequest) {
        let value = octets(max(0, self.length()), from: UInt8(request.offset & 0xFF))
        let codes: [UInt8] = [0x05, 0x07, 0x08, 0x0B, 0x0C, 0x0E, 0x0F, 0x80]
        let error = ATTErrorCode(rawValue: self.one(of: codes))
        self.server.respond(
            to: request.id,
            with: self.isOne(in: 5) ? .failure(error) : .success(value),
            into: &self.events
        )
    }

    private mutating func serve() {
        while !self.events.isEmpty {
            let events = self.events
            self.events.removeAll()
            for event in events {
                switch event.action {
                case .send(let pdu, _): self.script.receive(self.altered(pdu))
                case .read(let request):
                    if self.isOne(in: 4) { self.asked.append(request) } else { self.answer(request) }
                case .write(let request):
                    guard let id = request.id else { continue }
                    self.server.respond(to: id, error: self.isOne(in: 8) ? .valueNotAllowed : nil, into: &self.events)
                case .failed: self.lost = true
                default: break
                }
            }
        }
    }

    private mutating func altered(_ pdu: ByteBuffer) -> ByteBuffer {
        guard self.number(0...999) < self.faults, let opcode = ATT.opcode(of: pdu) else { return pdu }
        var bytes = ByteBuffer(bytes: pdu.readableBytesView)
        switch self.number(0...6) {
        case 0: bytes.moveWriterIndex(to: bytes.writerIndex - min(bytes.readableBytes, self.number(1...3)))
        case 1: bytes.writeInteger(UInt8(self.number(0...255)))
        case 2...3:
            bytes.setInteger(UInt8(self.number(0...255)), at: self.number(0...bytes.readableBytes - 1))
        case 4: bytes.writeRepeatingByte(1, count: 520 - min(519, bytes.readableBytes))
        default:
            let codes: [UInt8] = [0x01, 0x05, 0x06, 0x07, 0x08, 0x0A, 0x0A, 0x0B, 0x0C, 0x0F, 0x0F, 0x12, 0x12, 0x80]
            guard !opcode.isForServer, opcode.rawValue & 1 == 1, opcode != .errorResponse else { break }
            bytes = hex("01")
            bytes.writeInteger(opcode.rawValue & 0xFE)
            bytes.writeLittleEndian(self.handle())
            bytes.writeInteger(self.one(of: codes))
        }
        return bytes
    }

    private mutating func sendUnasked() {
        let texts = [
            "1B 00 00 AA", "1B 10 00", "1B 10", "1D 00 00 01", "1D 10 00 AA", "1D 10",
            "23 10 00 01 00 AA 00 00 01 00 AA",
            "23 10 00 02 00 AA", "23", "23 10 00 00 00", "1D 09 00 01 00 05 00", "1D 08 00 05 00 01 00", "0B AA", "13",
            "",
            "1D 09 00 00 00 05 00", "1D 09 00 05 00 05 00 01", "01 0A 03 00 05", "01 12 03 00 0F", "19", "03 17 00",
            "03 16 00",
        ]
        self.script.receive(hex(self.one(of: texts)))
    }
}
