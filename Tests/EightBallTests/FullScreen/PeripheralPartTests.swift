import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

/// A central that only the part it has asked retains.
@MainActor
private final class ForgottenAsker {
    private(set) weak var stub: AskerStub?

    init(_ name: String, _ part: PeripheralPart, error: ITCB_Errors? = nil) {
        let stub = AskerStub(name)
        stub.error = error
        self.stub = stub
        part.questionAskedByDevice(stub, question: "Rain?")
    }

    func getAnswer(_ part: PeripheralPart) {
        guard let stub else { return }
        part.answerSentToDevice(stub, answer: "SLUG-ANSWER-03", toQuestion: "Rain?")
    }

    var isKept: Bool { stub != nil }
}

@Suite("The ball on the full screen")
@MainActor
struct PeripheralPartTests {
    @Test("shows why a question was refused: the ball was busy, or it was not a question")
    func refused() {
        let lines = PartCalls.peripheral { part, notes in
            notes.count = 0
            part.note(.questionReceived("Rain?", refusal: .busy))
            part.note(.questionReceived("Rain", refusal: .noQuestion))
            part.note(.questionReceived("", refusal: .unreadable(.invalidPdu)))
            notes.note(PartCalls.words(part))
            part.note(.questionReceived("Sun?", refusal: nil))
            notes.note(PartCalls.words(part))
        }
        let entries = "- Rain? busy, - Rain no question, -  no question"
        #expect(lines == ["3 " + entries, "0 " + entries])
    }

    @Test("fails open questions and forgets listeners without Bluetooth")
    func power() {
        let lines = PartCalls.peripheral { part, notes in
            notes.count = 0
            part.note(.advertising(name: "Crystal"))
            part.note(.subscribed(central: "x"))
            part.note(.subscribed(central: "y"))
            part.note(.unsubscribed(central: "x"))
            part.questionAskedByDevice(AskerStub("y"), question: "Rain?")
            part.questionAskedByDevice(AskerStub("z", uuid: nil), question: "Who?")
            part.note(.serviceAdded)
            part.note(.stateChanged(.poweredOn))
            notes.note(PartCalls.allWords(part))
            part.note(.stateChanged(.poweredOff))
            notes.note(PartCalls.allWords(part))
        }
        #expect(
            lines == [
                #"6 Crystal ["y"] y Rain? open"#, "1 - [] y Rain? went offline",
            ]
        )
    }

    @Test("attributes answers and errors to their central, and answers an open question at random when a person stops")
    func answers() {
        let lines = PartCalls.peripheral { part, notes in
            let (anna, bert) = (AskerStub("A"), AskerStub("B"))
            part.setAnsweredByHand(true)
            part.questionAskedByDevice(anna, question: "Rain?")
            part.questionAskedByDevice(bert, question: "Sun?")
            notes.count = 0
            // The newest question is the open one; another number refers to none.
            part.answer(entry: 0, with: 3)
            part.answer(entry: 1, with: 3)
            notes.add("\(anna.answers) \(bert.answers)")
            part.answerSentToDevice(bert, answer: "SLUG-ANSWER-03", toQuestion: "Sun?")
            part.answerSentToDevice(AskerStub("z", uuid: nil), answer: "SLUG-ANSWER-03", toQuestion: "Rain?")
            notes.note(PartCalls.words(part))
            // A central that has its answer has no failing question any more.
            bert.error = .sendFailed(nil)
            part.questionAskedByDevice(AskerStub("C"), question: "Hail?")
            part.errorOccurred(.unknown(nil), sdk: SilentSDK())
            notes.note(PartCalls.words(part))
            anna.error = .sendFailed(ITCB_RejectionReason.deviceOffline)
            part.errorOccurred(.unknown(nil), sdk: SilentSDK())
            notes.note(PartCalls.words(part))
            let carl = AskerStub("C")
            part.questionAskedByDevice(carl, question: "Snow?")
            part.setAnsweredByHand(true)
            notes.add("\(carl.answers.count)")
            part.setAnsweredByHand(false)
            part.setAnsweredByHand(false)
            notes.add("\(carl.answers.map { $0.prefix(18) }) \(anna.answers)")
        }
        #expect(
            lines == [
                #"[] ["Sun? SLUG-ANSWER-03"]"#, "1 A Rain? open, B Sun? answered",
                "2 A Rain? open, B Sun? answered, C Hail? open",
                "1 A Rain? went offline, B Sun? answered, C Hail? open", "0",
                #"["Snow? SLUG-ANSWER-", "Snow? SLUG-ANSWER-"] []"#,
            ]
        )
    }

    @Test("answers the newest of many centrals")
    func manyCentrals() {
        let lines = PartCalls.peripheral { part, notes in
            part.setAnsweredByHand(true)
            let centrals = (0...PeripheralPage.entryLimit).map { AskerStub("\($0)") }
            for central in centrals { part.questionAskedByDevice(central, question: "Rain?") }
            part.answer(entry: PeripheralPage.entryLimit, with: 19)
            for central in centrals where !central.answers.isEmpty {
                notes.add("\(central.name) \(central.answers)")
            }
        }
        #expect(lines == [#"200 ["Rain? SLUG-ANSWER-19"]"#])
    }

    @Test("forgets a central with its answer, its error, and with Bluetooth")
    func ends() {
        let lines = PartCalls.peripheral { part, notes in
            part.setAnsweredByHand(true)
            let askers = [
                ForgottenAsker("A", part),
                ForgottenAsker("B", part, error: .sendFailed(ITCB_RejectionReason.deviceOffline)),
                ForgottenAsker("C", part),
            ]
            notes.add("\(askers.map { $0.isKept })")
            askers[0].getAnswer(part)
            notes.add("\(askers.map { $0.isKept })")
            part.errorOccurred(.unknown(nil), sdk: SilentSDK())
            notes.add("\(askers.map { $0.isKept })")
            part.note(.stateChanged(.poweredOn))
            notes.add("\(askers.map { $0.isKept })")
            part.note(.stateChanged(.poweredOff))
            notes.add("\(askers.map { $0.isKept })")
        }
        #expect(
            lines == [
                "[true, true, true]", "[false, true, true]", "[false, false, true]", "[false, false, true]",
                "[false, false, false]",
            ]
        )
    }

    @Test("keeps two hundred centrals; one more drops those whose question has left the page")
    func limit() {
        let lines = PartCalls.peripheral { part, notes in
            part.setAnsweredByHand(true)
            var askers = [ForgottenAsker("1", part)]
            // The page then has one question more than there are centrals.
            part.note(.questionReceived("Rain", refusal: .noQuestion))
            for number in 2...200 { askers.append(ForgottenAsker("\(number)", part)) }
            notes.add("\(part.page.forgottenCount) \(part.page.hasOpenQuestion(of: "1"))")
            notes.add("\(askers.count { $0.isKept }) \(askers[0].isKept)")
            askers.append(ForgottenAsker("201", part))
            notes.add("\(askers.count { $0.isKept }) \(askers[0].isKept) \(askers[1].isKept)")
        }
        #expect(lines == ["1 false", "200 true", "200 false true"])
    }
}
