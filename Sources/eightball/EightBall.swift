// The commands and their options.

import ArgumentParser
import CoreBluetooth
import Foundation

/// `eightball`: without a command, the app as on a phone.
struct EightBall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eightball",
        abstract: "Ask a Magic 8-Ball over Bluetooth, or be one.",
        discussion: """
            Without a command it asks whether to be the Central (who asks) or the Peripheral (who answers).
            """,
        subcommands: [Demo.self, Peripheral.self, Central.self, Ask.self]
    )

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try radio.apply()
        MainActor.assumeIsolated {
            Chooser(output: output.format).run()
        }
    }
}

extension EightBall {
    /// The command `eightball demo`.
    struct Demo: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the life of one question, step by step.",
            discussion: """
                Both roles run in this process, on an air of their own: no radio, no set-up. Every line is printed when \
                it happens. With --capture FILE the ball's packets go to FILE, the central's to a second file beside it.
                """
        )

        @Option(help: "The question; it must end with a question mark.")
        var question = "Will it rain today?"

        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard radio.adapter == nil, radio.identity == nil, radio.distance == nil else {
                throw ValidationError(
                    "The demo runs on an air of its own: --adapter, --identity and --distance do not go with it."
                )
            }
        }

        func run() throws {
            if let capture = radio.capture { try RadioOptions.checkCapture(capture) }
            MainActor.assumeIsolated {
                DemoSession(question: question, captureFile: radio.capture, output: output.format).run()
            }
        }
    }

    /// The command `eightball peripheral`.
    struct Peripheral: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Be an 8-ball until interrupted.",
            discussion: "Prints each question and the answer that was sent."
        )

        @Option(help: "The ball's name. (default: this computer's name)")
        var name: String?

        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if let name, name.isEmpty {
                throw ValidationError("The name is empty; a ball without a name is never found.")
            }
        }

        func run() throws {
            try radio.apply()
            MainActor.assumeIsolated {
                PeripheralSession(name: name ?? PeripheralSession.defaultName, output: output.format).run()
            }
        }
    }

    /// The command `eightball central`.
    struct Central: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List 8-balls as they are found, and ask them.",
            discussion: """
                Reads lines: "2 Will it rain?" asks ball 2, "use 2" makes it the one that questions go to, "list", "help" \
                and "quit" do what they say. A question to a ball that is not there yet waits for it.
                """
        )

        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            try radio.apply()
            MainActor.assumeIsolated {
                CentralSession(lines: LineReader(), output: output.format).run()
            }
        }
    }

    /// The command `eightball ask`.
    struct Ask: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find an 8-ball, ask it, print its answer.",
            discussion: "The answer alone is on standard output."
        )

        @Argument(help: "The question; it must end with a question mark.")
        var question: String

        @Option(
            help: ArgumentHelp("Ask the ball with this name. (default: the first that is found)", valueName: "name")
        )
        var device: String?

        @Option(help: ArgumentHelp("Give up after this many seconds.", valueName: "s"))
        var timeout = 10.0

        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard timeout > 0, timeout <= 86_400 else {
                throw ValidationError("The timeout must be more than 0 and at most 86400 seconds.")
            }
        }

        func run() throws {
            guard question.last == "?" else {
                throw Failure(
                    "a question must end with \"?\"; ask again with one: eightball ask \"Will it rain today?\""
                )
            }
            try radio.apply()
            MainActor.assumeIsolated {
                AskSession(question: question, device: device, timeout: timeout, output: output.format).run()
            }
        }
    }
}

/// Which adapter to use, and as whom.
struct RadioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The adapter: air, air:PATH, air:tcp:HOST:PORT, h4:unix:PATH, h4:tcp:HOST:PORT, … (default: air)",
            valueName: "string"
        )
    )
    var adapter: String?

    @Option(help: ArgumentHelp("Be this device on the air, across runs.", valueName: "name"))
    var identity: String?

    @Option(help: ArgumentHelp("How far away this device is, in metres. (air only, default: 1)", valueName: "metres"))
    var distance: Double?

    @Option(help: ArgumentHelp("Write all HCI packets to a btsnoop file, for Wireshark.", valueName: "file"))
    var capture: String?

    func validate() throws {
        if let distance, !(distance > 0 && distance <= 10_000) {
            throw ValidationError("The distance must be more than 0 and at most 10000 metres.")
        }
        if let identity, identity.isEmpty {
            throw ValidationError("The identity is empty.")
        }
    }

    /// Makes sure that a capture file can be written.
    ///
    /// Found out before anything starts, the reason fits in the one line that ends the command.
    static func checkCapture(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
        guard descriptor >= 0 else {
            throw Failure("cannot write the capture file \(path): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }

    /// Tells Core Bluetooth, before the first manager is made.
    func apply() throws {
        if let capture {
            try Self.checkCapture(capture)
            setenv("COREBLUETOOTH_CAPTURE", capture, 1)
        }
        if let identity { setenv("COREBLUETOOTH_IDENTITY", identity, 1) }
        if let distance { setenv("COREBLUETOOTH_DISTANCE", String(distance), 1) }
        let name = adapter ?? ProcessInfo.processInfo.environment["COREBLUETOOTH_ADAPTER"] ?? ""
        guard !name.isEmpty else { return }
        do {
            // All that is set above is read here.
            try BluetoothAdapter.select(name)
        } catch let error as BluetoothAdapterError {
            throw Failure(error.description)
        }
    }
}

/// How to print.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(help: "Print what happens, on standard error.")
    var verbose = false

    /// The same, for a session.
    var format: OutputFormat { OutputFormat(isJSON: json, isVerbose: verbose) }
}
