// The commands of a session: their table, and how a line becomes one of them.

import ArgumentParser
import CommandLineTool
import TerminalScreen

/// The commands of a session.
enum SessionCommands {
    /// In the order in which `help` lists them.
    static let all: [any DeviceAction.Type] = [
        DiscoverAction.self, ReadAction.self, WriteAction.self, SubscribeAction.self, UnsubscribeAction.self,
        WaitAction.self, ChannelAction.self, MTUAction.self, PHYAction.self, ParametersAction.self, RSSIAction.self,
        PairAction.self, DisconnectAction.self, ReconnectAction.self, HelpAction.self, QuitAction.self,
    ]

    /// The command with a name.
    static func command(_ name: String) throws -> any DeviceAction.Type {
        let found = all.first { Self.name($0) == name.lowercased() || name == "q" && $0 == QuitAction.self }
        if let found { return found }
        throw SessionLine.unknownCommand(name, among: all.map(Self.name))
    }

    /// A command's name.
    static func name(_ command: any DeviceAction.Type) -> String { command.configuration.commandName ?? "" }

    /// The command that a line asks for; `nil` for an empty line or a comment, which begins with `#`.
    static func parse(_ text: String) throws -> ParsedLine<any DeviceAction>? {
        guard let (name, arguments) = try SessionLine(text).command() else { return nil }
        return try parse(try command(name), arguments)
    }

    private static func parse<Action: DeviceAction>(
        _ type: Action.Type,
        _ arguments: [String]
    ) throws -> ParsedLine<any DeviceAction> {
        switch try SessionCommand<Action>.parseLine(arguments, of: name(type)) {
        case .command(let command): .command(command.action)
        case .help(let text): .help(text)
        }
    }

    /// The help of a command.
    static func help<Action: DeviceAction>(_ type: Action.Type) -> String { SessionCommand<Action>.helpMessage() }

    // MARK: Completion

    /// The completions of the word at the end of a line.
    @MainActor
    static func completion(of text: String, on connection: DeviceConnection) -> LineCompletion {
        SessionLine(text).completion { before, word in
            guard let first = before.first else { return all.map(name) }
            guard let command = try? command(first) else { return [] }
            if word.hasPrefix("-") { return options(command) }
            return before.count == 1 ? command.candidates(connection) : []
        }
    }

    /// The options of a command, from its usage.
    private static func options<Action: DeviceAction>(_ type: Action.Type) -> [String] {
        SessionCommand<Action>.usageString().split { " []".contains($0) }.map(String.init).filter { $0.hasPrefix("--") }
    }
}
