// Lines of standard input, which change values while the peripheral runs. A line that fails changes nothing, and the
// peripheral goes on; so it does at the end of the input.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore

/// A command for a peripheral that runs.
protocol PeripheralLine: ParsableArguments {
    static var configuration: CommandConfiguration { get }
    @MainActor func run(in session: AdvertiseSession) throws
}

/// A value of a line.
struct LineValue: ParsableArguments {
    @OptionGroup var characteristic: CharacteristicOptions

    @Argument(help: "The value. (notify: default is the present one)")
    var value: String?

    @OptionGroup var form: WrittenValueOptions

    func validate() throws {
        guard let value else { return }
        try form.check(value)
        let count = try form.octets(of: value).count
        guard count <= GATTDescription.Value.limit else {
            throw ValidationError("A value has up to \(GATTDescription.Value.limit) octets, not \(count).")
        }
    }

    /// The octets; `nil` if no value is given.
    var octets: Data? { get throws { try value.map(form.octets) } }
}

/// Changes a value.
struct SetLine: PeripheralLine {
    static let configuration = CommandConfiguration(commandName: "set", abstract: "Change a value, without sending it.")

    @OptionGroup var value: LineValue

    func validate() throws { if value.value == nil { throw ValidationError("The value is missing.") } }

    func run(in session: AdvertiseSession) throws {
        let attribute = try session.attribute(value.characteristic)
        session.set(try value.octets ?? attribute.value, of: attribute)
        session.report("set", attribute.characteristic, nil, attribute.value)
    }
}

/// Changes a value and sends it.
struct NotifyLine: PeripheralLine {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Send a value, the present one or a new one, to the centrals that have subscribed."
    )

    @OptionGroup var value: LineValue

    func run(in session: AdvertiseSession) throws {
        let attribute = try session.attribute(value.characteristic)
        let characteristic = attribute.characteristic
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw Failure("\(characteristic.uuid) has neither notify nor indicate among its properties")
        }
        session.set(try value.octets ?? attribute.value, of: attribute)
        session.report("notified", characteristic, nil, attribute.value)
        guard characteristic.subscribedCentrals?.isEmpty == false else {
            return Console.warn("nobody has subscribed to \(characteristic.uuid); the value can only be read")
        }
        session.notify(.init(attribute: attribute, value: attribute.value))
    }
}

/// Ends the peripheral.
struct EndLine: PeripheralLine {
    static let configuration = CommandConfiguration(commandName: "quit", abstract: "End the peripheral.")

    func run(in session: AdvertiseSession) { Ending.succeed() }
}

extension AdvertiseSession {
    private static let commands: [any PeripheralLine.Type] = [SetLine.self, NotifyLine.self, EndLine.self]

    /// Takes commands from lines, unless they answer a question of the conversation.
    func take(_ reader: LineReader, _ conversation: PairingConversation?) {
        lines = reader
        conversation?.lines = reader
        reader.onLine = { [weak self] line in if let line { self?.perform(line) } }
    }

    /// Performs a line.
    private func perform(_ text: String) {
        do {
            guard let (word, arguments) = try SessionLine(text).command() else { return }
            let name = word.lowercased()
            guard name != "help" else { return showHelp() }
            try perform(try Self.command(name), arguments)
        } catch {
            let failure = error as? Failure ?? Failure("\(error)")
            let details: Record.Details = [("time", Record.time()), ("command", .string(text))]
            output.print(Failure(failure.line, failure.kind, details: details))
            Console.report("\(Ending.program): \(PrintableText.text(failure.line))")
        }
    }

    private func showHelp() {
        for command in Self.commands { output.write("\(Self.name(command))  \(command.configuration.abstract)") }
    }

    private static func name(_ command: any PeripheralLine.Type) -> String { command.configuration.commandName ?? "" }

    private static func command(_ name: String) throws -> any PeripheralLine.Type {
        if let command = commands.first(where: { Self.name($0) == name }) { return command }
        throw SessionLine.unknownCommand(name, among: commands.map(Self.name))
    }

    private func perform<Line: PeripheralLine>(_ type: Line.Type, _ arguments: [String]) throws {
        switch try type.parseLine(arguments, of: Self.name(type)) {
        case .command(let line): try line.run(in: self)
        case .help(let text): output.write(text)
        }
    }

    /// The characteristic that a line names.
    func attribute(_ options: CharacteristicOptions) throws -> Attribute {
        let (query, service) = (try AttributeQuery(options.characteristic), try options.service.map(Arguments.uuid))
        let found = attributes.first {
            query.selects($0.characteristic) && (service == nil || $0.characteristic.service?.uuid == service)
        }
        guard let found else {
            let place = options.service.map { " in the service \($0)" } ?? ""
            throw Failure("the peripheral has no characteristic \(options.characteristic)\(place)", .notFound)
        }
        return found
    }

    /// Changes a value. Reads get it, those of a recorded characteristic after the recorded values.
    func set(_ value: Data, of attribute: Attribute) {
        attribute.value = value
        attribute.replay?.sent(ByteBuffer(bytes: value))
    }
}
