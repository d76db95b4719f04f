// `eightball peripheral`: an 8-ball until interrupted.

import CommandLineTool
import Foundation
@_spi(Steps) @preconcurrency import ITCB

/// Answers, and prints what was asked and answered.
@MainActor
final class EightBallPeripheralSession: @preconcurrency ITCB_Observer_Peripheral_Protocol {
    /// This computer's name, as a phone would use its own.
    nonisolated static var defaultName: String { RadioOptions.computerName ?? "Magic 8-Ball" }

    var uuid = UUID()

    private let name: String
    private let output: OutputFormat
    private var sdk: (any ITCB_SDK_Protocol)?

    /// Creates the session.
    init(name: String, output: OutputFormat) {
        self.name = name
        self.output = output
    }

    /// Becomes a ball; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Becomes a ball.
    func start() {
        guard var sdk = ITCB_SDK.createInstance(isCentral: false) else {
            Ending.fail(Failure("this system cannot be a peripheral; ask instead: eightball central"))
        }
        sdk.localName = name
        self.sdk = sdk
        _ = sdk.addObserver(self)
        Steps.observe(sdk) { [output, name] step in
            output.report("ball " + StepWords(step).text)
            switch step {
            case .stateChanged(let state) where state != .poweredOn: ServiceManager.current.waitsForAdapter()
            case .advertising:
                output.print(
                    "advertising",
                    [("name", .string(name))],
                    line: "\(PrintableText.quoted(name)) is a Magic 8-Ball now; Ctrl-C ends it."
                )
                ServiceManager.current.ready("is the 8-ball \(PrintableText.quoted(name))")
            default: break
            }
        }
    }

    // MARK: Observer

    func questionAskedByDevice(_ device: any ITCB_Device_Central_Protocol, question: String) {
        output.print(
            "question",
            [("central", .string(device.uuid ?? "")), ("question", .string(question))],
            line: nil
        )
    }

    func answerSentToDevice(_ device: any ITCB_Device_Central_Protocol, answer: String, toQuestion: String) {
        let words = Answers.words(for: answer)
        output.print(
            "answer",
            [
                ("central", .string(device.uuid ?? "")), ("question", .string(toQuestion)), ("answer", .string(words)),
                ("key", .string(answer)),
            ],
            line: "\(PrintableText.text(toQuestion)) -> \(words)"
        )
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        switch error {
        case .sendFailed:
            Console.warn("an answer was lost: the central \(ErrorWords.words(for: error))")
        case .coreBluetooth(nil):
            // The adapter comes and goes; the ball is back when it is.
            output.report("ball waits for Bluetooth")
        case .coreBluetooth, .unknown:
            Console.warn("the ball \(ErrorWords.words(for: error))")
        }
    }
}
