// The option with which a program demands that others pair with it.

package import ArgumentParser
package import CoreBluetooth

/// How other devices have to pair before they can use this one.
package enum PairingRequirement: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// In any way: the connection is encrypted, and nobody knows with whom.
    case justWorks = "just-works"
    /// Both devices show six digits, and both users say whether they are the same.
    case compare
    /// This device shows six digits, which are entered at the other one.
    case passkey

    /// What the user of the device can see and do then.
    package var capabilities: PairingCapabilities {
        switch self {
        case .justWorks: .none
        case .compare: .displayAndConfirm
        case .passkey: .display
        }
    }
}

/// Whether others have to pair.
package struct PairingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Demand that devices pair with this one: passkey (they enter six digits that it shows), compare (both show "
                + "six digits), or just-works (without a code).",
            valueName: "how"
        )
    )
    package var requirePairing: PairingRequirement?

    package init() {}

    /// The agent of a program whose device others pair with.
    package func agent(_ output: OutputFormat) -> TerminalPairingAgent {
        TerminalPairingAgent(requirePairing?.capabilities, serves: output)
    }
}
