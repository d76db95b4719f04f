// What the user decides elsewhere than at the keys of the page of a pairing, such as in a browser: yes and no, a code
// and none.

import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import BluetoothHost
@testable import eightball

@Suite("Answers to the page of a pairing")
struct PairingAnswersTests {
    /// What is answered to a question, and whether that ends the page.
    private func answer(_ question: PairingQuestion, code: String?, isAgreed: Bool) -> (PairingAnswer?, Bool) {
        let identifier = UUID(uuidString: "0D665339-0000-0000-0000-000000000000") ?? UUID()
        let answers = Watched<[PairingAnswer]>([])
        let prompt = PairingPrompt(question, of: PairingPeer(identifier: identifier, name: "Anna")) { answer in
            answers.update { $0.append(answer) }
        }
        let isEnd = PairingPage(prompt).answer(code: code, isAgreed: isAgreed)
        return (answers.value.count == 1 ? answers.value.first : nil, isEnd)
    }

    @Test("A code that is given up, or is none, is no code, whatever else is agreed", arguments: [true, false])
    func codes(isAgreed: Bool) throws {
        for (code, number) in [
            (nil, nil), ("", nil), ("1234567", nil), ("12a456", nil), ("+12345", nil), ("000042", 42), ("7", 7),
            ("999999", 999_999),
        ] as [(String?, UInt32?)] {
            let (answer, isEnd) = self.answer(.enterPasskey, code: code, isAgreed: isAgreed)
            #expect(answer == .passkey(number.flatMap { Passkey($0) }) && isEnd, "\(code ?? "none")")
        }
    }

    @Test("A comparison and a consent are what the user says, with a code or without", arguments: [nil, "123456"])
    func decisions(code: String?) throws {
        let number = try #require(Passkey(42))
        for isAgreed in [true, false] {
            let compared = self.answer(.compareNumbers(number), code: code, isAgreed: isAgreed)
            #expect(compared.0 == .numbersMatch(isAgreed) && compared.1)
            for replacesBond in [true, false] {
                let consent = PairingQuestion.consent(
                    .init(model: nil, isBonding: true, replacesBond: replacesBond)
                )
                let answered = self.answer(consent, code: code, isAgreed: isAgreed)
                #expect(answered.0 == .consent(isAgreed) && answered.1)
            }
            let shown = self.answer(.displayPasskey(number), code: code, isAgreed: isAgreed)
            #expect(shown.0 == nil && !shown.1)
        }
    }
}
