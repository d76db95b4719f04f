// The command over a folder of state is tested in the system layer.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("Pairings in corebluetooth bonds")
struct BondsCommandTests {
    private static let identifier = "0B1F9A6C-8A3C-4B1F-8E54-0D0B3BF1A001"

    private static let aliceAddress = "C1:02:03:04:05:0A"

    /// A pairing without dates: these are shown in the time of the machine.
    private static func bond(
        of owner: String?,
        _ ownerAddress: String = aliceAddress,
        with peer: String,
        name: String?,
        isIdentified: Bool = true,
        isAuthenticated: Bool = false,
        isSecureConnections: Bool = true,
        size: Int = 16
    ) throws -> StoredBond {
        StoredBond(
            owner: try #require(DeviceAddress(ownerAddress, kind: .random)),
            ownerName: owner,
            peer: try #require(DeviceAddress(peer, kind: .public)),
            identifier: isIdentified ? UUID(uuidString: identifier) : nil,
            name: name,
            key: LinkSecurity.Key(
                isAuthenticated: isAuthenticated,
                isSecureConnections: isSecureConnections,
                size: size
            ),
            paired: nil,
            lastUsed: nil,
            folder: "/nowhere"
        )
    }

    private static func all() throws -> [StoredBond] {
        [
            try bond(of: "alice", with: "00:1B:DC:0F:AA:01", name: "Thermo"),
            try bond(of: "alice", with: "00:1B:DC:0F:AA:02", name: nil, isAuthenticated: true),
            try bond(
                of: "bob",
                "C1:02:03:04:05:0B",
                with: "00:1B:DC:0F:AA:01",
                name: "Thermo",
                isAuthenticated: true,
                isSecureConnections: false,
                size: 7
            ),
            try bond(of: nil, "C1:02:03:04:05:0C", with: "00:1B:DC:0F:AA:03", name: "Wärme\u{1B}", isIdentified: false),
            try bond(of: nil, "C1:02:03:04:05:0C", with: "00:1B:DC:0F:AA:04", name: nil, isIdentified: false),
        ]
    }

    @Test("stand below their owner, with the peer, its identifier and address, and the key")
    func lines() throws {
        let all = try Self.all()
        let lines = linesPrinted { BondsCommand.List.show(all, $0) }
        let name = PrintableText.quoted("Wärme\u{1B}")
        #expect(
            lines == [
                "alice:",
                "  \"Thermo\"  \(Self.identifier)  00:1B:DC:0F:AA:01  encrypted, paired without a code",
                "  \(Self.identifier)  00:1B:DC:0F:AA:02  encrypted, paired by a code", "bob:",
                "  \"Thermo\"  \(Self.identifier)  00:1B:DC:0F:AA:01  encrypted, paired by a code (legacy pairing), "
                    + "key of 7 octets",
                "C1:02:03:04:05:0C:", "  \(name)  00:1B:DC:0F:AA:03  encrypted, paired without a code",
                "  00:1B:DC:0F:AA:04  00:1B:DC:0F:AA:04  encrypted, paired without a code",
            ]
        )
        let one = linesPrinted { BondsCommand.List.show(Array(all.prefix(1)), $0) }
        #expect(one == Array(lines.prefix(2)))
        #expect(linesPrinted { BondsCommand.List.show([], $0) } == ["no pairing is kept"])
    }

    @Test("are objects in JSON, without headings")
    func objects() throws {
        let all = try Self.all()
        let lines = linesPrinted(isJSON: true) { BondsCommand.List.show(all, $0) }
        #expect(lines.count == all.count)
        let first =
            #"{"event":"bond","owner":"alice","ownerAddress":"C1:02:03:04:05:0A","name":"Thermo","#
            + #""identifier":"\#(Self.identifier)","address":"00:1B:DC:0F:AA:01","addressKind":"public","#
            + #""security":"encrypted","secureConnections":true,"keySize":16,"paired":null,"lastUsed":null}"#
        #expect(lines.first == first)
        #expect(lines.allSatisfy { $0.hasPrefix(#"{"event":"bond","owner":"#) })
        #expect(linesPrinted(isJSON: true) { BondsCommand.List.show([], $0) } == [])
    }

    @Test("have their keys if they are asked for, the most significant octet first, and else none")
    func keys() throws {
        func octets(_ octet: UInt8) throws -> Octets16 {
            try #require(Octets16(mostSignificantFirst: [octet] + [UInt8](repeating: 0, count: 14) + [1]))
        }
        func digits(_ octet: String) -> String { "0x\(octet)\(String(repeating: "00", count: 14))01" }
        var bond = try Self.all()[0]
        let (own, other) = (bond.owner, bond.peer)
        var keys = Bond(
            peerAddress: other,
            keySize: 16,
            isAuthenticated: false,
            isSecureConnections: true,
            local: PairingKeys(
                longTermKey: LongTermKey(value: try octets(0xA1)),
                identity: IdentityInformation(identityResolvingKey: try octets(0xB1), address: own)
            ),
            peer: PairingKeys(
                longTermKey: LongTermKey(value: try octets(0xA1)),
                identity: IdentityInformation(identityResolvingKey: .zero, address: other),
                signing: SigningKey(connectionSignatureResolvingKey: try octets(0xC2))
            )
        )
        bond.keys = keys
        let secure = [
            "LTK   \(digits("A1"))  both ways", "IRK   \(digits("B1"))  of \(own)",
            "CSRK  \(digits("C2"))  of \(other)",
        ]
        let lines = linesPrinted { BondsCommand.List.show([bond], $0, showsKeys: true) }
        #expect(lines.last?.split(separator: "\n").dropFirst().map { $0.dropFirst(4) } == secure.map { $0[...] })
        #expect(linesPrinted { BondsCommand.List.show([bond], $0) }.last?.contains("0x") == false)
        keys.isSecureConnections = false
        keys.local.longTermKey = LongTermKey(value: try octets(0xA2), encryptedDiversifier: 0x1234, random: 0x56)
        bond.keys = keys
        #expect(
            bond.keyLines.prefix(2) == [
                "LTK   \(digits("A2"))  if \(own) is the peripheral, EDIV 0x1234, Rand 0x0000000000000056",
                "LTK   \(digits("A1"))  if \(other) is the peripheral, EDIV 0x0000, Rand 0x0000000000000000",
            ]
        )
        let object = try jsonObject(
            linesPrinted(isJSON: true) { BondsCommand.List.show([bond], $0, showsKeys: true) }.first
        )
        let (ownKeys, peerKeys) = (object["ownKeys"] as? [String: Any], object["peerKeys"] as? [String: Any])
        #expect(ownKeys?["ltk"] as? String == digits("A2") && ownKeys?["ediv"] as? Int == 0x1234)
        #expect(ownKeys?["rand"] as? String == "0x0000000000000056" && peerKeys?["csrk"] as? String == digits("C2"))
        #expect((try? BondsCommand.List.parse(["--show-keys", "--adapter", "bluez"])) == nil)
    }

    @Test("of an identity, or of an adapter by its address, are listed alone")
    func owners() throws {
        let all = try Self.all()
        let cases: [(name: String?, peers: [String])] = [
            (nil, ["01", "02", "01", "03", "04"]), ("alice", ["01", "02"]), ("bob", ["01"]), ("Alice", []),
            ("C1:02:03:04:05:0A", ["01", "02"]), ("c1:02:03:04:05:0c", ["03", "04"]), ("C1:02:03:04:05:0D", []),
        ]
        for (name, peers) in cases {
            let options = try BondOwnerOptions.parse(name.map { ["--identity", $0] } ?? [])
            let found = options.owned(all).map { String($0.peer.description.suffix(2)) }
            #expect(found == peers, "\(name ?? "-")")
        }
    }

    @Test("are removed if one alone is meant; none and several are named with the way to name one")
    func removal() throws {
        let all = try Self.all()
        func bond(_ arguments: [String], among bonds: [StoredBond]) throws -> String {
            let bond = try BondsCommand.Remove.parse(arguments).bond(among: bonds)
            return "\(bond.peer) of \(bond.ownerText)"
        }
        #expect(try bond(["Thermo"], among: Array(all.prefix(2))) == "00:1B:DC:0F:AA:01 of alice")
        #expect(try bond(["00:1b:dc:0f:aa:04"], among: all) == "00:1B:DC:0F:AA:04 of C1:02:03:04:05:0C")
        let cases: [(arguments: [String], line: String)] = [
            (["Nobody"], "there is no pairing with \"Nobody\"; corebluetooth bonds lists all"),
            (
                ["Nobody", "--identity", "bob"],
                "there is no pairing of \"bob\" with \"Nobody\"; corebluetooth bonds lists all"
            ),
            (
                ["thermo"],
                "several pairings are with \"thermo\": 00:1B:DC:0F:AA:01 of alice, 00:1B:DC:0F:AA:01 of bob; "
                    + "name one by --identity or by its address"
            ),
        ]
        for (arguments, line) in cases {
            let failure = #expect(throws: Failure.self) { _ = try bond(arguments, among: all) }
            #expect(failure?.line == line)
            let none = #expect(throws: Failure.self) { _ = try bond(arguments, among: []) }
            #expect(none?.line.hasPrefix("there is no pairing") == true)
        }
        let removed = linesPrinted { output in
            for bond in all { BondsCommand.Remove.show(removed: bond, output) }
        }
        #expect(removed.count == all.count)
        #expect(removed.first == "removed the pairing of alice with \"Thermo\"")
        #expect(removed.last == "removed the pairing of C1:02:03:04:05:0C with 00:1B:DC:0F:AA:04")
        let objects = linesPrinted(isJSON: true) { BondsCommand.Remove.show(removed: all[0], $0) }
        #expect(objects.count == 1 && objects[0].hasPrefix(#"{"event":"removed","owner":"alice","#))
    }

    // MARK: One pairing

    private static func dated(name: String?, isIdentified: Bool = true) throws -> StoredBond {
        var bond = try bond(of: "alice", with: "00:1B:DC:0F:AA:0B", name: name, isIdentified: isIdentified)
        bond.paired = Date(timeIntervalSince1970: 1_790_000_000)
        return bond
    }

    @Test(
        "are meant by the address, the identifier or the name, in capitals or not",
        arguments: [
            ("00:1B:DC:0F:AA:0B", true, true), ("00:1b:dc:0f:aa:0b", true, true), ("00:1B:DC:0F:AA:0C", false, false),
            (identifier, true, false), (identifier.lowercased(), true, false),
            (String(identifier.prefix(8)), true, false),
            ("Thermo", true, true), ("thermo", true, true), ("Other", false, false),
        ]
    )
    func query(text: String, isMeant: Bool, isMeantWithoutIdentifier: Bool) throws {
        let query = DeviceQuery(text)
        #expect(try Self.dated(name: "Thermo").matches(query) == isMeant)
        #expect(try Self.dated(name: "Thermo", isIdentified: false).matches(query) == isMeantWithoutIdentifier)
    }

    @Test("have their dates to the minute, if they are known")
    func dates() throws {
        var bond = try Self.dated(name: "Thermo")
        let once = bond.datesText
        #expect(once.wholeMatch(of: #/  \d{4}-\d\d-\d\d \d\d:\d\d/#) != nil, "\(once)")
        bond.lastUsed = bond.paired
        #expect(bond.datesText == once + ", used " + String(once.dropFirst(2)))
        bond.paired = nil
        #expect(bond.datesText.isEmpty)
        bond.lastUsed = nil
        #expect(bond.datesText.isEmpty)
    }

    @Test("are called by the name, or else the identifier, or else the address")
    func texts() throws {
        #expect(try Self.dated(name: "Thermo").peerText == "\"Thermo\"")
        #expect(try Self.dated(name: nil).peerText == Self.identifier)
        #expect(try Self.dated(name: nil, isIdentified: false).peerText == "00:1B:DC:0F:AA:0B")
        let details = try Self.dated(name: nil).details
        #expect(details.first { $0.key == "paired" }?.value.text == #""2026-09-21T14:13:20Z""#)
        #expect(details.first { $0.key == "lastUsed" }?.value.text == "null")
    }
}
