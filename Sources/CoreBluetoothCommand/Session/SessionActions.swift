// Commands that only a session has: discovering, ending subscriptions, waiting, reconnecting, help, and the end.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen

/// Shows what the device offers.
struct DiscoverAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Show the services, characteristics and descriptors of the device."
    )

    @Flag(help: "Also read the values.")
    var values = false

    func run(on connection: DeviceConnection) async throws {
        let inspection = Inspection(central: connection.central, reads: values, output: connection.output)
        try await inspection.show(try await connection.central.discoverServices())
    }
}

/// Ends a subscription.
struct UnsubscribeAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "unsubscribe",
        abstract: "Stop printing a characteristic's values."
    )

    @OptionGroup var characteristic: CharacteristicOptions

    static func candidates(_ connection: DeviceConnection) -> [String] {
        connection.subscribed.flatMap { UUIDText.spellings($0.uuid) }
    }

    func run(on connection: DeviceConnection) async throws {
        try await connection.unsubscribe(from: try await characteristic.find(connection))
    }
}

/// Waits while values come.
struct WaitAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait SECONDS seconds, while values are printed as they come."
    )

    @Argument(help: "The seconds.")
    var seconds: Double

    func validate() throws { try Deadline.validateWait(seconds) }

    func run(on connection: DeviceConnection) async throws { try await connection.waitForValues(seconds) }
}

/// Disconnects.
struct DisconnectAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "disconnect",
        abstract: "End the connection, not the session; connect makes it again."
    )

    func run(on connection: DeviceConnection) async throws {
        try await connection.disconnect()
        connection.print("disconnected", line: nil)
    }
}

/// Connects again.
struct ReconnectAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connect again after the connection was lost or ended."
    )

    @Option(parsing: .unconditional, help: ArgumentHelp("Time out after this many seconds.", valueName: "s"))
    var timeout = 10.0

    func validate() throws { try Deadline.validate(timeout) }

    func run(on connection: DeviceConnection) async throws {
        guard connection.peripheral.state != .connected else { return }
        try await connection.central.connect(connection.peripheral, timeout: timeout)
        connection.watch()
        connection.print("connected", line: nil)
    }
}

/// Lists the commands.
struct HelpAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "help",
        abstract: "Show the commands, or the help of one."
    )

    @Argument(help: "The command.")
    var command: String?

    static func candidates(_ connection: DeviceConnection) -> [String] { SessionCommands.all.map(SessionCommands.name) }

    func run(on connection: DeviceConnection) throws {
        if let command { return connection.output.write(SessionCommands.help(try SessionCommands.command(command))) }
        for command in SessionCommands.all {
            let name = SessionCommands.name(command)
            let first = name.padding(toLength: 13, withPad: " ", startingAt: 0)
            let indent = String(repeating: " ", count: first.count)
            let abstract = command.configuration.abstract
            WrappedText.lines(abstract, first: first, rest: indent, columns: Terminal.output.width).forEach(
                connection.output.write
            )
        }
    }
}

/// Ends the session.
struct QuitAction: DeviceAction {
    static let configuration = CommandConfiguration(commandName: "quit", abstract: "Disconnect, and end the session.")

    /// The session is to end.
    struct End: Error {}

    func run(on connection: DeviceConnection) throws { throw End() }
}
