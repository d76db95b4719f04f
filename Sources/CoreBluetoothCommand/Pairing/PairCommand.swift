// `corebluetooth pair`, and `pair` in a session: pair with a device now, and not when something is refused.

import ArgumentParser
import CommandLineTool
import CoreBluetooth

/// Pairs with a device.
struct PairAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a device and keep the keys.",
        discussion: """
            What the device shows is asked for at the terminal; without a terminal, one line of standard input is the \
            answer. Programs with the same --identity have the pairing from then on. Nothing has to be paired before it \
            is used: what a device refuses makes the two pair by itself.
            """
    )

    @Flag(help: "Demand a code, or numbers to compare: a pairing without them fails.")
    var code = false

    func run(on connection: DeviceConnection) async throws {
        let peripheral = connection.peripheral
        let (security, wasPaired) = try await connection.central.pair(code ? .authenticated : .encrypted)
        let name = Central.name(peripheral)
        connection.output.print(
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
