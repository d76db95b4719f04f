// Permission × PDU × link: every access to a value, on every kind of link, for every requirement (Vol 3, Part C,
// 10.3.1; Vol 3, Part F, 3.2.5 and 4).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: permissions")
struct GATTServerPermissionsTests {
    /// The answer to a request: the error code, `ok`, or `no` for an access that is never permitted.
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

    /// A kind of access to a value.
    struct Way: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The steps on the most secure link.
        var before = ""
        /// The steps on the tested link.
        let step: String
        /// The answer to those who may not, with `XX` for the code of the error; `nil` for a way that all may go.
        let refusal: String?
        /// The code if the value never permits it, and nothing if that is not told; `nil` if the way begins with a
        /// permission.
        var forbidden: String?

        init(_ title: String, after before: String = "", _ step: String, _ refusal: String?, forbidden: String? = nil) {
            self.testDescription = title
            (self.before, self.step, self.refusal, self.forbidden) = (before, step, refusal, forbidden)
        }
    }

    private static let subscribed = "> 12 15 00 01 00\n< 13\n? subscribed 0014"
    private static let indicated = "> 12 18 00 02 00\n< 13\n? subscribed 0017"

    /// The application is asked for 0010, the server keeps 0012, 0014 is notified and 0017 is indicated, and everybody
    /// may read the device name, 0003. The configurations are 0015 and 0018.
    static let ways = [
        Way("Read", "> 0A 10 00", "< 01 0A 10 00 XX", forbidden: "02"),
        Way("Read of a kept value", "> 0A 12 00", "< 01 0A 12 00 XX", forbidden: "02"),
        Way("Read Blob", "> 0C 10 00 01 00", "< 01 0C 10 00 XX", forbidden: "02"),
        Way("Read Blob of a kept value", "> 0C 12 00 01 00", "< 01 0C 12 00 XX", forbidden: "02"),
        Way("Read By Type", "> 08 01 00 FF FF 01 A0", "< 01 08 10 00 XX", forbidden: "02"),
        Way("Read By Type of a kept value", "> 08 01 00 FF FF 02 A0", "< 01 08 12 00 XX", forbidden: "02"),
        Way("Read Multiple", "> 0E 03 00 10 00", "< 01 0E 10 00 XX", forbidden: "02"),
        Way("Read Multiple of a kept value", "> 0E 03 00 12 00", "< 01 0E 12 00 XX", forbidden: "02"),
        Way("Read Multiple Variable", "> 20 03 00 10 00", "< 01 20 10 00 XX", forbidden: "02"),
        Way("Read Multiple Variable of a kept value", "> 20 03 00 12 00", "< 01 20 12 00 XX", forbidden: "02"),
        // A value that may not be read is not compared, so it is not found.
        Way("Find By Type Value", "> 06 01 00 FF FF 02 A0 55 66", "< 01 06 01 00 0A", forbidden: ""),
        // Every client may read declarations and types (Vol 3, Part G, 3.1; Vol 3, Part F, 3.2.5).
        Way("Read By Group Type", "> 10 01 00 FF FF 00 28", nil, forbidden: ""),
        Way("Find Information", "> 04 10 00 12 00", nil, forbidden: ""),
        Way("Write", "> 12 10 00 01", "< 01 12 10 00 XX", forbidden: "03"),
        Way("Write Command", "> 52 10 00 01", "", forbidden: ""),
        Way(
            "Signed Write",
            "> " + hex(signedWrite(0x10, "01", counter: 7, key: GATTServerScript.signingKey)),
            "",
            forbidden: ""
        ),
        Way("Prepare Write", "> 16 10 00 00 00 01", "< 01 16 10 00 XX", forbidden: "03"),
        Way("Execute Write", after: "prepare 10 00 00 00 01", "> 18 01", "< 01 18 10 00 XX"),
        Way("Execute Write of a configuration", after: "prepare 15 00 00 00 01 00", "> 18 01", "< 01 18 15 00 XX"),
        Way("Write of a configuration", "> 12 15 00 01 00", "< 01 12 15 00 XX"),
        Way("answer to Read", after: "> 0A 10 00\n? read 0010 @0", "= 77", "< 01 0A 10 00 XX"),
        Way("answer to Read Blob", after: "> 0C 10 00 01 00\n? read 0010 @1", "= 77", "< 01 0C 10 00 XX"),
        Way("answer to Read By Type", after: "> 08 10 00 10 00 01 A0\n? read 0010 @0", "= 77", "< 01 08 10 00 XX"),
        Way("answer to Read Multiple", after: "> 0E 10 00 12 00\n? read 0010 @0", "= 77", "< 01 0E 10 00 XX"),
        Way("answer to Read Multiple Variable", after: "> 20 10 00 12 00\n? read 0010 @0", "= 77", "< 01 20 10 00 XX"),
        Way("notification", after: Self.subscribed, "notify 0014 01", "? dropped 1"),
        Way("shared notification", after: "features 04\n" + Self.subscribed, "notify 0014 01\nflush", "? dropped 1"),
        Way("indication", after: Self.indicated, "notify 0017 01", "? dropped 1"),
        Way(
            "indication that waits",
            after: Self.indicated + "\nnotify 0017 01\n< 1D 17 00 01\nnotify 0017 02",
            "> 1E",
            "? dropped 1"
        ),
    ]

    /// A script with a server whose values have a requirement; `nil` for values that permit nothing.
    private static func runner(_ requirement: SecurityRequirement?) throws -> GATTServerScript {
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
        let characteristics = [
            characteristic(0xA001, [.read, .write, .writeWithoutResponse, .authenticatedSignedWrites]),
            characteristic(0xA002, .read, value: hex("55 66")), characteristic(0xA003, .notify),
            characteristic(0xA004, .indicate),
        ]
        var server = GATTServer(configuration: GATTServerFixture.configuration)
        _ = try server.add(GATTServiceDefinition(uuid: 0xA000, characteristics: characteristics))
        var runner = try GATTServerScript()
        runner.server = ServedLinks(server)
        runner.server.open(runner.link)
        runner.server.setSigningKey(PeerSigningKey(key: GATTServerScript.signingKey, lastCounter: nil), of: runner.link)
        return runner
    }

    @Test("requires the value's security for every kind of access", arguments: Self.ways)
    func table(way: Way) throws {
        #expect(Self.cells.count == (Self.requirements.count + 1) * Self.links.count)
        for cell in Self.cells {
            let requirement = Self.requirements[cell.requirement]
            guard requirement != nil || way.forbidden != nil else { continue }
            var runner = try Self.runner(requirement)
            runner.server.setSecurity(LinkSecurity(level: .secureConnections, isAuthorized: true), of: runner.link)
            runner.run(way.before)
            runner.server.setSecurity(try #require(Self.links[cell.link]), of: runner.link)
            for line in way.step.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                if words[0] == ">" {
                    runner.receive(octets(words.dropFirst()))
                } else {
                    let isKnown = runner.perform(words[0], Array(words.dropFirst()))
                    #expect(isKnown)
                }
            }
            let found = runner.takeOutput().last ?? ""
            let comment: Comment = "\(cell.requirement) on \(cell.link)"
            if let refusal = way.refusal, cell.expected != "ok" {
                let code = cell.expected == "no" ? way.forbidden ?? "" : cell.expected
                #expect(found == refusal.replacing("XX", with: code), comment)
            } else {
                #expect(!["", "? dropped 1"].contains(found) && !found.hasPrefix("< 01"), comment)
            }
        }
    }
}
