// `eightball` without a command and without a full screen: the choice of the role. As on a phone, it holds until the
// app is started again.

import CommandLineTool
import Foundation

/// Asks for the role, and starts it.
@MainActor
final class Chooser {
    private let pairing: ProgramPairing
    private let output: OutputFormat
    private let lines: LineReader
    private var session: AnyObject?

    /// Creates the chooser.
    init(lines: LineReader = LineReader(), pairing: ProgramPairing, output: OutputFormat) {
        self.lines = lines
        self.pairing = pairing
        self.output = output
        pairing.conversation.lines = lines
    }

    /// Asks; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Asks.
    func start() {
        Console.print(
            """
            Magic 8-Ball
              1  Central: ask an 8-ball
              2  Peripheral: be an 8-ball
            """
        )
        prompt()
        lines.onLine = { self.choose($0) }
    }

    private func prompt() {
        let question = "Central or Peripheral (1 or 2, q to quit)? "
        if lines.isInteractive { lines.prompt(question) } else { Console.print(question) }
    }

    private func choose(_ line: String?) {
        guard let line else { Ending.succeed() }
        switch line.trimmingCharacters(in: .whitespaces).lowercased() {
        case "1", "c", "central":
            let central = EightBallCentralSession(lines: lines, pairing: pairing, output: output)
            session = central
            central.start()
        case "2", "p", "peripheral":
            let peripheral = EightBallPeripheralSession(name: EightBallPeripheralSession.defaultName, output: output)
            session = peripheral
            peripheral.start()
            lines.onLine = { line in
                // A phone has a home button; here "q" or the end of the input ends the app.
                guard let line, !LineReader.isQuit(line) else { Ending.succeed() }
            }
        case let text where LineReader.isQuit(text):
            Ending.succeed()
        case "":
            prompt()
        case let text:
            Console.print("\(PrintableText.quoted(text)) is neither 1 (Central) nor 2 (Peripheral).")
            prompt()
        }
    }
}
