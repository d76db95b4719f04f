// `corebluetooth bonds` as it ships, over a folder of state: which pairings are listed, in which words, and which one
// is removed.

import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("The command corebluetooth bonds", .timeLimit(.minutes(2)))
struct BondsCommandTests {
    private static let first = DeviceAddress(0x0011_2233_4455, kind: .public)
    private static let second = DeviceAddress(0xC011_2233_4466, kind: .random)
    private static let owners = ["C0:00:00:00:00:01", "C0:00:00:00:00:02"]

    /// Keeps bonds of an owner with these peers.
    private static func keep(_ peers: [DeviceAddress], of owner: String, in folder: TemporaryFolder) throws {
        let state = try PrivateFolder.state(environment: { $0 == "XDG_STATE_HOME" ? folder.path : nil }).path
        let writer = StateWriter(try FolderStorage(folder: "\(state)/\(owner)"))
        let store = BondStore()
        store.now = { Date(timeIntervalSince1970: 1_000_000) }
        store.writer = writer
        let key = LongTermKey(value: Octets16(high: 1, low: 2), encryptedDiversifier: 3, random: 4)
        for peer in peers {
            store.store(
                Bond(
                    peerAddress: peer,
                    keySize: 7,
                    isAuthenticated: true,
                    isSecureConnections: false,
                    local: PairingKeys(longTermKey: key),
                    peer: PairingKeys(longTermKey: key)
                )
            )
        }
        writer.flush()
    }

    private static func perform(_ folder: String, _ lines: [String]) throws {
        setenv("XDG_STATE_HOME", folder, 1)
        for line in lines {
            do {
                var command = try BondsCommand.parseAsRoot(line.split(separator: " ").map(String.init))
                try command.run()
            } catch let failure as Failure {
                Console.print("failed: \(failure.line)")
            }
            Console.print("-")
        }
    }

    /// What each of the command lines prints, and what all of them log.
    private func run(
        _ lines: [String],
        in folder: TemporaryFolder
    ) async throws -> (printed: [[String]], log: [String]) {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [path = folder.path as String, lines = lines as [String]] in
            try BondsCommandTests.perform(path, lines)
            exit(0)
        }
        let process = try #require(result)
        let parts = process.lines.split(separator: "-", omittingEmptySubsequences: false).map { Array($0) }
        return (Array(parts.dropLast()), process.errorLines)
    }

    @Test("Where there are none, that is said to who wants to know what happens, and nothing is printed")
    func none() async throws {
        let folder = try TemporaryFolder()
        let quiet = try await run(["", "list", "list --json"], in: folder)
        #expect(quiet.printed == [[], [], []])
        #expect(!quiet.log.contains { $0.contains("no pairing is kept") })
        let verbose = try await run(["list --verbose"], in: folder)
        #expect(verbose.printed == [[]])
        #expect(verbose.log.count { $0.contains("no pairing is kept") } == 1, "\(verbose.log)")
    }

    @Test("Each pairing is a line below its owner, or an object; an owner is named by the address, in capitals or not")
    func list() async throws {
        let folder = try TemporaryFolder()
        for owner in Self.owners { try Self.keep([Self.first, Self.second], of: owner, in: folder) }
        let one = ["list --identity \(Self.owners[0])", "--identity c0:00:00:00:00:01", "list --identity alice"]
        let (printed, log) = try await run(["list --verbose"] + one + ["list --json"], in: folder)
        #expect(!log.contains { $0.contains("no pairing is kept") })
        try #require(printed.count == 5)
        #expect(printed[0].count == 6)
        #expect(printed[1].first == "C0:00:00:00:00:01:")
        #expect(printed[2] == printed[1])
        #expect(printed[3].isEmpty)
        let lines = printed[1].dropFirst().sorted()
        try #require(lines.count == 2)
        for (line, peer) in zip(lines, [Self.first, Self.second]) {
            #expect(line.hasPrefix("  \(peer)  \(peer)  "), "\(line)")
            #expect(line.hasSuffix("  encrypted, paired by a code (legacy pairing), key of 7 octets"), "\(line)")
        }
        let objects = try printed[4].map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
        #expect(objects.count == 4)
        #expect(objects.allSatisfy { $0["event"] as? String == "bond" })
        #expect(objects.map { $0["ownerAddress"] as? String ?? "-" }.sorted() == Self.owners.flatMap { [$0, $0] })
        let kinds = objects.map { object -> String in
            let parts = ["address", "addressKind"].map { object[$0] as? String ?? "-" }
            return parts.joined(separator: " ")
        }
        .sorted()
        let words = ["\(Self.first) public", "\(Self.second) random"]
        #expect(kinds == words.flatMap { [$0, $0] })
    }

    @Test("One pairing is removed, where one alone is meant")
    func remove() async throws {
        let folder = try TemporaryFolder()
        for owner in Self.owners { try Self.keep([Self.first, Self.second], of: owner, in: folder) }
        let (one, other) = (Self.owners[0], Self.owners[1])
        let (printed, _) = try await run(
            [
                "remove 00:11:22:33:44:55", "remove x", "remove x --identity alice",
                "remove 00:11:22:33:44:55 --identity \(one)", "remove 00:11:22:33:44:55 --identity \(one)",
                "remove 00:11:22:33:44:55 --json", "list --identity \(one) --json", "list --identity \(other) --json",
            ],
            in: folder
        )
        try #require(printed.count == 8)
        let several = printed[0].first ?? ""
        #expect(several.hasPrefix("failed: several pairings are with \"00:11:22:33:44:55\": "), "\(several)")
        for owner in Self.owners { #expect(several.contains("00:11:22:33:44:55 of \(owner)"), "\(several)") }
        #expect(printed[1] == ["failed: there is no pairing with \"x\"; corebluetooth bonds lists all"])
        #expect(printed[2] == ["failed: there is no pairing of \"alice\" with \"x\"; corebluetooth bonds lists all"])
        #expect(printed[3] == ["removed the pairing of \(one) with 00:11:22:33:44:55"])
        #expect(printed[4].first?.hasPrefix("failed: there is no pairing of \"\(one)\" with ") == true)
        #expect(printed[5].first?.hasPrefix(#"{"event":"removed","owner":null,"ownerAddress":"\#(other)""#) == true)
        for lines in printed[6...7] {
            #expect(lines.count == 1)
            #expect(lines.first?.contains(#""address":"\#(Self.second)""#) == true)
        }
    }
}
