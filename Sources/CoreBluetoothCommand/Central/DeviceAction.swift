// Actions on a connection, each described once: a command of the tool runs it on a connection of its own, a session
// whenever the user asks for it.

import ArgumentParser
import CommandLineTool

/// An action on a connection, with its arguments.
protocol DeviceAction: ParsableArguments, Sendable {
    /// Its name and its help.
    static var configuration: CommandConfiguration { get }

    /// The completions of its first argument in a session.
    @MainActor static func candidates(_ connection: DeviceConnection) -> [String]

    /// Runs it.
    @MainActor func run(on connection: DeviceConnection) async throws
}

extension DeviceAction {
    @MainActor static func candidates(_ connection: DeviceConnection) -> [String] { [] }
}

/// A command of the tool: an action on a connection of its own.
struct DeviceCommand<Action: DeviceAction>: ParsableCommand {
    static var configuration: CommandConfiguration { Action.configuration }

    @OptionGroup var device: DeviceOptions
    @OptionGroup var action: Action
    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (action, output) = (action, output.format)
        try device.run(radio, output) { central, peripheral in
            try await action.run(on: DeviceConnection(central, peripheral, output: output))
        }
    }
}

/// A command of a session.
struct SessionCommand<Action: DeviceAction>: ParsableCommand {
    static var configuration: CommandConfiguration { Action.configuration }

    @OptionGroup var action: Action
}
