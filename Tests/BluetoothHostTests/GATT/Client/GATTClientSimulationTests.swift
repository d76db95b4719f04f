import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: simulation")
struct GATTClientSimulationTests {
    @Test("ends each procedure once on a link that loses, cuts and changes answers", arguments: simulationSeeds(3))
    func faultyLink(seed: UInt64) throws {
        var simulation = try ClientSimulation(seed: seed)
        for _ in 0..<1_000 { try simulation.step() }
        simulation.close()
        #expect(simulation.succeeded > 30 && simulation.failed > 30)
    }
}

/// A client and a server; between them, answers are lost, cut and changed.
private struct ClientSimulation {
    private static let link = LinkID(rawValue: 1)

    private var choices: SeededChoices
    private var script = ClientScript()
    private var server: ServedLinks
    /// Procedures that have not ended, without those that were cancelled, and those that may ask for nothing.
    private var open: Set<ClientScript.ID> = []
    private var silent: Set<ClientScript.ID> = []
    /// Write Commands of each owner.
    private var commands: [UInt64: Int] = [:]
    /// A request was sent and is not answered.
    private var isWaiting = false
    private var isLost = false
    private var wantsSecurity = false
    private var validated: [GATTCachedDatabase] = []
    private var added: [AttributeHandle] = []
    private(set) var succeeded = 0
    private(set) var failed = 0

    init(seed: UInt64) throws {
        self.choices = SeededChoices(seed: seed)
        var configuration = GATTServerFixture.configuration
        configuration.genericAttribute = seed % 4 == 3 ? .serviceChanged : .full
        configuration.deviceName = String(repeating: "x", count: [4, 19, 18, 248][Int(seed % 4)])
        self.server = ServedLinks(
            try GATTServerFixture.server(configuration),
            preferredMTU: [517, 60, 23][Int(seed % 3)]
        )
        self.connect()
    }

    // MARK: Links

    private mutating func connect() {
        self.script = ClientScript(queueLimit: 12)
        self.script.awaitsSecurity = true
        self.server.open(Self.link)
        (self.isWaiting, self.isLost, self.wantsSecurity) = (false, false, false)
    }

    /// Ends the link: everything that waits ends with it.
    mutating func close() {
        self.script.close()
        self.takeReports()
        #expect(self.open.isSubset(of: self.silent), "each procedure ends")
        for transmission in self.script.takeTransmitted() {
            self.commands[transmission.token.rawValue, default: 0] -= transmission.count
        }
        #expect(self.commands.values.allSatisfy { $0 == 0 }, "each command is counted once")
        #expect(self.script.deadline == nil)
        (self.open, self.silent) = ([], [])
        self.server.close(Self.link)
        _ = self.server.takeEvents()
    }

    private mutating func takeReports() {
        for report in self.script.takeReported() {
            switch report {
            case .complete(let id, let outcome):
                #expect(self.open.remove(id) != nil, "a procedure ends once, and not if it was cancelled")
                if case .success(.validation(let validation)) = outcome, let database = validation.database {
                    self.validated.append(database)
                }
                if case .success = outcome { self.succeeded += 1 } else { self.failed += 1 }
            case .needsSecurity: self.wantsSecurity = true
            case .notification, .servicesChanged, .databaseOutOfSync, .mtuChanged, .bearerFailed: break
            }
        }
    }

    // MARK: Steps

    mutating func step() throws {
        switch self.choices.below(100) {
        case 0...30: self.start()
        case 31...36:
            let owner = UInt64(self.choices.below(3))
            self.commands[owner, default: 0] += 1
            self.script.writeCommand(self.handle(), octets(self.length()), token: TransmitToken(rawValue: owner))
        case 37: self.script.dropCommands(to: 0x0010...0x0018)
        case 38...39:
            guard !self.open.isEmpty else { break }
            let id = self.choices.pick(self.open.sorted())
            self.open.remove(id)
            self.script.cancel(id)
        case 40:
            self.script.client.isHeld.toggle()
            self.script.advance(.zero)
        case 41...45: if self.wantsSecurity || self.choices.once(in: 3) { self.secure() }
        case 46:
            if let handle = self.added.popLast() {
                self.server.remove(handle)
            } else {
                let handles = try self.server.add(GATTServerFixture.extra)
                self.added.append(handles.range.lowerBound)
            }
        case 47...50:
            let (value, handle) = (octets(self.length()), self.handle())
            self.server.notify(value, characteristic: handle, on: Self.link)
            self.server.flush()
        case 51:
            self.script.receive(
                hex(self.choices.pick(["1B 00 00", "1D 10", "23 10 00 02 00 AA", "24", "1D 09 00 01"]))
            )
        default: self.deliver()
        }
        self.serve()
        self.takeReports()
        self.meetDeadline()
    }

    /// A link whose request was lost goes on until the instant of its deadline.
    private mutating func meetDeadline() {
        if self.isLost, self.choices.once(in: 8), let deadline = self.script.deadline {
            self.script.advance(deadline - self.script.now - .nanoseconds(1))
            #expect(self.script.bearer.isUsable)
            self.script.advance(.nanoseconds(1))
            #expect(!self.script.bearer.isUsable)
        }
        guard !self.script.bearer.isUsable else { return }
        self.close()
        self.connect()
    }

    private mutating func secure() {
        self.wantsSecurity = false
        switch self.choices.below(4) {
        case 0:
            self.script.acceptRefusal(self.choices.pick([nil, .pairingTimedOut, .encryptionFailed(.pinOrKeyMissing)]))
        default:
            let level = self.choices.pick(SecurityLevel.allCases)
            let security = LinkSecurity(level: level)
            self.server.setSecurity(security, of: Self.link)
            self.script.secured(security.key)
        }
        self.takeReports()
        if self.wantsSecurity { self.script.acceptRefusal() }
        self.wantsSecurity = false
    }

    private mutating func start() {
        guard self.choices.once(in: 10) else {
            let procedure = self.procedure()
            self.open.insert(self.script.start(procedure))
            return
        }
        let handle = self.choices.once(in: 3) ? nil : self.handle()
        let make: () -> ReadValue? = { handle.map { ReadValue($0) } }
        let id = self.script.start(whenItsTurnComes: make, ClientProcedure.Output.value)
        self.open.insert(id)
        // If nothing was asked, nothing but the end of its queue is reported.
        if handle == nil { self.silent.insert(id) }
    }

    private mutating func handle() -> AttributeHandle {
        let attributes = self.server.server.database.attributes
        return self.choices.once(in: 12) ? UInt16(self.choices.below(0x41)) : self.choices.pick(attributes).handle
    }

    private mutating func length() -> Int {
        let full = self.script.bearer.mtu - self.choices.below(7)
        return self.choices.pick([full, 2 * full, 0, 511, 512, 513, self.choices.below(30), self.choices.below(30)])
    }

    private mutating func procedure() -> ClientProcedure {
        let low = max(1, self.handle())
        let high = self.choices.once(in: 2) ? 0xFFFF : max(low, self.handle())
        let characteristic = GATTRemoteCharacteristic(0xA001, .read, low - 1, low, high)
        let range = self.choices.once(in: 5) ? low...high : self.choices.pick(self.server.server.database.services)
        let handles = (0..<self.choices.below(13)).map { _ in self.handle() }
        var known = self.validated.last
        if self.choices.once(in: 3) { known = nil }
        switch self.choices.below(20) {
        case 0: return .exchangeMTU(preferred: self.choices.pick([0, 23, 24, 100, 517, 518]))
        case 1: return .discoverServices(uuids: nil)
        case 2: return .discoverServices(uuids: [0x1800, 0xA000, 0x1234])
        case 3: return .discoverIncludedServices(range)
        case 4: return .discoverCharacteristics(range)
        case 5: return .discoverDescriptors(characteristic)
        case 6...7: return .read(low)
        case 8: return .read(low, offset: self.choices.pick([-1, 1, 22, 59, 60, 61, 512, 513]))
        case 9: return .readByType(self.choices.pick(self.server.server.database.attributes).type, range)
        case 10: return .readMultiple(handles)
        case 11: return .readMultipleVariable(handles)
        case 12: return .readDeviceName
        case 13...14: return .write(low, octets(self.length()))
        case 15: return .writeReliably(handles.prefix(3).map { .init(handle: $0, value: octets(30)) })
        case 16: return .configure(.notifications, of: characteristic, at: self.choices.once(in: 2) ? nil : low + 1)
        case 17: return known.map(ClientProcedure.resumeCaching) ?? .configureCaching
        case 18: return known.map(ClientProcedure.validateAgain) ?? .readDatabaseHash
        default: return .validateDatabaseCache(known)
        }
    }

    // MARK: Between them

    private mutating func deliver() {
        self.script.advance(.milliseconds(Int64(self.choices.below(50))))
        for pdu in self.script.takeSent() {
            let opcode = ATT.opcode(of: pdu)
            if let opcode, !opcode.isCommand, opcode != .handleValueConfirmation {
                #expect(!self.isWaiting, "one request at a time")
                self.isWaiting = true
                if self.choices.once(in: 400) {
                    self.isLost = true
                    continue
                }
            }
            self.server.receive(pdu, on: Self.link)
        }
    }

    private mutating func serve() {
        while case let events = self.server.takeEvents(), !events.isEmpty {
            for event in events {
                switch event.action {
                case .send(let pdu, _):
                    let altered = self.altered(pdu)
                    // A client whose bond's key is not in use does not take the answer.
                    if self.script.client.isHeld { self.isLost = true }
                    if self.isAnswer(altered) { self.isWaiting = false }
                    self.script.receive(altered)
                case .read(let request):
                    let error = self.choices.pick([
                        ATTErrorCode.insufficientEncryption, .attributeNotLong, .unlikelyError,
                    ])
                    let result: Result<ByteBuffer, ATTErrorCode> =
                        self.choices.once(in: 5) ? .failure(error) : .success(octets(max(0, self.length())))
                    self.server.respond(to: request.id, with: result)
                case .write(let request):
                    guard let id = request.id else { continue }
                    let error: ATTErrorCode? = self.choices.once(in: 8) ? .valueNotAllowed : nil
                    self.server.respond(to: id, error: error)
                case .failed: self.isLost = true
                default: break
                }
            }
        }
    }

    private func isAnswer(_ pdu: ByteBuffer) -> Bool {
        switch ATT.opcode(of: pdu) {
        case nil, .handleValueNotification?, .handleValueIndication?, .multipleHandleValueNotification?: false
        case let opcode?: !opcode.isForServer && !self.script.client.isHeld
        }
    }

    private mutating func altered(_ pdu: ByteBuffer) -> ByteBuffer {
        guard self.choices.once(in: 10), let opcode = ATT.opcode(of: pdu) else { return pdu }
        var bytes = ByteBuffer(bytes: pdu.readableBytesView)
        switch self.choices.below(5) {
        case 0: bytes.moveWriterIndex(to: bytes.writerIndex - min(bytes.readableBytes - 1, 1 + self.choices.below(3)))
        case 1: bytes.writeInteger(UInt8(self.choices.below(256)))
        case 2: bytes.setInteger(UInt8(self.choices.below(256)), at: 1 + self.choices.below(bytes.readableBytes))
        default:
            guard opcode.rawValue & 1 == 1, opcode != .errorResponse, self.isAnswer(pdu) else { break }
            bytes = ByteBuffer(bytes: [0x01, opcode.rawValue & 0xFE])
            bytes.writeLittleEndian(self.handle())
            bytes.writeInteger(UInt8(self.choices.pick([0x01, 0x05, 0x06, 0x07, 0x0A, 0x0B, 0x0C, 0x0F, 0x12, 0x80])))
        }
        return bytes
    }
}
