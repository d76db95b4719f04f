// What becomes of the answers that a user gives to a pairing's questions.

import BluetoothHost
import Foundation
import NIOConcurrencyHelpers
import Testbed
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
        "six digits at most are a code; what is none is a wrong one",
        arguments: [
            ("123456", 123_456), ("000012", 12), ("12", 12), ("999999", 999_999), ("0000012", nil), ("1000000", nil),
            ("", nil), ("12345x", nil), ("-12345", nil), ("+12345", nil), ("１２", nil),
        ] as [(String, UInt32?)]
    )
    func codes(text: String, number: UInt32?) {
        #expect(answer(.enterPasskey) { $0.enter(text) } == .passkey(number.flatMap(Passkey.init)))
    }

    @Test("a question has the answer of its kind; a code that is shown has none")
    func kinds() throws {
        let code = try #require(Passkey(7))
        #expect(answer(.enterPasskey) { $0.enter(nil) } == .passkey(nil))
        for isConfirmed in [false, true] {
            #expect(answer(.compareNumbers(code)) { $0.confirm(isConfirmed) } == .numbersMatch(isConfirmed))
            #expect(answer(.displayPasskey(code)) { $0.confirm(isConfirmed) } == nil)
            #expect(answer(.enterPasskey) { $0.confirm(isConfirmed) } == nil)
        }
    }
}
