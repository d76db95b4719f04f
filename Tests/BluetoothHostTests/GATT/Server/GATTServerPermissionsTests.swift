// Permission, PDU and link: every way to a value, on every kind of link, for every requirement
// (Vol 3, Part C, 10.3.1; Vol 3, Part F, 3.2.5 and 4).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: permissions")
struct GATTServerPermissionsTests {
    // MARK: The table

    /// What a request is answered with: the code of the error, `ok`, or the code of an access that is never permitted.
    ///
    /// The kinds of links: `plain` and `bonded` are not encrypted; `just` has an unauthenticated key of so many octets,
    /// `justSC` one of LE Secure Connections; `auth` an authenticated one; `sc` an authenticated one of LE Secure
    /// Connections. `known` is not encrypted, and the user has authorized the peer; `user` is everything at once.
    static let table = """
                        plain known bonded just7 just16 justSC auth7 auth16 sc15 sc16 user
        none            ok    ok    ok     ok    ok     ok     ok    ok     ok   ok   ok
        encrypted       05    05    0F     ok    ok     ok     ok    ok     ok   ok   ok
        encrypted16     05    05    0F     0C    ok     ok     0C    ok     0C   ok   ok
        authenticated   05    05    0F     05    05     05     ok    ok     ok   ok   ok
        authenticated16 05    05    0F     05    05     05     0C    ok     0C   ok   ok
        secure          05    05    0F     05    05     05     05    05     0C   ok   ok
        authorized      08    ok    08     08    08     08     08    08     08   08   ok
        encryptedUser   05    05    0F     08    08     08     08    08     08   08   ok
        secureUser      05    05    0F     05    05     05     05    05     0C   08   ok
        forbidden       no    no    no     no    no     no     no    no     no   no   no
        """

    static let links: [String: LinkSecurity] = [
        "plain": .none,
        "known": LinkSecurity(key: nil, isAuthorized: true),
        "bonded": LinkSecurity(key: nil, isBonded: true),
        "just7": LinkSecurity(level: .encrypted, keySize: 7),
        "just16": LinkSecurity(level: .encrypted, keySize: 16),
        "justSC": LinkSecurity(key: .init(isAuthenticated: false, isSecureConnections: true)),
        "auth7": LinkSecurity(level: .authenticated, keySize: 7),
        "auth16": LinkSecurity(level: .authenticated, keySize: 16),
        "sc15": LinkSecurity(level: .secureConnections, keySize: 15),
        "sc16": LinkSecurity(level: .secureConnections, keySize: 16),
        "user": LinkSecurity(level: .secureConnections, keySize: 16, isBonded: true, isAuthorized: true),
    ]

    static let requirements: [String: SecurityRequirement] = [
        "none": .none,
        "encrypted": .encrypted,
        "encrypted16": SecurityRequirement(level: .encrypted, minimumKeySize: 16),
        "authenticated": .authenticated,
        "authenticated16": SecurityRequirement(level: .authenticated, minimumKeySize: 16),
        "secure": .secureConnections,
        "authorized": SecurityRequirement(level: .none, needsAuthorization: true),
        "encryptedUser": SecurityRequirement(level: .encrypted, needsAuthorization: true),
        "secureUser": SecurityRequirement(level: .secureConnections, needsAuthorization: true),
    ]

    /// A cell of the table.
    struct Cell: Sendable, CustomTestStringConvertible {
        var requirement: String
        var link: String
        var expected: String
        var testDescription: String { "\(self.requirement) on \(self.link): \(self.expected)" }
    }

    static let cells: [Cell] = {
        let lines = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        return lines.dropFirst().flatMap { line in
            zip(lines[0], line.dropFirst()).map { Cell(requirement: line[0], link: $0, expected: $1) }
        }
    }()

    // MARK: The ways to a value

    /// A PDU that reaches a value, or the sending of one.
    enum Way: CaseIterable, Sendable {
        case read
        case readBlob
        case readByType
        case readMultiple
        case readMultipleVariable
        case readFixed
        case readFixedBlob
        case readFixedByType
        case readFixedMultiple
        case readFixedMultipleVariable
        case findByTypeValue
        case readByGroupType
        case findInformation
        case answerOfApplication
        case secondAnswerOfApplication
        case write
        case writeCommand
        case signedWriteCommand
        case prepareWrite
        case executeWrite
        case executeSubscription
        case subscribe
        case notify
        case notifySeveral
        case indicate
        case indicateLater
    }

    private static let link = LinkID(rawValue: 1)
    private static let signingKey = Octets16(high: 3, low: 4)

    /// What came of a way: `ok`, the code of an error, `dropped`, or `ignored`.
    private struct Trial {
        var server: ServedLinks
        var events: [ServedLinks.Event] = []
        /// A value that the application is asked for, and a fixed one.
        let dynamic: AttributeHandle
        let fixed: AttributeHandle
        let notifying: GATTServiceHandles.Characteristic
        let indicating: GATTServiceHandles.Characteristic

        init(_ requirement: SecurityRequirement?) throws {
            var server = GATTServer(configuration: GATTServerFixture.configuration)
            let permissions = AttributePermissions(read: requirement, write: requirement)
            func subscribed(
                _ uuid: BluetoothUUID,
                _ properties: CharacteristicProperties
            ) -> GATTCharacteristicDefinition {
                GATTCharacteristicDefinition(
                    uuid: uuid,
                    properties: properties,
                    permissions: [],
                    subscriptionSecurity: requirement ?? SecurityRequirement.none
                )
            }
            let handles = try server.add(
                GATTServiceDefinition(
                    uuid: 0xA000,
                    characteristics: [
                        GATTCharacteristicDefinition(
                            uuid: 0xA001,
                            properties: [.read, .write, .writeWithoutResponse, .authenticatedSignedWrites],
                            permissions: permissions
                        ),
                        GATTCharacteristicDefinition(
                            uuid: 0xA002,
                            properties: .read,
                            permissions: permissions,
                            value: hex("55 66")
                        ),
                        subscribed(0xA003, .notify),
                        subscribed(0xA004, .indicate),
                    ]
                )
            )
            self.server = ServedLinks(server)
            self.dynamic = handles.characteristics[0].value
            self.fixed = handles.characteristics[1].value
            self.notifying = handles.characteristics[2]
            self.indicating = handles.characteristics[3]
            self.server.linkOpened(GATTServerPermissionsTests.link)
            let key = PeerSigningKey(key: GATTServerPermissionsTests.signingKey, lastCounter: nil)
            self.server.setSigningKey(key, of: GATTServerPermissionsTests.link)
        }

        mutating func use(_ security: LinkSecurity) {
            self.server.setSecurity(security, of: GATTServerPermissionsTests.link)
        }

        mutating func send(_ pdu: ByteBuffer) {
            self.events = []
            let now = NIODeadline.uptimeNanoseconds(0)
            self.server.receive(pdu, on: GATTServerPermissionsTests.link, now: now, into: &self.events)
        }

        mutating func notify(_ handle: AttributeHandle) {
            self.server.notify(
                hex("01"),
                characteristic: handle,
                on: GATTServerPermissionsTests.link,
                now: .uptimeNanoseconds(0),
                into: &self.events
            )
        }

        /// The application answers what it was asked.
        mutating func answer() throws {
            let request = try #require(
                self.events.compactMap { event -> GATTReadRequest? in
                    guard case .read(let request) = event.action else { return nil }
                    return request
                }.first
            )
            self.events = []
            self.server.respond(to: request.id, with: .success(hex("77")), into: &self.events)
        }

        /// What has come of it; an error must name `handle`.
        func outcome(_ handle: AttributeHandle, _ request: ATTOpcode) throws -> String {
            for event in self.events {
                switch event.action {
                case .send(let pdu, _):
                    guard ATT.opcode(of: pdu) == .errorResponse else { return "ok" }
                    let error = try ATTErrorResponse(parsing: pdu)
                    #expect(error.handle == handle)
                    #expect(error.request == request)
                    return error.error.rawValue.hexadecimalDigits
                case .read, .write: return "ok"
                case .dropped: return "dropped"
                default: continue
                }
            }
            return "ignored"
        }
    }

    @Test(arguments: Self.cells, Way.allCases)
    func `Every way to a value asks for what the value demands`(cell: Cell, way: Way) throws {
        let security = try #require(Self.links[cell.link])
        let requirement = Self.requirements[cell.requirement]
        #expect((requirement == nil) == (cell.requirement == "forbidden"))
        let isForbidden = requirement == nil
        let isOk = cell.expected == "ok"
        func request(_ forbidden: String) -> String { isForbidden ? forbidden : cell.expected }
        func command(_ refused: String) -> String { isOk ? "ok" : refused }

        var trial = try Trial(requirement)
        let user = try #require(Self.links["user"])
        let (dynamic, fixed) = (trial.dynamic, trial.fixed)
        trial.use(security)
        switch way {
        case .read:
            trial.send(ATTReadRequest(handle: dynamic).encoded())
            #expect(try trial.outcome(dynamic, .readRequest) == request("02"))
        case .readFixed:
            trial.send(ATTReadRequest(handle: fixed).encoded())
            #expect(try trial.outcome(fixed, .readRequest) == request("02"))
        case .readBlob:
            trial.send(ATTReadBlobRequest(handle: dynamic, offset: 1).encoded())
            #expect(try trial.outcome(dynamic, .readBlobRequest) == request("02"))
        case .readFixedBlob:
            trial.send(ATTReadBlobRequest(handle: fixed, offset: 1).encoded())
            #expect(try trial.outcome(fixed, .readBlobRequest) == request("02"))
        case .readByType:
            trial.send(ATTReadByTypeRequest(start: 1, end: 0xFFFF, type: 0xA001).encoded())
            #expect(try trial.outcome(dynamic, .readByTypeRequest) == request("02"))
        case .readFixedByType:
            trial.send(ATTReadByTypeRequest(start: 1, end: 0xFFFF, type: 0xA002).encoded())
            #expect(try trial.outcome(fixed, .readByTypeRequest) == request("02"))
        case .readMultiple, .readMultipleVariable, .readFixedMultiple, .readFixedMultipleVariable:
            let isFixed = way == .readFixedMultiple || way == .readFixedMultipleVariable
            let isVariable = way == .readMultipleVariable || way == .readFixedMultipleVariable
            let handle = isFixed ? fixed : dynamic
            // The device name, which everybody may read, and the value.
            var pdu = ByteBuffer(bytes: [isVariable ? 0x20 : 0x0E, 0x03, 0x00])
            pdu.writeInteger(handle, endianness: .little)
            trial.send(pdu)
            let opcode = isVariable ? ATTOpcode.readMultipleVariableRequest : .readMultipleRequest
            #expect(try trial.outcome(handle, opcode) == request("02"))
        case .findByTypeValue:
            // A value that may not be read is not compared, and so not found.
            trial.send(ATTFindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0xA002, value: hex("55 66")).encoded())
            #expect(try trial.outcome(1, .findByTypeValueRequest) == command("0A"))
        case .readByGroupType:
            // Declarations and types are for everybody (Vol 3, Part G, 3.1; Vol 3, Part F, 3.2.5).
            trial.send(ATTReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: 0x2800).encoded())
            #expect(try trial.outcome(1, .readByGroupTypeRequest) == "ok")
        case .findInformation:
            trial.send(ATTFindInformationRequest(start: dynamic, end: fixed).encoded())
            #expect(try trial.outcome(dynamic, .findInformationRequest) == "ok")
        case .answerOfApplication:
            guard !isForbidden else { return }
            trial.use(user)
            trial.send(ATTReadRequest(handle: dynamic).encoded())
            trial.use(security)
            try trial.answer()
            #expect(try trial.outcome(dynamic, .readRequest) == cell.expected)
        case .secondAnswerOfApplication:
            guard !isForbidden else { return }
            trial.use(user)
            var pdu = ByteBuffer(bytes: [0x0E])
            pdu.writeMultipleIntegers(dynamic, fixed, endianness: .little)
            trial.send(pdu)
            trial.use(security)
            try trial.answer()
            #expect(try trial.outcome(dynamic, .readMultipleRequest) == cell.expected)
        case .write:
            trial.send(ATTWriteRequest(handle: dynamic, value: hex("01")).encoded())
            #expect(try trial.outcome(dynamic, .writeRequest) == request("03"))
        case .writeCommand:
            trial.send(ATTWriteCommand(handle: dynamic, value: hex("01")).encoded())
            #expect(try trial.outcome(dynamic, .writeCommand) == command("ignored"))
        case .signedWriteCommand:
            trial.send(signedWrite(dynamic, "01", counter: 7, key: Self.signingKey))
            #expect(try trial.outcome(dynamic, .signedWriteCommand) == command("ignored"))
        case .prepareWrite:
            trial.send(ATTPrepareWriteRequest(handle: dynamic, offset: 0, value: hex("01")).encoded())
            #expect(try trial.outcome(dynamic, .prepareWriteRequest) == request("03"))
        case .executeWrite, .executeSubscription:
            guard !isForbidden else { return }
            let handle = way == .executeWrite ? dynamic : try #require(trial.notifying.clientConfiguration)
            trial.use(user)
            trial.send(ATTPrepareWriteRequest(handle: handle, offset: 0, value: hex("01 00")).encoded())
            trial.use(security)
            trial.send(ATTExecuteWriteRequest(flags: .write).encoded())
            #expect(try trial.outcome(handle, .executeWriteRequest) == cell.expected)
        case .subscribe:
            guard !isForbidden else { return }
            let handle = try #require(trial.notifying.clientConfiguration)
            trial.send(ATTWriteRequest(handle: handle, value: hex("01 00")).encoded())
            #expect(try trial.outcome(handle, .writeRequest) == cell.expected)
        case .notify, .notifySeveral:
            guard !isForbidden else { return }
            trial.use(user)
            // Client Supported Features: several notifications in one PDU.
            if way == .notifySeveral { trial.send(hex("12 0B 00 04")) }
            let handle = try #require(trial.notifying.clientConfiguration)
            trial.send(ATTWriteRequest(handle: handle, value: hex("01 00")).encoded())
            trial.events = []
            trial.use(security)
            trial.notify(trial.notifying.value)
            trial.server.flush(into: &trial.events)
            #expect(try trial.outcome(handle, .writeRequest) == command("dropped"))
        case .indicate, .indicateLater:
            guard !isForbidden else { return }
            trial.use(user)
            let handle = try #require(trial.indicating.clientConfiguration)
            trial.send(ATTWriteRequest(handle: handle, value: hex("02 00")).encoded())
            trial.events = []
            if way == .indicateLater {
                // The second one waits for the confirmation of the first.
                trial.notify(trial.indicating.value)
                trial.notify(trial.indicating.value)
                trial.use(security)
                trial.send(hex("1E"))
                #expect(try trial.outcome(handle, .writeRequest) == command("dropped"))
            } else {
                trial.use(security)
                trial.notify(trial.indicating.value)
                #expect(try trial.outcome(handle, .writeRequest) == command("dropped"))
            }
        }
    }

    @Test func `The table has every requirement on every kind of link`() {
        #expect(Self.cells.count == (Self.requirements.count + 1) * Self.links.count)
    }

    @Test func `A host that is content with no short key asks for a longer one everywhere`() throws {
        var configuration = GATTServerFixture.configuration
        configuration.minimumKeySize = 16
        var runner = try GATTServerScript(configuration: configuration)
        runner.run(
            """
            security encrypted 15
            > 12 2C 00 01 00                      # a subscription that needs encryption
            < 01 12 2C 00 0C
            security encrypted 16
            > 12 2C 00 01 00
            < 13
            ? subscribed 002A
            notify 002A 01
            < 1B 2A 00 01
            security encrypted 15
            notify 002A 02
            ? dropped 1
            """
        )
    }
}
