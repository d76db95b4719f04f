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

    /// The result of parsing a line.
    enum Outcome {
        case action(any DeviceAction)
        /// Help that was asked for.
        case help(String)
    }

    /// The command with a name.
    static func command(_ name: String) throws -> any DeviceAction.Type {
        let found = all.first { Self.name($0) == name.lowercased() || name == "q" && $0 == QuitAction.self }
        if let found { return found }
        let hint = CommandSuggestion.question(for: name, among: all.map(Self.name)) ?? "help lists them"
        throw Failure("there is no command \(PrintableText.quoted(name)); \(hint)")
    }

    /// A command's name.
    static func name(_ command: any DeviceAction.Type) -> String { command.configuration.commandName ?? "" }

    /// The command that a line asks for; `nil` for an empty line or a comment, which begins with `#`.
    static func parse(_ text: String) throws -> Outcome? {
        let line = SessionLine(text)
        guard let name = line.words.first, !name.hasPrefix("#") else { return nil }
        guard !line.isOpen else { throw Failure("a quotation mark is not closed") }
        return try parse(try command(name), Array(line.words.dropFirst()))
    }

    private static func parse<Action: DeviceAction>(_ type: Action.Type, _ arguments: [String]) throws -> Outcome {
        do {
            return .action(try SessionCommand<Action>.parse(arguments).action)
        } catch {
            guard SessionCommand<Action>.exitCode(for: error) != .success else {
                return .help(SessionCommand<Action>.message(for: error))
            }
            throw Failure("\(name(type)): \(SessionCommand<Action>.message(for: error))")
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
