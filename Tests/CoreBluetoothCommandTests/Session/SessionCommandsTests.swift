import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A command of a session")
@MainActor
struct SessionCommandsTests {
    @Test("is a command, a comment or nothing")
    func parse() throws {
        #expect(try SessionCommands.parse("") == nil)
        #expect(try SessionCommands.parse("  # read") == nil)
        for line in ["wait 0", "wait 86400", "connect --timeout 0.001", "connect --timeout 86400"] {
            #expect(try SessionCommands.parse(line) != nil, "\(line)")
        }
        let line = "WRITE FFF1 \"Hi there\" --text --without-response"
        guard case .command(let action)? = try SessionCommands.parse(line),
            let write = action as? WriteAction
        else { throw Failure("no write") }
        #expect(write.value == "Hi there" && write.form.text && write.withoutResponse)
        #expect(write.characteristic.characteristic == "FFF1")
        guard case .command(let end)? = try SessionCommands.parse("q") else { throw Failure("no end") }
        #expect(end is QuitAction)
        guard case .help(let text)? = try SessionCommands.parse("subscribe --help") else { throw Failure("no help") }
        #expect(text.contains("USAGE: subscribe <characteristic>"))
    }

    @Test(
        "says in one line what is wrong with a line",
        arguments: [
            ("rea FFF1", "there is no command \"rea\"; did you mean 'read'?"),
            ("SUBSCRIB FFF1", "there is no command \"SUBSCRIB\"; did you mean 'subscribe'?"),
            ("xyz", "there is no command \"xyz\"; help lists them"),
            ("read \"FFF1", "a quotation mark is not closed"),
            ("read", "read: Missing expected argument '<characteristic>'"),
            ("write FFF1 0", "write: \"0\" is not hexadecimal"), ("phy 3m", "phy: The value '3m' is invalid"),
            ("channel 256", "channel: \"256\" is no PSM"), ("channel 192 0", "channel: \"0\" is not hexadecimal"),
            ("wait -1", "wait: "), ("wait 86400.1", "wait: The wait in seconds must be from 0 to 86400."),
            ("parameters --latency 500", "parameters: The latency is from 0 to 499."),
            ("parameters --interval 7.49", "parameters: The interval is from 7.5 to 4000 ms."),
            ("parameters --supervision-timeout 99.9", "parameters: The supervision timeout is from 100 to 32000 ms."),
            ("connect --timeout 0", "connect: The timeout must be more than 0 and at most 86400 seconds."),
            ("connect --timeout -1", "connect: The timeout must be more than 0 and at most 86400 seconds."),
            ("connect --timeout 86400.5", "connect: The timeout must be more than 0 and at most 86400 seconds."),
        ]
    )
    func wrong(text: String, words: String) {
        let failure = #expect(throws: Failure.self) { try SessionCommands.parse(text) }
        #expect(failure?.line.hasPrefix(words) == true, "\(failure?.line ?? "")")
        #expect(failure?.line.contains("\n") == false)
    }

    // MARK: Completion and help

    private let tool: ConnectedTool

    init() throws {
        let battery = ScriptedPeripheral.Updates.every(.seconds(1)) { _ in Data([86]) }
        tool = try ConnectedTool([
            .init("2A19", properties: [.read, .notify], value: Data([87]), updates: battery),
            .init("FFF1", properties: [.read, .write], value: Data([1])),
            .init("FFF2", properties: .writeWithoutResponse),
        ])
    }

    private func candidates(_ text: String) -> [String] {
        SessionCommands.completion(of: text, on: tool.connection).candidates
    }

    private static let names = [
        "discover", "read", "write", "subscribe", "unsubscribe", "wait", "channel", "mtu", "phy", "parameters", "rssi",
        "pair", "disconnect", "connect", "help", "quit",
    ]

    @Test("completes the first word to a command, in the order of help")
    func firstWord() {
        #expect(candidates("") == Self.names && candidates("   ") == Self.names)
        #expect(candidates("w") == ["write", "wait"] && candidates("R") == ["read", "rssi"])
        #expect(candidates("quit") == ["quit"] && candidates("x").isEmpty)
    }

    @Test(
        "completes a word that begins with a hyphen to an option of the command",
        arguments: [
            ("discover -", ["--values"]), ("read --", ["--service", "--descriptor", "--as", "--hex", "--text"]),
            ("read FFF1 --h", ["--hex"]),
            ("write FFF1 01 --t", ["--text"]), ("subscribe FFF1 --c", ["--count"]), ("pair --", ["--code"]),
            ("parameters --", ["--interval", "--latency", "--supervision-timeout"]), ("connect --", ["--timeout"]),
            ("quit --", []), ("mtu --", []), ("nonsense --", []),
        ] as [(String, [String])]
    )
    func options(text: String, names: [String]) {
        #expect(candidates(text) == names)
    }

    @Test("completes its first argument alone, to names of its own or to what was discovered and fits it")
    func arguments() throws {
        #expect(candidates("help ") == Self.names && candidates("help qu") == ["quit"])
        #expect(candidates("help read ").isEmpty && candidates("phy 1m ").isEmpty && candidates("nonsense ").isEmpty)
        #expect(candidates("phy ") == ["1m", "2m", "coded"])
        for command in ["discover ", "wait ", "mtu ", "parameters ", "rssi ", "pair ", "connect ", "quit ", "read "] {
            #expect(candidates(command).isEmpty, "\(command)")
        }
        try tool.testbed.perform { [connection = tool.connection] in try await connection.discover() }
        #expect(candidates("read ") == ["\"Battery Level\"", "2A19", "FFF1"])
        #expect(candidates("write F") == ["FFF1", "FFF2"] && candidates("write FFF1 ").isEmpty)
        #expect(candidates("subscribe ") == ["\"Battery Level\"", "2A19"] && candidates("unsubscribe ").isEmpty)
        try tool.perform("subscribe 2A19")
        #expect(candidates("unsubscribe ") == ["\"Battery Level\"", "2A19"])
    }

    @Test("is listed by help with its abstract, and explained by help and its name")
    func help() throws {
        let lines = SessionCommands.all.map { command in
            let name = SessionCommands.name(command)
            return name + String(repeating: " ", count: 13 - name.count) + command.configuration.abstract
        }
        #expect(SessionCommands.all.map(SessionCommands.name) == Self.names)
        #expect(try tool.perform("help") == lines)
        #expect(try tool.perform("help read") == [SessionCommands.help(ReadAction.self)])
        #expect(throws: Failure.self) { try tool.perform("help xyz") }
    }
}
