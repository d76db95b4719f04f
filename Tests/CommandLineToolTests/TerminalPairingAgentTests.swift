import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("The pairing agent of a program")
struct TerminalPairingAgentTests {
    @Test("derives its capabilities from the required pairing, or takes them as they are given")
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

    @Test("keeps the last failure until a pairing succeeds, and reports every end")
    @MainActor
    func failures() {
        let peer = PairingPeer(identifier: UUID(), name: "Crystal")
        let conversation = PairingConversation(serves: nil)
        var ends: [PairingOutcome] = []
        conversation.onEnd = { ends.append($1) }
        conversation.end(peer, .failed("pairing failed: a wrong code was entered"))
        #expect(conversation.lastFailure?.reason == "pairing failed: a wrong code was entered")
        conversation.end(peer, .paired)
        #expect(conversation.lastFailure == nil)
        #expect(ends.count == 2)
    }
}
