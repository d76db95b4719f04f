// The options that say how this device pairs: its input and output, the kind of pairing, and whether the keys are kept.

import ArgumentParser
import CommandLineTool
import CoreBluetooth

/// The input and output of a device (Vol 3, Part H, 2.3.2).
enum PairingInputOutput: String, ExpressibleByArgument, CaseIterable {
    case none
    case display
    case displayYesNo = "display-yes-no"
    case keyboard
    case keyboardDisplay = "keyboard-display"

    var capabilities: PairingCapabilities {
        switch self {
        case .none: .none
        case .display: .display
        case .displayYesNo: .displayAndConfirm
        case .keyboard: .keyboard
        case .keyboardDisplay: .keyboardAndDisplay
        }
    }
}

/// How this device pairs.
struct PairingMethodOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Pair as a device with this input and output: none, display, display-yes-no, keyboard or keyboard-display. "
                + "(default: what can be asked at the terminal)",
            valueName: "kind"
        )
    )
    var io: PairingInputOutput?

    @Flag(help: "Pair by legacy pairing, without LE Secure Connections.")
    var noSecureConnections = false

    @Flag(help: "Do not keep the keys: they are for this connection alone.")
    var noBond = false

    /// Refuses what an adapter cannot do: BlueZ pairs by its own rules.
    func check(_ radio: RadioOptions, usesOutOfBandData: Bool) throws {
        guard noSecureConnections || noBond || usesOutOfBandData, case .bluez = try Arguments.adapter(radio.adapter)
        else { return }
        throw ValidationError(
            "With bluez the system decides how it pairs, and keeps the keys: use --no-secure-connections, --no-bond "
                + "and --oob with another adapter, such as hci0."
        )
    }

    func apply(to configuration: inout BluetoothAdapter.Configuration) {
        configuration.offersSecureConnections = !noSecureConnections
        configuration.isBondable = !noBond
    }
}
