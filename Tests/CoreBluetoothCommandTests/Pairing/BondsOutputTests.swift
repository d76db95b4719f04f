// What `corebluetooth bonds` prints of no pairing, of one and of several, whose pairings are listed, and which one is
// removed.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("The output of corebluetooth bonds")
struct BondsOutputTests {
    private static let identifier = "0B1F9A6C-8A3C-4B1F-8E54-0D0B3BF1A001"
    private static let aliceAddress = "C1:02:03:04:05:0A"

    /// A pairing without dates: these are shown in the time of the machine.
    private static func bond(
        of owner: String?,
        _ ownerAddress: String = BondsOutputTests.aliceAddress,
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

    private static func printed(isJSON: Bool, _ body: (OutputFormat) -> Void) -> [String] {
        let printed = Watched<[String]>([])
        body(OutputFormat(isJSON: isJSON, isVerbose: false) { line in printed.update { $0.append(line) } })
        for (number, line) in printed.value.enumerated() { RunRecord.note("\(number) \(line)") }
        return printed.value
    }

    @Test("Each owner stands above its pairings; each pairing has the peer, its identifier and address, and the key")
    func lines() throws {
        let all = try Self.all()
        let lines = Self.printed(isJSON: false) { BondsCommand.List.show(all, $0) }
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
        let one = Self.printed(isJSON: false) { BondsCommand.List.show(Array(all.prefix(1)), $0) }
        #expect(one == Array(lines.prefix(2)))
        #expect(Self.printed(isJSON: false) { BondsCommand.List.show([], $0) } == [])
    }

    @Test("In JSON each pairing is an object, without headings; none is nothing")
    func objects() throws {
        let all = try Self.all()
        let lines = Self.printed(isJSON: true) { BondsCommand.List.show(all, $0) }
        #expect(lines.count == all.count)
        let first =
            #"{"event":"bond","owner":"alice","ownerAddress":"C1:02:03:04:05:0A","name":"Thermo","#
            + #""identifier":"\#(Self.identifier)","address":"00:1B:DC:0F:AA:01","addressKind":"public","#
            + #""security":"encrypted","secureConnections":true,"keySize":16,"paired":null,"lastUsed":null}"#
        #expect(lines.first == first)
        #expect(lines.allSatisfy { $0.hasPrefix(#"{"event":"bond","owner":"#) })
        #expect(Self.printed(isJSON: true) { BondsCommand.List.show([], $0) } == [])
    }

    @Test("The pairings of an identity, or of an adapter by its address in capitals or not, are listed alone")
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

    @Test("One that a person means alone is removed; none and several are said, with the way to name one")
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
        let removed = Self.printed(isJSON: false) { output in
            for bond in all { BondsCommand.Remove.show(removed: bond, output) }
        }
        #expect(removed.count == all.count)
        #expect(removed.first == "removed the pairing of alice with \"Thermo\"")
        #expect(removed.last == "removed the pairing of C1:02:03:04:05:0C with 00:1B:DC:0F:AA:04")
        let objects = Self.printed(isJSON: true) { BondsCommand.Remove.show(removed: all[0], $0) }
        #expect(objects.count == 1 && objects[0].hasPrefix(#"{"event":"removed","owner":"alice","#))
    }

    @Test("Who has paired with nobody has nothing to list, and nothing to remove")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String] in
            setenv("XDG_STATE_HOME", path, 1)
            try BondsCommand.List.parse([]).run()
            try BondsCommand.List.parse(["--json", "--identity", "alice"]).run()
            do {
                try BondsCommand.Remove.parse(["Thermo"]).run()
            } catch {
                Console.print((error as? Failure)?.line ?? "another error")
            }
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["there is no pairing with \"Thermo\"; corebluetooth bonds lists all"])
        withExtendedLifetime(folder) {}
    }
}
