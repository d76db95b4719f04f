// The lines of a session: words, completion, and the commands that they ask for.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import Fixtures
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("A line of a session")
struct SessionLineTests {
    @Test(
        "Words are separated by spaces, but in quotation marks and behind a backslash",
        arguments: [
            ("", []), ("   ", []), ("read  FFF1 ", ["read", "FFF1"]),
            ("read \"Battery Level\"", ["read", "Battery Level"]),
            ("a'b c'd", ["ab cd"]), ("a\\ b \\\"", ["a b", "\""]), ("write FFF1 \"\"", ["write", "FFF1", ""]),
            ("\"it's\"", ["it's"]), ("\"a\\\"b\"", ["a\"b"]),
        ] as [(String, [String])]
    )
    func words(text: String, words: [String]) {
        #expect(SessionLine(text).words == words)
        #expect(!SessionLine(text).isOpen)
    }

    @Test("A quotation mark that is not closed is noticed, and a word can be typed as it is written")
    func quotation() {
        #expect(SessionLine("read \"Battery").isOpen)
        #expect(SessionLine("read 'Battery").words == ["read", "Battery"])
        for word in ["a b", "\"", "\\", "", "plain", "it's"] {
            #expect(SessionLine(SessionLine.quoted(word)).words == [word], "\(word)")
        }
        #expect(SessionLine.quoted("FFF1") == "FFF1")
    }

    @Test("What completes the word at the end begins as it does, in any case, and is quoted where it has to be")
    func completion() {
        func completion(_ text: String) -> LineCompletion {
            SessionLine(text).completion { before, _ in
                before == ["read"] ? ["Battery Level", "2A19", "Bottom", "2A19"] : ["read", "rssi"]
            }
        }
        #expect(completion("R") == LineCompletion(replacedCount: 1, candidates: ["read", "rssi"]))
        #expect(completion("read ba") == LineCompletion(replacedCount: 2, candidates: ["\"Battery Level\""]))
        #expect(completion("read \"Ba") == LineCompletion(replacedCount: 3, candidates: ["\"Battery Level\""]))
        let all = ["\"Battery Level\"", "2A19", "Bottom"]
        #expect(completion("read ") == LineCompletion(replacedCount: 0, candidates: all))
        #expect(completion("read x").candidates.isEmpty)
    }

    @Test("Connection parameters are asked for where one of them is given, and each has its limits")
    func parameterLimits() throws {
        typealias Options = ConnectionParameterOptions
        #expect(try Options.parse([]).isEmpty)
        for (name, lowest, highest, outside) in [
            ("--interval", "7.5", "4000", ["7.49", "4000.1"]), ("--latency", "0", "499", ["-1", "500"]),
            ("--supervision-timeout", "100", "32000", ["99.9", "32000.1"]),
        ] {
            #expect(try !Options.parse([name, lowest]).isEmpty)
            #expect(try !Options.parse([name, highest]).isEmpty)
            for value in outside { #expect(throws: (any Error).self) { try Options.parse([name, value]) } }
        }
    }

    @Test("A line is a command, a comment or nothing")
    func parse() throws {
        #expect(try SessionCommands.parse("") == nil)
        #expect(try SessionCommands.parse("  # read") == nil)
        #expect(try SessionCommands.parse("wait 86400") != nil)
        let line = "WRITE FFF1 \"Hi there\" --text --without-response"
        guard case .action(let action)? = try SessionCommands.parse(line),
            let write = action as? WriteAction
        else { throw Failure("no write") }
        #expect(write.value == "Hi there" && write.text && write.withoutResponse)
        #expect(write.characteristic.characteristic == "FFF1")
        guard case .action(let end)? = try SessionCommands.parse("q") else { throw Failure("no end") }
        #expect(end is QuitAction)
        guard case .help(let text)? = try SessionCommands.parse("subscribe --help") else { throw Failure("no help") }
        #expect(text.contains("USAGE: subscribe <characteristic>"))
    }

    @Test(
        "What is wrong with a line is said in one line",
        arguments: [
            ("rea FFF1", "there is no command \"rea\"; did you mean 'read'?"),
            ("SUBSCRIB FFF1", "there is no command \"SUBSCRIB\"; did you mean 'subscribe'?"),
            ("xyz", "there is no command \"xyz\"; help lists them"),
            ("read \"FFF1", "a quotation mark is not closed"),
            ("read", "read: Missing expected argument '<characteristic>'"),
            ("write FFF1 0", "write: \"0\" is not hexadecimal"), ("phy 3m", "phy: The value '3m' is invalid"),
            ("wait -1", "wait: "), ("wait 86400.1", "wait: The seconds are from 0 to 86400."),
            ("parameters --latency 500", "parameters: The latency is from 0 to 499."),
        ]
    )
    func wrong(text: String, words: String) {
        let failure = #expect(throws: Failure.self) { try SessionCommands.parse(text) }
        #expect(failure?.line.hasPrefix(words) == true, "\(failure?.line ?? "")")
        #expect(failure?.line.contains("\n") == false)
    }

    @Test("Every command has a name of its own, and an abstract")
    func commands() {
        let names = SessionCommands.all.map(SessionCommands.name)
        #expect(Set(names).count == names.count)
        #expect(!names.contains(""))
        #expect(SessionCommands.all.allSatisfy { !$0.configuration.abstract.isEmpty })
    }

    @Test("Parameters that are not given stay, and those that do not fit each other are refused")
    func parameters() throws {
        let present = LinkTiming(
            interval: ConnectionInterval(.milliseconds(30)),
            latency: 1,
            supervisionTimeout: SupervisionTimeout(.milliseconds(720))
        )
        let wanted = try ConnectionParameterOptions.parse(["--interval", "100", "--latency", "0"])
        let parameters = try wanted.parameters(changing: present)
        #expect(parameters.minimumInterval == ConnectionInterval(.milliseconds(100)))
        #expect(parameters.maximumInterval == parameters.minimumInterval)
        #expect(parameters.latency == 0)
        #expect(parameters.supervisionTimeout == present.supervisionTimeout)
        // Twice the interval is all of the time limit.
        let slow = try ConnectionParameterOptions.parse(["--interval", "180"])
        #expect(throws: Failure.self) { try slow.parameters(changing: present) }
        for arguments in [["--interval", "7.4"], ["--interval", "4001"], ["--supervision-timeout", "99"]] {
            #expect(throws: (any Error).self) { try ConnectionParameterOptions.parse(arguments) }
        }
    }
}
