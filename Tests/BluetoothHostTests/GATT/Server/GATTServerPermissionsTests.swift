// Permission × PDU × link: every way to a value, on every kind of link, for every requirement
// (Vol 3, Part C, 10.3.1; Vol 3, Part F, 3.2.5 and 4).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: permissions")
struct GATTServerPermissionsTests {
    /// The answer to a request: the code of the error, `ok`, or `no` for an access that is never permitted.
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
    struct Cell: Sendable {
        var requirement: String
        var link: String
        var expected: String
    }

    static let cells: [Cell] = {
        let lines = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        return lines.dropFirst().flatMap { line in
            zip(lines[0], line.dropFirst()).map { Cell(requirement: line[0], link: $0, expected: $1) }
        }
    }()

    // MARK: Ways to a value

    /// A PDU that reaches a value, or the sending of one. Fixed values are those that the server keeps.
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

    /// A server with a value that the application is asked for, a fixed one, one that is notified and one that is
    /// indicated.
    private struct Trial {
        var server: ServedLinks
        var events: [ServedLinks.Event] = []
        let dynamic: AttributeHandle
        let fixed: AttributeHandle
        let notifying: AttributeHandle
        let indicating: AttributeHandle
        /// The Client Characteristic Configurations of these two are behind the values.
        var notifyingConfiguration: AttributeHandle { self.notifying + 1 }
        var indicatingConfiguration: AttributeHandle { self.indicating + 1 }

        init(_ requirement: SecurityRequirement?) throws {
            var server = GATTServer(configuration: GATTServerFixture.configuration)
            let permissions = AttributePermissions(read: requirement, write: requirement)
            func characteristic(
                _ uuid: BluetoothUUID,
                _ properties: CharacteristicProperties,
                value: ByteBuffer? = nil
            ) -> GATTCharacteristicDefinition {
                GATTCharacteristicDefinition(
                    uuid: uuid,
                    properties: properties,
                    permissions: permissions,
                    value: value,
                    subscriptionSecurity: requirement ?? SecurityRequirement.none
                )
            }
            let handles = try server.add(
                GATTServiceDefinition(
                    uuid: 0xA000,
                    characteristics: [
                        characteristic(0xA001, [.read, .write, .writeWithoutResponse, .authenticatedSignedWrites]),
                        characteristic(0xA002, .read, value: hex("55 66")), characteristic(0xA003, .notify),
                        characteristic(0xA004, .indicate),
                    ]
                )
            ).characteristics.map(\.value)
            (self.dynamic, self.fixed, self.notifying, self.indicating) = (
                handles[0], handles[1], handles[2], handles[3]
            )
            self.server = ServedLinks(server)
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

        mutating func send(_ pdu: some ATTPDU) { self.send(pdu.encoded()) }

        mutating func notify(_ handle: AttributeHandle) {
            self.server.notify(
                hex("01"),
                characteristic: handle,
                on: GATTServerPermissionsTests.link,
                now: .uptimeNanoseconds(0),
                into: &self.events
            )
            self.server.flush(into: &self.events)
        }

        /// The application answers what it was asked.
        mutating func answer() throws {
            let requests = self.events.compactMap { event -> GATTRequestID? in
                guard case .read(let request) = event.action else { return nil }
                return request.id
            }
            self.events = []
            self.server.respond(to: try #require(requests.first), with: .success(hex("77")), into: &self.events)
        }

        /// What has come of it: `ok`, the code of an error, `dropped` or `ignored`. An error must name `handle`.
        func outcome(_ handle: AttributeHandle, _ request: ATTOpcode? = nil) throws -> String {
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

    @Test("asks of every way to a value for what the value demands", arguments: Way.allCases)
    func table(way: Way) throws {
        for cell in Self.cells { try Self.check(cell, way) }
    }

    private static func check(_ cell: Cell, _ way: Way) throws {
        let security = try #require(Self.links[cell.link])
        let requirement = Self.requirements[cell.requirement]
        let isForbidden = requirement == nil
        #expect(isForbidden == (cell.requirement == "forbidden"))
        func request(_ forbidden: String) -> String { isForbidden ? forbidden : cell.expected }
        func expect(_ outcome: String, _ expected: String) {
            #expect(outcome == expected, "\(cell.requirement) on \(cell.link) by \(way)")
        }
        func command(_ refused: String) -> String { cell.expected == "ok" ? "ok" : refused }

        var trial = try Trial(requirement)
        let user = try #require(Self.links["user"])
        let (dynamic, fixed) = (trial.dynamic, trial.fixed)
        trial.use(security)
        switch way {
        case .read, .readFixed:
            let handle = way == .read ? dynamic : fixed
            trial.send(ATTReadRequest(handle: handle))
            try expect(trial.outcome(handle, .readRequest), request("02"))
        case .readBlob, .readFixedBlob:
            let handle = way == .readBlob ? dynamic : fixed
            trial.send(ATTReadBlobRequest(handle: handle, offset: 1))
            try expect(trial.outcome(handle, .readBlobRequest), request("02"))
        case .readByType, .readFixedByType:
            trial.send(ATTReadByTypeRequest(start: 1, end: 0xFFFF, type: way == .readByType ? 0xA001 : 0xA002))
            try expect(trial.outcome(way == .readByType ? dynamic : fixed, .readByTypeRequest), request("02"))
        case .readMultiple, .readFixedMultiple:
            // The device name, which everybody may read, and the value.
            let handle = way == .readMultiple ? dynamic : fixed
            trial.send(ATTReadMultipleRequest(handles: ATTHandleList([0x0003, handle])))
            try expect(trial.outcome(handle, .readMultipleRequest), request("02"))
        case .readMultipleVariable, .readFixedMultipleVariable:
            let handle = way == .readMultipleVariable ? dynamic : fixed
            trial.send(ATTReadMultipleVariableRequest(handles: ATTHandleList([0x0003, handle])))
            try expect(trial.outcome(handle, .readMultipleVariableRequest), request("02"))
        case .findByTypeValue:
            // A value that may not be read is not compared, and so not found.
            trial.send(ATTFindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0xA002, value: hex("55 66")))
            try expect(trial.outcome(1, .findByTypeValueRequest), command("0A"))
        case .readByGroupType:
            // Declarations and types are for everybody (Vol 3, Part G, 3.1; Vol 3, Part F, 3.2.5).
            trial.send(ATTReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: 0x2800))
            try expect(trial.outcome(1, .readByGroupTypeRequest), "ok")
        case .findInformation:
            trial.send(ATTFindInformationRequest(start: dynamic, end: fixed))
            try expect(trial.outcome(dynamic, .findInformationRequest), "ok")
        case .write:
            trial.send(ATTWriteRequest(handle: dynamic, value: hex("01")))
            try expect(trial.outcome(dynamic, .writeRequest), request("03"))
        case .writeCommand:
            trial.send(ATTWriteCommand(handle: dynamic, value: hex("01")))
            try expect(trial.outcome(dynamic, .writeCommand), command("ignored"))
        case .signedWriteCommand:
            trial.send(signedWrite(dynamic, "01", counter: 7, key: Self.signingKey))
            try expect(trial.outcome(dynamic, .signedWriteCommand), command("ignored"))
        case .prepareWrite:
            trial.send(ATTPrepareWriteRequest(handle: dynamic, offset: 0, value: hex("01")))
            try expect(trial.outcome(dynamic, .prepareWriteRequest), request("03"))
        case _ where isForbidden: break
        case .subscribe:
            trial.send(ATTWriteRequest(handle: trial.notifyingConfiguration, value: hex("01 00")))
            try expect(trial.outcome(trial.notifyingConfiguration, .writeRequest), cell.expected)
        // The link was secure when the request came.
        case .answerOfApplication, .secondAnswerOfApplication:
            let isSecond = way == .secondAnswerOfApplication
            trial.use(user)
            if isSecond {
                trial.send(ATTReadMultipleRequest(handles: ATTHandleList([dynamic, fixed])))
            } else {
                trial.send(ATTReadRequest(handle: dynamic))
            }
            trial.use(security)
            try trial.answer()
            try expect(trial.outcome(dynamic, isSecond ? .readMultipleRequest : .readRequest), cell.expected)
        case .executeWrite, .executeSubscription:
            let handle = way == .executeWrite ? dynamic : trial.notifyingConfiguration
            trial.use(user)
            trial.send(ATTPrepareWriteRequest(handle: handle, offset: 0, value: hex("01 00")))
            trial.use(security)
            trial.send(ATTExecuteWriteRequest(flags: .write))
            try expect(trial.outcome(handle, .executeWriteRequest), cell.expected)
        case .notify, .notifySeveral:
            trial.use(user)
            // Client Supported Features: several notifications in one PDU.
            if way == .notifySeveral { trial.send(hex("12 0B 00 04")) }
            trial.send(ATTWriteRequest(handle: trial.notifyingConfiguration, value: hex("01 00")))
            trial.events = []
            trial.use(security)
            trial.notify(trial.notifying)
            try expect(trial.outcome(trial.notifying), command("dropped"))
        case .indicate:
            trial.use(user)
            trial.send(ATTWriteRequest(handle: trial.indicatingConfiguration, value: hex("02 00")))
            trial.events = []
            trial.use(security)
            trial.notify(trial.indicating)
            try expect(trial.outcome(trial.indicating), command("dropped"))
        case .indicateLater:
            trial.use(user)
            trial.send(ATTWriteRequest(handle: trial.indicatingConfiguration, value: hex("02 00")))
            // The second one waits for the confirmation of the first.
            trial.notify(trial.indicating)
            trial.notify(trial.indicating)
            trial.use(security)
            trial.send(hex("1E"))
            try expect(trial.outcome(trial.indicating), command("dropped"))
        }
    }

    @Test("has every requirement on every kind of link")
    func complete() {
        #expect(Self.cells.count == (Self.requirements.count + 1) * Self.links.count)
    }

    @Test("asks for a longer key everywhere if the host takes no short one")
    func keySize() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            with keySize 16
            security encrypted 15
            > 12 2C 00 01 00                      # a subscription that needs encryption
            < 01 12 2C 00 0C
            security encrypted 16
            subscribe 002A
            notify 002A 01
            < 1B 2A 00 01
            security encrypted 15
            notify 002A 02
            ? dropped 1
            """
        )
    }
}
