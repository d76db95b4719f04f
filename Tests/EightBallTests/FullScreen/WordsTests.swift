import CoreBluetooth
import ITCB
import Testing

@testable import eightball

@Suite("The words of the app")
struct WordsTests {
    @Test("There are twenty different answers, each under its key")
    func answers() {
        #expect(Texts.english.answers.count == 20)
        #expect(Set(Texts.english.answers).count == 20)
        #expect(Answers.words(for: "SLUG-ANSWER-00") == "It is certain.")
        #expect(Answers.words(for: "SLUG-ANSWER-09") == "Signs point to yes.")
        #expect(Answers.words(for: "SLUG-ANSWER-19") == "Very doubtful.")
    }

    @Test("What is no key is shown as it came, without what a terminal would obey")
    func strangeAnswers() {
        #expect(Answers.words(for: "SLUG-ANSWER-20") == "SLUG-ANSWER-20")
        #expect(Answers.words(for: "SLUG-ANSWER-1") == "SLUG-ANSWER-1")
        #expect(Answers.words(for: "") == "")
        #expect(Answers.words(for: "No\u{1B}[2J") == "No\u{FFFD}[2J")
    }

    @Test("An error's innermost reason is what is said")
    func errors() {
        typealias Reason = ITCB_RejectionReason
        let refused = ITCB_Errors.sendFailed(ITCB_Errors.coreBluetooth(Reason.questionPlease))
        #expect(ErrorWords.words(for: refused) == "refused: a question must end with \"?\"")
        #expect(ErrorWords.key(for: refused) == "ITCB-SDK-REJECT-NO-QUESTION-MARK")
        #expect(ErrorWords.words(for: ITCB_Errors.sendFailed(Reason.deviceOffline)) == "went offline")
        #expect(ErrorWords.words(for: ITCB_Errors.coreBluetooth(nil)) == "Bluetooth is not available")
        #expect(ErrorWords.key(for: ITCB_Errors.coreBluetooth(nil)) == "ITCB-SDK-ERROR-BLUETOOTH")
        #expect(ErrorWords.key(for: ITCB_Errors.coreBluetooth(CBATTError(.invalidPdu))) == "ITCB-SDK-ERROR-BLUETOOTH")
    }
}
