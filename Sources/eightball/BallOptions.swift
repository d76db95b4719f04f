// The options of the commands that are a ball: its name, and how it pairs.

import ArgumentParser
import CommandLineTool
import CoreBluetooth

/// A ball's options.
struct BallOptions: ParsableArguments {
    @Option(help: "The ball's name. (default: this computer's name)")
    var name: String?

    @OptionGroup var pairing: PairingOptions

    func validate() throws {
        if let name, name.isEmpty {
            throw ValidationError("The name is empty; a ball without a name is never found.")
        }
    }

    /// The advertised name.
    var ballName: String { name ?? EightBallPeripheralSession.defaultName }

    /// Applies the options, before the first manager is created.
    func apply(_ radio: RadioOptions, agent: any PairingAgent) throws {
        try radio.apply(
            deviceName: ballName,
            reportsShortening: name != nil,
            agent: agent,
            requiresPairing: pairing.requirePairing != nil
        )
    }
}
