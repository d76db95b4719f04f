// What the ball on the whole screen makes of each step and each call of the SDK: which of them change the page, and
// which central they are about. Centrals are stubs; each test is a process of its own, in whose world no time passes.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("Calls of the SDK to the ball on the whole screen")
struct BallCallsTests {
    @Test("A question that was refused ends with a question mark, then the ball was busy, or it does not")
    func refused() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.peripheral { part, changes in
                changes.count = 0
                for question in ["Rain?", "Rain", "?", "", "Rain? "] {
                    part.note(.questionReceived(question, isAccepted: false))
                }
                changes.print(PartCalls.words(part))
                part.note(.questionReceived("Sun?", isAccepted: true))
                changes.print(PartCalls.words(part))
            }
            exit(0)
        }
        let entries = "- Rain? busy, - Rain no question, - ? busy, -  no question, - Rain?  no question"
        #expect(try #require(result).lines == ["5 " + entries, "0 " + entries])
    }

    @Test("Who listens and who was open goes with Bluetooth; an adapter that comes takes nothing away")
    func power() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.peripheral { part, changes in
                changes.count = 0
                part.note(.advertising(name: "Crystal"))
                part.note(.subscribed(central: "x"))
                part.note(.subscribed(central: "y"))
                part.note(.unsubscribed(central: "x"))
                part.questionAskedByDevice(AskerStub("y"), question: "Rain?")
                part.questionAskedByDevice(AskerStub("z", uuid: nil), question: "Who?")
                part.note(.serviceAdded)
                part.note(.stateChanged(isPoweredOn: true, state: "poweredOn"))
                changes.print(PartCalls.allWords(part))
                part.note(.stateChanged(isPoweredOn: false, state: "poweredOff"))
                changes.print(PartCalls.allWords(part))
            }
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"6 Crystal ["y"] y Rain? open"#, "1 - [] y Rain? went offline",
            ]
        )
    }

    @Test("An answer and an error belong to the central that they are of; at random again, what is open is answered")
    func answers() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.peripheral { part, changes in
                let (anna, bert) = (AskerStub("A"), AskerStub("B"))
                part.setAnsweredByHand(true)
                part.questionAskedByDevice(anna, question: "Rain?")
                part.questionAskedByDevice(bert, question: "Sun?")
                changes.count = 0
                // The one that is open is the newest; a number of another one is nobody's.
                part.answer(entry: 0, with: 3)
                part.answer(entry: 1, with: 3)
                Console.print("\(anna.answers) \(bert.answers)")
                part.answerSentToDevice(bert, answer: "SLUG-ANSWER-03", toQuestion: "Sun?")
                part.answerSentToDevice(AskerStub("z", uuid: nil), answer: "SLUG-ANSWER-03", toQuestion: "Rain?")
                changes.print(PartCalls.words(part))
                // Who has its answer has no error of a question any more.
                bert.error = .sendFailed(nil)
                part.questionAskedByDevice(AskerStub("C"), question: "Hail?")
                part.errorOccurred(.unknown(nil), sdk: SilentSDK())
                changes.print(PartCalls.words(part))
                anna.error = .sendFailed(ITCB_RejectionReason.deviceOffline)
                part.errorOccurred(.unknown(nil), sdk: SilentSDK())
                changes.print(PartCalls.words(part))
                let carl = AskerStub("C")
                part.questionAskedByDevice(carl, question: "Snow?")
                part.setAnsweredByHand(true)
                Console.print("\(carl.answers.count)")
                part.setAnsweredByHand(false)
                part.setAnsweredByHand(false)
                Console.print("\(carl.answers.map { $0.prefix(18) }) \(anna.answers)")
            }
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"[] ["Sun? SLUG-ANSWER-03"]"#, "1 A Rain? open, B Sun? answered",
                "2 A Rain? open, B Sun? answered, C Hail? open",
                "1 A Rain? went offline, B Sun? answered, C Hail? open", "0",
                #"["Snow? SLUG-ANSWER-", "Snow? SLUG-ANSWER-"] []"#,
            ]
        )
    }

    @Test("Of many centrals the newest is answered")
    func manyCentrals() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.peripheral { part, _ in
                part.setAnsweredByHand(true)
                let centrals = (0...PeripheralPage.entryLimit).map { AskerStub("\($0)") }
                for central in centrals { part.questionAskedByDevice(central, question: "Rain?") }
                part.answer(entry: PeripheralPage.entryLimit, with: 19)
                for central in centrals where !central.answers.isEmpty {
                    Console.print("\(central.name) \(central.answers)")
                }
            }
            exit(0)
        }
        #expect(try #require(result).lines == [#"200 ["Rain? SLUG-ANSWER-19"]"#])
    }
}
