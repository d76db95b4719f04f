import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("A program's words for errors of security")
@MainActor
struct ProgramPairingTests {
    private func advice(
        _ device: String?,
        of name: String? = "Kitchen lamp",
        _ capabilities: PairingCapabilities = .keyboardAndDisplay,
        options: [String] = []
    ) throws -> String {
        let agent = TerminalPairingAgent(capabilities)
        let identifier = try #require(UUID(uuidString: "0D665339-0000-0000-0000-000000000000"))
        agent.conversation.end(PairingPeer(identifier: identifier, name: name), .failed("it was refused"))
        let pairing = ProgramPairing(agent, try RadioOptions.parse(options))
        return pairing.advice(for: CBATTError(.insufficientAuthentication), device: device)
    }

    @Test(
        "reports a failure of a device given by its name in any case, or by the beginning of its identifier",
        arguments: [
            (nil, true), ("Kitchen lamp", true), ("kitchen LAMP", true), ("0d66", true), ("0D665339-0000", true),
            ("Kitchen", false), ("D665", false), ("Garage", false),
        ] as [(String?, Bool)]
    )
    func concerned(device: String?, isConcerned: Bool) throws {
        let words = try advice(device)
        #expect((words == "; it was refused; try again") == isConcerned, "\(words)")
        #expect(words.contains("it was refused") == isConcerned)
    }

    @Test("reports a failure of a device without a name, or with a shortened one")
    func names() throws {
        #expect(try advice("Garage", of: nil) == "; it was refused; try again")
        let whole = "A name that is far too long for an advertisement"
        #expect(try advice(whole, of: String(whole.prefix(8))) == "; it was refused; try again")
        #expect(try !advice(whole, of: "A name is").contains("it was refused"))
    }

    @Test("says that there is nobody to ask, and names the identity; other errors have no advice")
    func others() throws {
        #expect(try advice(nil, .none).contains("there is nobody to ask"))
        #expect(try advice("Garage", options: ["--identity", "phone"]).hasSuffix(" Garage --identity phone"))
        let pairing = ProgramPairing(TerminalPairingAgent(.keyboardAndDisplay), try RadioOptions.parse([]))
        #expect(pairing.advice(for: CBATTError(.readNotPermitted), device: nil) == "")
        // There was no failure before.
        let words = pairing.advice(for: CBATTError(.insufficientAuthentication), device: nil)
        #expect(words == "; pair with the device: corebluetooth pair DEVICE")
    }
}
