// What the pairing agent of a program says that its user can see and do: by the option, by the program, or by whether
// somebody can be asked.

import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The pairing agent of a program")
struct TerminalPairingAgentTests {
    @Test("A pairing that is demanded says what the user can see and do; what a program says itself counts as it is")
    func demanded() throws {
        let output = OutputFormat(isJSON: false, isVerbose: false)
        let rows: [(option: String, capabilities: PairingCapabilities)] = [
            ("just-works", .none), ("compare", .displayAndConfirm), ("passkey", .display),
        ]
        for (option, capabilities) in rows {
            let options = try PairingOptions.parse(["--require-pairing", option])
            #expect(options.agent(output).capabilities == capabilities, "\(option)")
            #expect(TerminalPairingAgent(capabilities).capabilities == capabilities, "\(option)")
        }
        #expect(try PairingOptions.parse([]).requirePairing == nil)
        #expect((try? PairingOptions.parse(["--require-pairing", "code"])) == nil)
    }

    @Test(
        "Where nothing is said the user can do everything, or nothing where nobody can be asked",
        arguments: [true, false]
    )
    func asked(canAsk: Bool) async {
        await #expect(processExitsWith: .exitCode(canAsk ? 0 : 1)) { [canAsk] in
            // There is no terminal beside standard input.
            setsid()
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            dup2(canAsk ? ends[0] : open("/dev/null", O_RDONLY), STDIN_FILENO)
            let options = try PairingOptions.parse([])
            let capabilities = [
                TerminalPairingAgent().capabilities,
                options.agent(OutputFormat(isJSON: true, isVerbose: false)).capabilities,
            ]
            if capabilities == [.keyboardAndDisplay, .keyboardAndDisplay] { exit(0) }
            exit(capabilities == [.none, .none] ? 1 : 2)
        }
    }
}
