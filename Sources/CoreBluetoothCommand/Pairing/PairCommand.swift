// `corebluetooth pair`: pair with a device now, and not when something is refused.

import ArgumentParser
import CommandLineTool
import CoreBluetooth

/// The command `corebluetooth pair`.
struct PairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a device and keep the keys.",
        discussion: """
            What the device shows is asked for at the terminal; without a terminal, one line of standard input is the \
            answer. Programs with the same --identity have the pairing from then on. Nothing has to be paired before it \
            is used: what a device refuses makes the two pair by itself.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Flag(help: "Demand a code, or numbers to compare: a pairing without them fails.")
    var code = false

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (code, output) = (code, output.format)
        try device.run(radio, output) { central, peripheral in
            let (security, wasPaired) = try await central.pair(code ? .authenticated : .encrypted)
            let name = Central.name(peripheral)
            output.print(
                "paired",
                [
                    ("identifier", .string(peripheral.identifier.uuidString)), ("name", JSONValue(peripheral.name)),
                    ("security", SecurityText.json(security)), ("new", .bool(!wasPaired)),
                ],
                line: "\(name) \(wasPaired ? "is paired already" : "is paired"): the connection is "
                    + SecurityText.text(security)
            )
        }
    }
}
