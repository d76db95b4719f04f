// The commands and their options.

import ArgumentParser
import BlueEar
import CommandLineTool
import Foundation

/// `blueear`: the messenger's two halves.
struct MessengerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blueear",
        abstract: "Pass messages between two devices over Bluetooth.",
        discussion: """
            Start "blueear peripheral" in one terminal and "blueear central" in another. The central finds the \
            peripheral, receives its message, answers with its own and leaves. "blueear lock" and "blueear key" are a \
            door that opens when its key comes near.
            """,
        version: ProgramVersion.line("blueear"),
        subcommands: [Peripheral.self, Central.self, Lock.self, Key.self]
    )
}

extension MessengerCommand {
    /// The command `blueear peripheral`.
    struct Peripheral: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Advertise, and send a message to every subscriber, until interrupted.",
            discussion: """
                Prints a status line for each event, and each message received. Reads lines: KEY=VALUE is sent to \
                every subscriber, "quit" ends the program. The end of the input does not.
                """
        )

        private static let defaultName = "Peripheral - iOS"

        @Option(help: "The name to advertise.")
        var name = Self.defaultName

        @OptionGroup var message: MessageOptions
        @OptionGroup var restoration: RestorationOptions
        @OptionGroup var pairing: PairingOptions
        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if name.isEmpty { throw ValidationError("The name is empty.") }
        }

        func run() throws {
            let message = try message.message()
            let agent = pairing.agent(output.format)
            try radio.apply(
                deviceName: name,
                reportsShortening: name != Self.defaultName,
                agent: agent,
                requiresPairing: pairing.requirePairing != nil
            )
            MainActor.assumeIsolated {
                BlueEarPeripheralSession(
                    name: name,
                    message: message,
                    restoreIdentifier: restoration.restore,
                    pairing: ProgramPairing(agent, radio),
                    output: output.format
                ).run()
            }
        }
    }

    /// The command `blueear central`.
    struct Central: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find a peripheral, receive its message, answer, and leave.",
            discussion: """
                Prints a status line for each event, and each message received. With --stay the link is kept, and \
                established again when it is lost. The program then reads lines: KEY=VALUE is sent; after "quit" or \
                the end of the input, the program ends once everything is delivered.
                """
        )

        @Flag(help: "Keep the link for more messages.")
        var stay = false

        @Flag(help: "Read the peripheral's last message, instead of subscribing.")
        var read = false

        @Option(
            help: ArgumentHelp(
                "Connect to the peripheral with this name. (default: the first one found)",
                valueName: "name"
            )
        )
        var device: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Time out after this many seconds. (default: never)", valueName: "s")
        )
        var timeout: Double?

        @OptionGroup var message: MessageOptions
        @OptionGroup var restoration: RestorationOptions
        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            try Deadline.validate(timeout)
            if stay, read { throw ValidationError("Use --read or --stay, not both.") }
        }

        func run() throws {
            let message = try message.message()
            let agent = TerminalPairingAgent()
            try radio.apply(agent: agent)
            MainActor.assumeIsolated {
                BlueEarCentralSession(
                    message: message,
                    device: device,
                    stays: stay,
                    reads: read,
                    timeout: timeout,
                    restoreIdentifier: restoration.restore,
                    pairing: ProgramPairing(agent, radio),
                    output: output.format
                ).run()
            }
        }
    }
}

/// The message to send.
struct MessageOptions: ParsableArguments {
    @Option(
        name: .customLong("message"),
        help: ArgumentHelp("Send this; repeat it for a message of several pairs.", valueName: "key=value")
    )
    var pairs: [String] = []

    func validate() throws {
        var keys: Set<String> = []
        for text in pairs {
            guard let pair = MessagePair(text) else {
                throw ValidationError("\(PrintableText.quoted(text)) is not KEY=VALUE.")
            }
            guard keys.insert(pair.key).inserted else {
                throw ValidationError("The key \(PrintableText.quoted(pair.key)) is given twice.")
            }
        }
    }

    /// The message; `nil` if none is given.
    func message() throws -> [String: String]? {
        guard !pairs.isEmpty else { return nil }
        let message = Dictionary(
            pairs.compactMap(MessagePair.init).map { ($0.key, $0.value) },
            uniquingKeysWith: { $1 }
        )
        do {
            _ = try BlueEarService.length(of: message)
        } catch let error as BlueEarError {
            throw Failure(error.description)
        }
        return message
    }
}

/// The option with which a process takes over from one that has ended.
struct RestorationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Resume the state that was last kept under this identifier.", valueName: "id"))
    var restore: String?

    func validate() throws {
        if let restore, restore.isEmpty { throw ValidationError("The identifier to restore is empty.") }
    }
}

/// One `KEY=VALUE`; the value may contain "=".
struct MessagePair: Equatable {
    let key: String
    let value: String

    /// Parses a pair.
    init?(_ text: String) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        key = String(text[..<equals])
        value = String(text[text.index(after: equals)...])
    }
}
