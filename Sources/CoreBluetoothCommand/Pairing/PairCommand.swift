// `corebluetooth pair`, and `pair` in a session: pairs with a device now, not when it first refuses something.

import ArgumentParser
import CommandLineTool
import CoreBluetooth

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
