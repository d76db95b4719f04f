// The commands and their options.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation
@_spi(Steps) @preconcurrency import ITCB
import TerminalScreen

/// `eightball`: without a command, the app as on a phone.
struct EightBallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eightball",
        abstract: "Ask a Magic 8-Ball over Bluetooth, or be one.",
        discussion: """
            Without a command, it asks whether to be the Central, which asks, or the Peripheral, which answers: on the \
            full screen of a terminal, or line by line elsewhere and with --plain.
            """,
        version: ProgramVersion.line("eightball"),
        subcommands: [Web.self, Demo.self, Peripheral.self, Central.self, Ask.self]
    )

    @Flag(help: "Run line by line, even in a terminal.")
    var plain = false

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try MainActor.assumeIsolated {
            if !plain, !output.format.isJSON, !output.format.isVerbose, let screen = Screen() {
                let agent = ScreenPairingAgent()
                try radio.apply(deviceName: EightBallPeripheralSession.defaultName, agent: agent, hasScreen: true)
                let texts = Texts.of(ProcessInfo.processInfo.environment)
                FullScreenSession(screen: screen, agent: agent, texts: texts).run()
            }
            let agent = TerminalPairingAgent(serves: output.format)
            try radio.apply(deviceName: EightBallPeripheralSession.defaultName, agent: agent)
            Chooser(pairing: ProgramPairing(agent, radio), output: output.format).run()
        }
    }
}

extension EightBallCommand {
    /// The command `eightball demo`.
    struct Demo: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the life of one question, step by step.",
            discussion: """
                Both roles run in this process, on a private air: no radio, no setup. Every line is printed as it \
                happens. With --capture FILE, the ball's packets go to FILE, and the central's to a second file next \
                to it.
                """
        )

        @Option(
            help: "The question; it must end with a question mark. (default: \(Texts.english(.demoQuestion)))"
        )
        var question: String?

        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard radio.adapter == nil, radio.identity == nil, radio.distance == nil, radio.position == nil
            else {
                throw ValidationError(
                    """
                    The demo runs on a private air: it does not take --adapter, --identity, --distance or --position.
                    """
                )
            }
        }

        func run() throws {
            if let capture = radio.capture { try RadioOptions.checkCapture(capture) }
            try radio.trace.begin(device: Ending.program)
            MainActor.assumeIsolated {
                let texts = Texts.ofProcess(output.format)
                DemoSession(
                    question: question ?? texts(.demoQuestion),
                    captureFile: radio.capture,
                    output: output.format,
                    texts: texts
                ).run()
            }
        }
    }

    /// The command `eightball peripheral`.
    struct Peripheral: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Be an 8-ball until interrupted.",
            discussion: """
                Prints each question, and the answer that was sent. With --require-pairing passkey, it prints six \
                digits for each new central, whose user enters them there. Pairings are kept: "corebluetooth bonds" \
                lists them.
                """
        )

        @OptionGroup var ball: BallOptions
        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            try ball.apply(radio, agent: ball.pairing.agent(output.format))
            MainActor.assumeIsolated {
                EightBallPeripheralSession(name: ball.ballName, output: output.format).run()
            }
        }
    }

    /// The command `eightball central`.
    struct Central: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List 8-balls as they are found, and ask them.",
            discussion: """
                Reads lines: "2 Will it rain?" asks ball 2, "use 2" chooses ball 2 for questions without a number, and \
                "list", "help" and "quit" do what they say. A question to a ball that has not been found yet waits for \
                it for 10 seconds; a ball has 60 seconds to answer.
                """
        )

        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let agent = TerminalPairingAgent()
            try radio.apply(agent: agent)
            MainActor.assumeIsolated {
                EightBallCentralSession(
                    lines: LineReader(),
                    pairing: ProgramPairing(agent, radio),
                    output: output.format
                ).run()
            }
        }
    }

    /// The command `eightball ask`.
    struct Ask: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find an 8-ball, ask it, print its answer.",
            discussion: """
                Only the answer goes to standard output. If a ball requires a code for pairing, it shows six digits; \
                enter them at the terminal or, without one, pass them as a line of standard input. The pairing is \
                kept, so the code is needed once.
                """
        )

        @Argument(help: "The question; it must end with a question mark.")
        var question: String

        @Option(
            help: ArgumentHelp("Ask the ball with this name. (default: the first one found)", valueName: "name")
        )
        var device: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Wait this many seconds for a ball and its answer.", valueName: "s")
        )
        var timeout = 10.0

        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            try Deadline.validate(timeout)
            if let device, device.isEmpty { throw ValidationError("The device is empty.") }
        }

        func run() throws {
            let texts = Texts.ofProcess(output.format)
            guard ITCB_SDK.isQuestion(question) else { throw Failure(texts(.askForm)) }
            let agent = TerminalPairingAgent()
            try radio.apply(agent: agent)
            MainActor.assumeIsolated {
                AskSession(
                    question: question,
                    device: device,
                    timeout: timeout,
                    pairing: ProgramPairing(agent, radio),
                    output: output.format,
                    texts: texts
                ).run()
            }
        }
    }
}
