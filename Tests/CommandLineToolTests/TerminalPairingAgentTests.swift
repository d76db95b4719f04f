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


}
