// The options of commands for one device, and such a command from the first scan to its end.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

extension CompletionKind {
    /// The devices that this user's programs have met; a name with control characters is not given to a shell.
    static let knownDevices = CompletionKind.custom { _, _, _ in
        StoredDevices.spellings(limit: 100).filter { $0 == PrintableText.text($0) }
    }
}

/// The device, and the time to look for it.
struct DeviceOptions: ParsableArguments {
    @Argument(
        help: "The device: its name, its identifier, or the first four characters of that and more.",
        completion: .knownDevices
    )
    var device: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Time out after this many seconds of scanning and connecting.", valueName: "s")
    )
    var timeout = 10.0

    @Option(help: "If several devices have the name: refuse (only), or take the strongest, or the first heard.")
    var pick = DevicePick.only

    func validate() throws {
        try Deadline.validate(timeout)
        if device.isEmpty { throw ValidationError("The device is empty.") }
    }

    /// Runs `body` on a connection to the device, then ends the program: with 0, or with the line of the error
    /// and the status of its kind. A refusal for lack of security makes the devices pair, and the user is asked
    /// at the terminal.
    ///
    /// - Parameters:
    ///   - radio: The adapter.
    ///   - output: The output.
    ///   - agent: Talks with the user while the devices pair.
    ///   - permitsPairing: Whether this device pairs at all.
    ///   - isRecorded: Whether a capture is to show all of the device: it is heard advertising and discovered anew,
    ///     even if it is known.
    ///   - configure: Changes the rest of the adapter's configuration.
    ///   - body: The command.
    func run(
        _ radio: RadioOptions,
        _ output: OutputFormat,
        agent: TerminalPairingAgent = TerminalPairingAgent(),
        permitsPairing: Bool = true,
        isRecorded: Bool = false,
        configure: (inout BluetoothAdapter.Configuration) -> Void = { _ in },
        _ body: @escaping @MainActor (Central, CBPeripheral) async throws -> Void
    ) throws -> Never {
        try radio.apply(
            agent: agent,
            permitsPairing: permitsPairing,
            usesCachedDatabases: !isRecorded,
            configure: configure
        )
        let pairing = ProgramPairing(agent, radio)
        MainActor.assumeIsolated { () -> Never in
            start(Central(pairing: pairing, output: output), isHeard: isRecorded, body)
            Interrupts.runUntilExit()
        }
    }

    /// Starts to look for the device; the outcome ends the program.
    @MainActor
    func start(
        _ central: Central,
        isHeard: Bool = false,
        _ body: @escaping @MainActor (Central, CBPeripheral) async throws -> Void
    ) {
        Task { @MainActor in
            do {
                let peripheral = try await connect(central, isHeard: isHeard)
                try await body(central, peripheral)
                await central.disconnect()
                Ending.succeed()
            } catch {
                central.output.fail(central.failure(for: error, device: device))
            }
        }
    }

    /// Finds the device and connects to it.
    @MainActor
    private func connect(_ central: Central, isHeard: Bool) async throws -> CBPeripheral {
        try await central.start(timeout: timeout)
        let peripheral = try await central.find(DeviceQuery(device), pick, timeout: timeout, isHeard: isHeard)
        try await central.connect(peripheral, timeout: timeout)
        return peripheral
    }
}
