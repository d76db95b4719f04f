// The option with which a program requires other devices to pair with it.

package import ArgumentParser
package import CoreBluetooth

/// How other devices must pair before they can use this one.
package enum PairingRequirement: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Any way: the connection is encrypted, but the peer is not authenticated.
    case justWorks = "just-works"
    /// Both devices show six digits, and both users confirm that they are equal.
    case compare
    /// This device shows six digits, which the user enters on the other one.
    case passkey

    /// The input and output capabilities that lead to this method.
    package var capabilities: PairingCapabilities {
        switch self {
        case .justWorks: .none
        case .compare: .displayAndConfirm
        case .passkey: .display
        }
    }
}

/// How other devices must pair, if they must.
package struct PairingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Require devices to pair with this one: passkey (they enter six digits shown here), compare (both show six "
                + "digits), or just-works (without a code).",
            valueName: "how"
        )
    )
    package var requirePairing: PairingRequirement?

    package init() {}

    /// The agent of a program whose device others pair with.
    ///
    /// - Parameters:
    ///   - output: The output for codes and outcomes.
    ///   - chosen: The capabilities that a person chose; `nil` for those of the required pairing.
    ///   - outOfBand: The out-of-band data for every peer; `nil` for none.
    package func agent(
        _ output: OutputFormat,
        chosen: PairingCapabilities? = nil,
        outOfBand: PairingOutOfBandExchange? = nil
    ) -> TerminalPairingAgent {
        TerminalPairingAgent(chosen ?? requirePairing?.capabilities, serves: output, outOfBand: outOfBand)
    }
}
