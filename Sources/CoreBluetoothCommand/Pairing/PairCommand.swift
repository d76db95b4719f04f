// `corebluetooth pair`, and `pair` in a session: pairs with a device now, not when it first refuses something.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth pair`.
struct PairCommand: ParsableCommand {
    static let configuration = PairAction.configuration

    @OptionGroup var device: DeviceOptions
    @OptionGroup var action: PairAction
    @OptionGroup var method: PairingMethodOptions

    @Option(
        help: ArgumentHelp(
            "Pair by the out-of-band data that advertise --oob prints: its digits, or a file with them.",
            valueName: "hex or file"
        ),
        completion: .file()
    )
    var oob: String?

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try method.check(radio, usesOutOfBandData: oob != nil) }

    func run() throws {
        let (action, output) = (action, output.format)
        let outOfBand = try oob.map { PairingOutOfBandExchange(peer: try Self.outOfBandData($0)) }
        let agent = TerminalPairingAgent(method.io?.capabilities, outOfBand: outOfBand)
        try device.run(radio, output, agent: agent, configure: method.apply) { central, peripheral in
            try await action.run(on: DeviceConnection(central, peripheral, output: output))
        }
    }

    /// The out-of-band data that digits are, or a file has, as digits or as octets.
    static func outOfBandData(_ text: String) throws -> PairingOutOfBandData {
        let octets: Data
        if let digits = HexadecimalText.octets(text) {
            octets = digits
        } else {
            let content = try InputFile.read(text)
            let line = String(validating: content, as: UTF8.self)?.trimmingCharacters(in: .whitespacesAndNewlines)
            octets = line.flatMap { HexadecimalText.octets($0) } ?? content
        }
        guard let data = PairingOutOfBandData(advertisingData: octets) else {
            throw Failure("\(PrintableText.quoted(text)) has no out-of-band data; advertise --oob prints such data")
        }
        return data
    }
}

/// Pairs with a device.
struct PairAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a device and keep the keys.",
        discussion: """
            The code that the device shows is asked for at the terminal; without a terminal, one line of standard \
            input is the answer. Programs with the same --identity share the pairing from then on. You need not pair \
            before you use a device: when it refuses something for lack of security, the two pair by themselves.
            """
    )

    @Flag(help: "Demand a code, or numbers to compare: a pairing without them fails.")
    var code = false

    func run(on connection: DeviceConnection) async throws {
        let (security, wasPaired) = try await connection.central.pair(code ? .authenticated : .encrypted)
        let name = Central.name(connection.peripheral)
        connection.print(
            "paired",
            [("security", SecurityText.json(security)), ("new", .bool(!wasPaired))],
            line: "\(name) \(wasPaired ? "is paired already" : "is paired"): the connection is "
                + SecurityText.text(security)
        )
    }
}
