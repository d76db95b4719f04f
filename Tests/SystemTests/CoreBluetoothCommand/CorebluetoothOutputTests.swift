// The whole output of commands over files: adapters, bonds, capture and trace.

import BluetoothHCI
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import NIOCore
import SessionTestbed
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("The output of corebluetooth")
struct CorebluetoothOutputTests {
    // MARK: adapters

    /// Writes a folder that looks like the kernel's, with so many adapters, for a program with capabilities.
    private static func write(
        machine folder: String,
        adapters: Int,
        capabilities: String = "0000000000001000",
        maps: String = ""
    ) throws {
        func write(_ file: String, _ text: String) throws {
            let url = URL(fileURLWithPath: folder + "/" + file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: url)
        }
        for number in 0..<adapters { try write("class/bluetooth/hci\(number)/address", "b8:27:eb:01:02:0\(number)\n") }
        try write("proc/self/status", "Name:\tx\nCapPrm:\t\(capabilities)\n")
        try write("proc/self/maps", maps)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/proc/self/exe",
            withDestinationPath: "/opt/own/corebluetooth"
        )
    }

    @Test("adapters: has the lines of each adapter and of the air, the objects, and the files for good")
    func adapters() async throws {
        let folder = try TemporaryFolder()
        let none = "0000000000000000"
        try Self.write(machine: folder("empty"), adapters: 0)
        try Self.write(machine: folder("one"), adapters: 1)
        try Self.write(machine: folder("three"), adapters: 3)
        try Self.write(machine: folder("refused"), adapters: 1, capabilities: none)
        let maps = "7f01-7f02 r-xp 00000000 fe:00 13   /opt/swift/lib/libswiftCore.so\n"
        try Self.write(machine: folder("libraries"), adapters: 1, capabilities: none, maps: maps)
        let lines = [
            "empty", "one", "three", "refused", "one --program /opt/ball", "one --program ball", "libraries",
            "libraries --program /opt/ball", "three --json", "one --program /opt/ball --setup",
            "one --packaged-unit --json --setup",
        ]
        .map { line in
            let words = line.split(separator: " ").map(String.init)
            let machine = folder(words[0])
            return ["adapters", "--system-folder", machine + "/class", "--process-folder", machine + "/proc"]
                + words.dropFirst()
        }
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, lines = lines as [[String]]] in
            setenv("LD_LIBRARY_PATH", "/usr/lib:/opt/swift/lib", 1)
            try await performCorebluetooth(lines, in: path)
            exit(0)
        }
        let printed = try #require(result).printed
        try #require(printed.count == lines.count)
        let air = "air     your own air: nobody serves it now; the first program that needs it does"
        func row(_ number: Int) -> String { "hci\(number)    B8:27:EB:01:02:0\(number)  unknown  virtual" }
        func ready(_ number: Int) -> [String] { [row(number), "    ready: --adapter hci\(number)"] }
        func refused(_ program: String) -> [String] {
            [
                row(0), "    no permission for hci0; to change that, run",
                "        sudo setcap cap_net_admin,cap_net_raw+eip \(program)",
            ]
        }
        #expect(printed[0].count == 3 && printed[0][0].hasPrefix("no Linux adapter: ") && printed[0][2] == air)
        #expect(printed[1] == ready(0) + [air])
        #expect(printed[2] == ready(0) + ready(1) + ready(2) + [air])
        #expect(printed[3] == refused("/opt/own/corebluetooth") + [air])
        #expect(printed[4] == refused("/opt/ball") + [air])
        // It stands in the folder in which the command is run.
        #expect(printed[5].dropFirst(2).first?.hasSuffix(" \(folder.path)/ball") == true, "\(printed[5])")
        let own = refused("/opt/own/corebluetooth")
        #expect(Array(printed[6].prefix(3)) == own && printed[6].last == air)
        #expect(printed[6].dropFirst(3).first?.contains("LD_LIBRARY_PATH") == true && printed[6].count == 6)
        #expect(printed[7] == refused("/opt/ball") + [air])
        let objects = try printed[8].map { try corebluetoothObject($0) }
        #expect(objects.map { $0["adapter"] as? String } == ["hci0", "hci1", "hci2", "air"])
        #expect(objects.dropLast().allSatisfy { $0["ready"] as? Bool == true })
        #expect((objects.last?["socket"] as? String)?.hasSuffix("/air") == true)
        let report = refused("/opt/ball") + [air, "", "# /etc/systemd/system/ball.service", "[Unit]"]
        #expect(Array(printed[9].prefix(report.count)) == report)
        #expect(printed[9].contains("# /etc/udev/rules.d/70-ball.rules"))
        #expect(printed[10].first == "# /etc/systemd/system/corebluetooth.service")
        #expect(printed[10].contains("ExecStart=\"/opt/own/corebluetooth\" $ARGUMENTS"))
        #expect(!printed[10].contains { $0.hasPrefix("{") || $0.contains("udev") || $0.hasPrefix("air ") })
        withExtendedLifetime(folder) {}
    }

    // MARK: bonds

    private static let first = DeviceAddress(0x0011_2233_4455, kind: .public)

    private static let second = DeviceAddress(0xC011_2233_4466, kind: .random)

    private static let owners = ["C0:00:00:00:00:01", "C0:00:00:00:00:02"]

    /// Stores bonds of an owner with these peers.
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

    @Test("bonds: lists pairings below their owner, and removes one if one alone is meant")
    func bonds() async throws {
        let folder = try TemporaryFolder()
        for owner in Self.owners { try Self.keep([Self.first, Self.second], of: owner, in: folder) }
        let (one, other, peer) = (Self.owners[0], Self.owners[1], "\(Self.first)")
        let lines = [
            "list --identity alice --verbose", "", "list --identity \(one.lowercased())", "list --json",
            "remove \(peer)", "remove x --identity alice", "remove \(peer) --identity \(one)",
            "remove \(peer) --identity \(one)", "remove \(peer) --json", "list --json",
        ]
        .map { ["bonds"] + $0.split(separator: " ").map(String.init) }
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            [path = folder.path as String, lines = lines as [[String]]] in
            try await performCorebluetooth(lines, in: path)
            exit(0)
        }
        let process = try #require(result)
        let printed = process.printed
        try #require(printed.count == lines.count)
        #expect(printed[0] == ["no pairing is kept"])
        #expect(printed[1].count == 6)
        #expect(printed[2].count == 3 && printed[2].first == "\(one):")
        for (line, peer) in zip(printed[2].dropFirst().sorted(), [Self.first, Self.second]) {
            #expect(line.hasPrefix("  \(peer)  \(peer)  "), "\(line)")
            #expect(line.hasSuffix("  encrypted, paired by a code (legacy pairing), key of 7 octets"), "\(line)")
        }
        let objects = try printed[3].map { try corebluetoothObject($0) }
        #expect(objects.map { $0["ownerAddress"] as? String ?? "-" }.sorted() == [one, one, other, other])
        #expect(Set(objects.map { $0["addressKind"] as? String }) == ["public", "random"])
        #expect(printed[4].first?.hasPrefix("failed: several pairings are with \"\(peer)\": ") == true)
        #expect(printed[5] == ["failed: there is no pairing of \"alice\" with \"x\"; corebluetooth bonds lists all"])
        #expect(printed[6] == ["removed the pairing of \(one) with \(peer)"])
        #expect(printed[7].first?.hasPrefix("failed: there is no pairing of \"\(one)\" with ") == true)
        #expect(printed[8].first?.hasPrefix(#"{"event":"removed","owner":null,"ownerAddress":"\#(other)""#) == true)
        #expect(printed[9].count == 2 && printed[9].allSatisfy { $0.contains(#""address":"\#(Self.second)""#) })
        withExtendedLifetime(folder) {}
    }

    // MARK: capture and trace

    private static let packets: [[UInt8]] = [
        [0x01, 0x03, 0x0C, 0x00], [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], [0x01, 0x0A, 0x20, 0x01, 0x01],
    ]

    @Test("capture: shows the packets of a file, or those of the layers that are named")
    func capture() async throws {
        let folder = try TemporaryFolder()
        let copy = try CaptureCopy(folder("a"))
        for (index, octets) in Self.packets.enumerated() {
            let time = BTSnoop.Timestamp(microsecondsSince1970: Int64(index) * 1_500)
            let packet = HCIPacket(h4: ByteBuffer(bytes: octets))
            copy.write(BTSnoop.Record(packet: packet, direction: index == 1 ? .toHost : .toController, time: time))
        }
        let lines = [[], ["--json"], ["--layer", "GAP"], ["--layer", "gatt", "--json"]]
            .map { ["capture", "--read", "a"] + $0 }
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, lines = lines as [[String]]] in
            try await performCorebluetooth(lines, in: path)
            exit(0)
        }
        let printed = try #require(result).printed
        try #require(printed.map(\.count) == [3, 3, 1, 0])
        #expect(printed[0][0] == "   0.000000 > HCI   Reset")
        #expect(printed[0][2] == "   0.003000 > GAP   Start advertising")
        #expect(printed[1].allSatisfy { $0.hasPrefix(#"{"event":"packet","#) })
        withExtendedLifetime(folder) {}
    }

    @Test("trace: shows the entries of one file and of several in the order of their times, whole or in part")
    func trace() async throws {
        let folder = try TemporaryFolder()
        let phone = [
            TimelineEntry(.app, of: "phone", layer: "app", "looks", at: 1_000_000),
            TimelineEntry(.call, of: "phone", layer: "Core Bluetooth", "scan()", at: 1_001_500),
            TimelineEntry(.sent, of: "phone", layer: "ATT", "Read Request of 0x0003", at: 1_003_000),
        ]
        let sensor = [
            TimelineEntry(.received, of: "sensor", layer: "ATT", "Read Request of 0x0003", at: 1_003_250),
            TimelineEntry(.call, of: "sensor", layer: "Core Bluetooth", "respond()", at: 1_004_000),
        ]
        for (name, entries) in [("phone", phone), ("sensor", sensor)] {
            let lines = try entries.map { try JSONEncoder().encode($0) + Data("\n".utf8) }
            try Data(lines.joined()).write(to: URL(fileURLWithPath: folder(name + ".jsonl")))
        }
        let lines = [
            ["trace", "phone.jsonl", "sensor.jsonl"], ["trace", "sensor.jsonl", "phone.jsonl"],
            ["trace", "phone.jsonl", "sensor.jsonl", "--from", "scan", "--to", "Read"],
        ]
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, lines = lines as [[String]]] in
            try await performCorebluetooth(lines, in: path)
            exit(0)
        }
        let all = [
            "    0.00 ms  phone   app: looks", "    1.50 ms  phone     scan()",
            "    3.00 ms  phone       → ATT Read Request of 0x0003",
            "    3.25 ms  sensor      ← ATT Read Request of 0x0003", "    4.00 ms  sensor    respond()",
        ]
        let part = ["    0.00 ms  phone    scan()", "    1.50 ms  phone      → ATT Read Request of 0x0003"]
        #expect(try #require(result).printed == [all, all, part])
        withExtendedLifetime(folder) {}
    }
}
