// `eightball peripheral`: a ball until interrupted.

import CommandLineTool
import Foundation
@_spi(Steps) @preconcurrency import ITCB

/// Answers questions, and prints them with their answers.
@MainActor
final class EightBallPeripheralSession: @preconcurrency ITCB_Observer_Peripheral_Protocol {
    /// This computer's name, as on a phone.
    nonisolated static var defaultName: String { RadioOptions.computerName ?? "Magic 8-Ball" }

    var uuid = UUID()

    private let name: String
    private let output: OutputFormat
    private var sdk: ITCB_SDK_Peripheral?

    /// Creates the session.
    init(name: String, output: OutputFormat) {
        self.name = name
        self.output = output
    }

    /// Runs the session; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Becomes a ball.
    func start() {
        let sdk = ITCB_SDK.ball()
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
            // The adapter may come and go; the ball advertises again when it is back.
            output.report("ball waits for Bluetooth")
        case .coreBluetooth, .unknown:
            Console.warn("the ball \(ErrorWords.words(for: error))")
        }
    }
}
