import CommandLineTool
import CoreBluetooth
import ITCB
import Testing

@testable import eightball

@Suite("Words for answers and errors")
struct AnswersTests {
    private typealias Reason = ITCB_RejectionReason

    @Test("shows an unknown key as it is, without control characters")
    func strangeAnswers() {
        #expect(Answers.words(for: "No\u{1B}[2J") == "No\u{FFFD}[2J")
    }

    @Test("says the innermost reason of an error, and names it by its key")
    func errors() {
        for (error, words, key) in [
            (ITCB_Errors.coreBluetooth(nil), "Bluetooth is not available", "ITCB-SDK-ERROR-BLUETOOTH"),
            (ITCB_Errors.sendFailed(nil), "could not be asked", "ITCB-SDK-ERROR-SEND-FAILURE"),
            (ITCB_Errors.unknown(nil), "had an unknown problem", "ITCB-SDK-ERROR-UNKNOWN"),
            (Reason.deviceOffline, "went offline", "ITCB-SDK-REJECT-OFFLINE"),
            (Reason.deviceBusy, "is busy with another question; ask again later", "ITCB-SDK-REJECT-BUSY"),
            (Reason.peripheralError(nil), "had a problem", "ITCB-SDK-REJECT-PERIPHERAL-ERROR"),
            (Reason.unknown(nil), "refused without giving a reason", "ITCB-SDK-REJECT-UNKNOWN"),
            (
                ITCB_Errors.sendFailed(ITCB_Errors.coreBluetooth(Reason.questionPlease)),
                "refused: a question must end with \"?\"", "ITCB-SDK-REJECT-NO-QUESTION-MARK"
            ),
        ] as [(any Error, String, String)] {
            #expect(ErrorWords.words(for: error) == words && ErrorWords.key(for: error) == key, "\(error)")
        }
        let detail = CBATTError(.invalidPdu)
        for (error, words) in [
            (detail, "reported: \(detail.localizedDescription)"),
            (ITCB_Errors.coreBluetooth(detail), "reported: \(detail.localizedDescription)"),
            (Reason.peripheralError(detail), "had a problem (\(detail.localizedDescription))"),
            (Reason.unknown(detail), "refused (\(detail.localizedDescription))"),
        ] as [(any Error, String)] { #expect(ErrorWords.words(for: error) == words) }
        #expect(ErrorWords.key(for: ITCB_Errors.coreBluetooth(detail)) == "ITCB-SDK-ERROR-BLUETOOTH")
        #expect(ErrorWords.key(for: detail) == "ITCB-SDK-ERROR-UNKNOWN")
        #expect(Texts.german(ErrorWords.text(for: Reason.deviceOffline)) == "ist nicht mehr da")
    }

    @Test("gives the advice of the error of Core Bluetooth within an error, however deep")
    @MainActor
    func causes() throws {
        let pairing = ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([]))
        let cause = CBATTError(.insufficientAuthentication)
        let words = ErrorWords.words(for: cause, from: "Anna", pairing)
        #expect(words.hasPrefix("refused: "))
        let errors: [any Error] = [
            ITCB_Errors.coreBluetooth(cause), ITCB_Errors.sendFailed(cause), ITCB_Errors.unknown(cause),
            ITCB_RejectionReason.peripheralError(cause), ITCB_RejectionReason.unknown(cause),
            ITCB_Errors.sendFailed(ITCB_RejectionReason.peripheralError(cause)),
            ITCB_Errors.coreBluetooth(ITCB_Errors.unknown(ITCB_RejectionReason.unknown(cause))),
        ]
        for error in errors { #expect(ErrorWords.words(for: error, from: "Anna", pairing) == words, "\(error)") }
        // Without such an error there is no advice.
        let others: [any Error] = [
            ITCB_Errors.coreBluetooth(nil), ITCB_RejectionReason.peripheralError(nil),
            ITCB_RejectionReason.questionPlease, ITCB_Errors.sendFailed(ITCB_RejectionReason.deviceBusy),
        ]
        for error in others {
            let plain = ErrorWords.words(for: error)
            #expect(ErrorWords.words(for: error, from: "Anna", pairing) == plain, "\(error)")
        }
    }
}
