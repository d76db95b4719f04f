// The whole output of commands over files: adapters, bonds and capture.

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
        try Self.write(machine: folder("three"), adapters: 3)
        try Self.write(machine: folder("refused"), adapters: 1, capabilities: none)
        let maps = "7f01-7f02 r-xp 00000000 fe:00 13   /opt/swift/lib/libswiftCore.so\n"
        try Self.write(machine: folder("libraries"), adapters: 1, capabilities: none, maps: maps)
        let lines = [
            "three", "refused", "three --program ball", "libraries", "libraries --program /opt/ball", "three --json",
            "refused --program /opt/ball --setup", "three --packaged-unit --json --setup",
        ]
        .map { line in
            let words = line.split(separator: " ").map(String.init)
            let machine = folder(words[0])
            return ["adapters", "--system-folder", machine + "/class", "--process-folder", machine + "/proc"]
                + words.dropFirst()
        }
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            [path = folder.path as String, lines = lines as [[String]]] in
            setenv("LD_LIBRARY_PATH", "/usr/lib:/opt/swift/lib", 1)
            try await performCorebluetooth(lines, in: path)
            exit(0)
        }
        let printed = process.printed
        try #require(printed.count == lines.count)
        let air = "air     your own air: nobody serves it now; the first program that needs it does"
        func row(_ number: Int) -> String { "hci\(number)    B8:27:EB:01:02:0\(number)  unknown  virtual" }
        func refused(_ program: String) -> [String] {
            [
                row(0), "    no permission for hci0; to change that, run",
                "        sudo setcap cap_net_admin,cap_net_raw+eip \(program)",
            ]
        }
        let own = refused("/opt/own/corebluetooth")
        #expect(printed[0] == (0..<3).flatMap { [row($0), "    ready: --adapter hci\($0)"] } + [air])
        #expect(printed[1] == own + [air])
        // It stands in the folder in which the command is run.
        #expect(printed[2].contains { $0.hasSuffix(" \(folder.path)/ball") }, "\(printed[2])")
        #expect(Array(printed[3].prefix(3)) == own && printed[3].count == 6 && printed[3].last == air)
        #expect(printed[3][3].contains("LD_LIBRARY_PATH"))
        #expect(printed[4] == refused("/opt/ball") + [air])
        let objects = try printed[5].map { try corebluetoothObject($0) }
        #expect(objects.map { $0["adapter"] as? String } == ["hci0", "hci1", "hci2", "air"])
        #expect((objects.last?["socket"] as? String)?.hasSuffix("/air") == true)
        let report = refused("/opt/ball") + [air, "", "# /etc/systemd/system/ball.service", "[Unit]"]
        #expect(Array(printed[6].prefix(report.count)) == report)
        #expect(printed[7].first == "# /etc/systemd/system/corebluetooth.service")
        #expect(printed[7].contains("ExecStart=\"/opt/own/corebluetooth\" $ARGUMENTS"))
        #expect(!printed[7].contains { $0.hasPrefix("{") || $0.contains("udev") || $0.hasPrefix("air ") })
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
            "", "list --identity \(one.lowercased())", "remove \(peer)", "remove \(peer) --identity \(one)",
            "remove \(peer) --json", "list --json", "list --identity alice",
        ]
        .map { ["bonds"] + $0.split(separator: " ").map(String.init) }
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            [path = folder.path as String, lines = lines as [[String]]] in
            try await performCorebluetooth(lines, in: path)
            exit(0)
        }
        let printed = process.printed
        try #require(printed.count == lines.count)
        #expect(printed[0].count == 6 && printed[1].count == 3 && printed[1].first == "\(one):")
        let words = "  encrypted, paired by a code (legacy pairing), key of 7 octets"
        #expect(printed[1].dropFirst().allSatisfy { $0.hasSuffix(words) })
        #expect(printed[2].first?.hasPrefix("failed: several pairings are with \"\(peer)\": ") == true)
        #expect(printed[3] == ["removed the pairing of \(one) with \(peer)"])
        #expect(printed[4].first?.hasPrefix(#"{"event":"removed","owner":null,"ownerAddress":"\#(other)""#) == true)
        #expect(printed[5].count == 2 && printed[5].allSatisfy { $0.contains(#""address":"\#(Self.second)""#) })
        #expect(printed[6] == ["no pairing is kept"])
        withExtendedLifetime(folder) {}
    }

    // MARK: capture

    @Test("capture: shows the packets of a file, or those of the layers that are named")
    func capture() async throws {
        let folder = try TemporaryFolder()
        let copy = try CaptureCopy(folder("a"))
        for octets in [[0x01, 0x03, 0x0C, 0x00], [0x01, 0x0A, 0x20, 0x01, 0x01]] as [[UInt8]] {
            let packet = HCIPacket(h4: ByteBuffer(bytes: octets))
            let time = BTSnoop.Timestamp(microsecondsSince1970: 0)
            copy.write(BTSnoop.Record(packet: packet, direction: .toController, time: time))
        }
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            [path = folder.path as String] in
            let lines = [[], ["--json"], ["--layer", "GAP"]].map { ["capture", "--read", "a"] + $0 }
            try await performCorebluetooth(lines, in: path)
            exit(0)
        }
        let printed = process.printed
        try #require(printed.map(\.count) == [2, 2, 1])
        #expect(printed[0] == ["   0.000000 > HCI   Reset"] + printed[2])
        #expect(printed[1].allSatisfy { $0.hasPrefix(#"{"event":"packet","#) })
        withExtendedLifetime(folder) {}
    }
}
