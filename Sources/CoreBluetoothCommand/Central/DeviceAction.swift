// What can be done on a connection, described once: a command of the tool does it on a connection of its own, a session
// as often as a person asks for it.

import ArgumentParser
import CommandLineTool

/// Something to do on a connection, with its arguments.
protocol DeviceAction: ParsableArguments, Sendable {
    /// Its name and its help.
    static var configuration: CommandConfiguration { get }

    /// What may stand for its first argument in a session; for completion.
    @MainActor static func candidates(_ connection: DeviceConnection) -> [String]

    /// Does it.
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
