import BluetoothHost
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("The questions of a pairing")
struct PairingAgentTests {
    /// The answer to a question, as the pairing gets it.
    private func answer(_ question: PairingQuestion, _ give: (PairingPrompt) -> Void) -> PairingAnswer? {
        let answers = NIOLockedValueBox<[PairingAnswer]>([])
        let peer = PairingPeer(identifier: UUID(), name: nil)
        give(PairingPrompt(question, of: peer) { answer in answers.withLockedValue { $0.append(answer) } })
        return answers.withLockedValue { $0.count == 1 ? $0[0] : nil }
    }

    @Test(
        "accepts up to six digits as a passkey and nothing else",
        arguments: [
            ("123456", 123_456), ("000012", 12), ("12", 12), ("999999", 999_999), ("0000012", nil), ("1000000", nil),
            ("", nil), ("12345x", nil), ("-12345", nil), ("+12345", nil), ("１２", nil),
        ] as [(String, UInt32?)]
    )
    func codes(text: String, number: UInt32?) {
        #expect(answer(.enterPasskey) { $0.enter(text) } == .passkey(number.flatMap(Passkey.init)))
    }

    @Test("answers a question only with an answer of its kind")
    func kinds() throws {
        let code = try #require(Passkey(7))
        #expect(answer(.enterPasskey) { $0.enter(nil) } == .passkey(nil))
        for isConfirmed in [false, true] {
            #expect(answer(.compareNumbers(code)) { $0.confirm(isConfirmed) } == .numbersMatch(isConfirmed))
            #expect(answer(.displayPasskey(code)) { $0.confirm(isConfirmed) } == nil)
            #expect(answer(.enterPasskey) { $0.confirm(isConfirmed) } == nil)
        }
    }

    private struct PlainAgent: PairingAgent {
        let capabilities: PairingCapabilities

        func pairing(_ prompt: PairingPrompt) {}
    }

    @Test("uses no out-of-band data by default, so that its capabilities decide whether it can authenticate")
    func defaults() {
        let peer = PairingPeer(identifier: UUID(), name: nil)
        for (capabilities, canAuthenticate) in [
            (.none, false), (.display, true), (.displayAndConfirm, true), (.keyboard, true),
            (.keyboardAndDisplay, true),
        ] as [(PairingCapabilities, Bool)] {
            let agent = PlainAgent(capabilities: capabilities)
            #expect(!agent.usesOutOfBandData && agent.canAuthenticate == canAuthenticate)
            let exchange = agent.outOfBandData(for: peer)
            #expect(exchange.local == nil && exchange.peer == nil)
        }
    }
}
