// What the Tab key offers in a session where nothing was discovered: commands, their options, and words of their own.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The completion of commands of a session")
@MainActor
struct SessionCompletionTests {
    private static let commands = [
        "discover", "read", "write", "subscribe", "unsubscribe", "wait", "mtu", "phy", "parameters", "rssi", "pair",
        "connect", "help", "quit",
    ]
    private let testbed: ToolTestbed
    private let connection: DeviceConnection

    init() throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        testbed = try ToolTestbed(world)
        connection = try testbed.connect("Thermo")
    }

    private func candidates(_ text: String) -> [String] {
        SessionCommands.completion(of: text, on: connection).candidates
    }

    @Test("The first word is a command, in the order in which help lists them")
    func firstWord() {
        #expect(candidates("") == Self.commands)
        #expect(candidates("   ") == Self.commands)
        #expect(candidates("w") == ["write", "wait"])
        #expect(candidates("R") == ["read", "rssi"])
        #expect(candidates("quit") == ["quit"])
        #expect(candidates("x").isEmpty)
    }

    @Test(
        "A word that begins with a hyphen is an option of the command, wherever it stands",
        arguments: [
            ("discover -", ["--values"]), ("read --", ["--service", "--hex", "--text"]), ("read FFF1 --h", ["--hex"]),
            ("write FFF1 01 --t", ["--text"]), ("subscribe FFF1 --c", ["--count"]), ("pair --", ["--code"]),
            ("parameters --", ["--interval", "--latency", "--supervision-timeout"]), ("connect --", ["--timeout"]),
            ("quit --", []), ("mtu --", []), ("nonsense --", []),
        ] as [(String, [String])]
    )
    func options(text: String, names: [String]) {
        #expect(candidates(text) == names)
    }

    @Test("Words that a command has of its own are offered for its first argument alone")
    func ownWords() {
        #expect(candidates("help ") == Self.commands)
        #expect(candidates("help qu") == ["quit"])
        #expect(candidates("help read ").isEmpty)
        #expect(candidates("phy c") == ["coded"])
        #expect(candidates("phy 1m ").isEmpty)
        for command in ["discover ", "wait ", "mtu ", "parameters ", "rssi ", "pair ", "connect ", "quit "] {
            #expect(candidates(command).isEmpty, "\(command)")
        }
    }
}
