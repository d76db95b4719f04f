// Limits of options that several commands share, from both sides, on the command line and in a session; and the names
// of adapters, places and UUIDs that each command checks before it does anything.

import CommandLineTool
import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("Shared options of corebluetooth")
struct OptionRefusalsTests {
    private static let timeout = "The timeout must be more than 0 and at most 86400 seconds."

    @Test(
        "The time for scanning and connecting is above 0, and up to a day",
        arguments: [
            "read Peer FFF1", "write Peer FFF1 00", "subscribe Peer FFF1", "pair Peer", "inspect Peer", "connect Peer",
            "clone Peer", "benchmark Peer",
        ]
    )
    func timeouts(command: String) {
        let words = command.split(separator: " ").map(String.init)
        for seconds in ["0.001", "86400"] {
            #expect(throws: Never.self) { try CoreBluetoothTool.parseAsRoot(words + ["--timeout", seconds]) }
        }
        for seconds in ["0", "-1", "86400.5"] {
            #expect {
                try CoreBluetoothTool.parseAsRoot(words + ["--timeout", seconds])
            } throws: { error in
                CoreBluetoothTool.message(for: error).contains(Self.timeout)
            }
        }
    }

    @Test("So is the time in which a session connects again; a wait may be none, and a day")
    func session() {
        for line in ["connect --timeout 0.001", "connect --timeout 86400", "wait 0", "wait 86400"] {
            #expect(throws: Never.self, "\(line)") { _ = try SessionCommands.parse(line) }
        }
        for line in ["connect --timeout 0", "connect --timeout -1", "connect --timeout 86400.5"] {
            let failure = #expect(throws: Failure.self, "\(line)") { _ = try SessionCommands.parse(line) }
            #expect(failure?.line.hasPrefix("connect: \(Self.timeout)") == true)
        }
        let wait = #expect(throws: Failure.self) { _ = try SessionCommands.parse("wait 86400.5") }
        #expect(wait?.line.hasPrefix("wait: The seconds are from 0 to 86400.") == true)
    }

    @Test(
        "What names no adapter, no place, no UUID, no layer and no PHY is refused",
        arguments: [
            "controller --adapter nonsense", "bridge --listen nowhere",
            "bridge --listen unix:/run/a --adapter nonsense", "air --listen nowhere",
            "air --listen unix:/run/a --listen nowhere", "scan --service xyz",
            "scan --service 180D --service xyz", "advertise --service xyz", "advertise --service 180D --service xyz",
            "write Peer xyz 00", "write Peer FFF1 00 --service xyz", "subscribe Peer xyz",
            "subscribe Peer FFF1 --hex --text", "capture --layer xyz", "benchmark Peer --phy 3m",
            "benchmark Peer --direction none", "scan --sort strength", "air --model fast",
        ]
    )
    func names(line: String) {
        #expect(throws: (any Error).self) {
            try CoreBluetoothTool.parseAsRoot(line.split(separator: " ").map(String.init))
        }
    }

    @Test(
        "A benchmark asks for connection parameters within the limits of a session's",
        arguments: [
            ("--interval 7.4", "The interval is from 7.5 to 4000 ms."),
            ("--interval 4000.5", "The interval is from 7.5 to 4000 ms."),
            ("--latency 500", "The latency is from 0 to 499."), ("--latency -1", "The latency is from 0 to 499."),
            ("--supervision-timeout 99", "The supervision timeout is from 100 to 32000 ms."),
            ("--supervision-timeout 32001", "The supervision timeout is from 100 to 32000 ms."),
        ]
    )
    func parameters(options: String, reason: String) {
        let words = ["benchmark", "Peer"] + options.split(separator: " ").map(String.init)
        #expect {
            try CoreBluetoothTool.parseAsRoot(words)
        } throws: { error in
            CoreBluetoothTool.message(for: error).contains(reason)
        }
    }
}
