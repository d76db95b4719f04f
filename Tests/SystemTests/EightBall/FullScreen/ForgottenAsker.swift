// A central by which a test sees whether the ball on the whole screen still keeps it.

@testable @_spi(Steps) import ITCB
@testable import eightball

/// A central that nobody keeps but the part that it has asked.
@MainActor
final class ForgottenAsker {
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
