// How a command of the host is handled and answered (Vol 4, Part E, 4.4 and 4.5): with Command Complete, or with
// Command Status and later events. An unknown command is answered with 0x01, malformed parameters with 0x12.
// `CommandTable` lists the commands.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The handler of one command.
struct CommandHandler: Sendable {
    let opcode: HCIOpcode
    let handle: @Sendable (Controller, ByteBuffer) -> Void

    /// A method of the controller that carries a command out.
    typealias Method<Command, Result> = @Sendable (Controller) -> (Command) throws(HCIErrorCode) -> Result

    /// A command that is answered only if it fails.
    static func silent<Command: HCICommand>(
        _: Command.Type,
        _ method: @escaping Method<Command, Void>
    ) -> CommandHandler {
        CommandHandler(opcode: Command.opcode) { controller, parameters in
            var parameters = parameters
            do throws(HCIErrorCode) {
                guard let command = try? Command(parsing: &parameters) else { throw .invalidParameters }
                try method(controller)(command)
            } catch {
                controller.fail(Command.self, error)
            }
        }
    }

    /// A command that is answered by Command Complete.
    static func complete<Command: HCICommand>(
        _ type: Command.Type,
        _ body: @escaping @Sendable (Controller, Command) throws(HCIErrorCode) -> Command.ReturnParameters
    ) -> CommandHandler {
        self.silent(type) { controller in
            { command throws(HCIErrorCode) in controller.complete(type, try body(controller, command)) }
        }
    }

    /// A command that is answered by a status alone, with Command Complete.
    static func plain<Command: HCICommand>(
        _ type: Command.Type,
        _ method: @escaping Method<Command, Void>
    ) -> CommandHandler where Command.ReturnParameters == StatusReturnParameters {
        self.complete(type) { (controller, command) throws(HCIErrorCode) in
            try method(controller)(command)
            return StatusReturnParameters()
        }
    }

    /// A command that stores a setting and is answered by a status.
    static func plain<Command: HCICommand>(
        _ type: Command.Type,
        _ body: @escaping @Sendable (Controller, Command) -> Void
    ) -> CommandHandler where Command.ReturnParameters == StatusReturnParameters {
        self.complete(type) { controller, command in
            body(controller, command)
            return StatusReturnParameters()
        }
    }

    /// A command whose effect follows its answer.
    ///
    /// The answer is Command Complete or Command Status, as the command demands. `begin` returns the effect, or throws
    /// the error to answer with.
    static func procedure<Command: HCICommand>(
        _ type: Command.Type,
        _ begin: @escaping Method<Command, () -> Void>,
        answer: @escaping @Sendable (Command) -> Command.ReturnParameters
    ) -> CommandHandler {
        self.silent(type) { controller in
            { command throws(HCIErrorCode) in
                let effect = try begin(controller)(command)
                controller.complete(type, answer(command))
                effect()
            }
        }
    }

    /// A command that is answered by Command Status.
    static func status<Command: HCICommand>(
        _ type: Command.Type,
        _ begin: @escaping Method<Command, () -> Void>
    ) -> CommandHandler where Command.ReturnParameters == NoReturnParameters {
        self.procedure(type, begin) { _ in NoReturnParameters() }
    }
}

extension Controller {
    /// The handlers of the commands that a model knows. Every controller answers the commands that identify it,
    /// whatever its list says.
    static func knownCommands(of model: ControllerModel) -> [HCIOpcode: CommandHandler] {
        guard model.commands != Self.supportedCommands || !model.refusedCommands.isEmpty else { return Self.handlers }
        let unlisted = [Reset.opcode, ReadLocalVersionInformation.opcode, ReadBDADDR.opcode]
        return Self.handlers.filter { opcode, _ in
            guard !model.refusedCommands.contains(opcode) else { return false }
            return unlisted.contains(opcode) || HCICommandTable.bit(of: opcode).map(model.commands.contains) ?? true
        }
    }

    /// All commands, as the bits of Read Local Supported Commands.
    static let supportedCommands = SupportedCommands(
        HCICommandTable.entries.map(\.command).filter { Controller.handlers[$0.opcode] != nil }
    )

    /// Handles a command of the host.
    func handleCommand(_ packet: HCIPacket) {
        let start = packet.bytes.readerIndex
        // A packet without an opcode cannot be answered.
        guard let opcode: UInt16 = packet.bytes.getInteger(at: start + 1, endianness: .little) else { return }
        let number = HCIOpcode(rawValue: opcode)
        guard !self.model.unansweredCommands.contains(number) else { return }
        guard let handler = self.knownCommands[number] else {
            return self.deliverStatus(.unknownCommand, of: number)
        }
        // The handler rejects parameters that end too early.
        let length = packet.bytes.getInteger(at: start + 3, as: UInt8.self).map(Int.init) ?? 0
        let available = max(0, packet.bytes.readableBytes - 4)
        let parameters = packet.bytes.getSlice(at: start + 4, length: min(length, available)) ?? ByteBuffer()
        handler.handle(self, parameters)
    }

    var commandCredits: UInt8 { UInt8(clamping: self.model.commandCredits) }

    /// Answers a command.
    func complete<Command: HCICommand>(_: Command.Type, _ answer: Command.ReturnParameters) {
        if Command.isAnsweredByStatus { return self.deliverStatus(answer.status, of: Command.opcode) }
        self.deliver(CommandComplete.packet(Command.self, answer, numberOfCommandPackets: self.commandCredits))
    }

    /// Rejects a command. All return parameters after the status are zero.
    func fail<Command: HCICommand>(_: Command.Type, _ status: HCIErrorCode) {
        var octets = ByteBuffer(integer: status.rawValue)
        if !Command.isAnsweredByStatus, let answer = try? Command.ReturnParameters(parsing: &octets) {
            return self.complete(Command.self, answer)
        }
        self.deliverStatus(status, of: Command.opcode)
    }

    private func deliverStatus(_ status: HCIErrorCode, of opcode: HCIOpcode) {
        self.deliver(
            CommandStatus(status: status, numberOfCommandPackets: self.commandCredits, opcode: opcode).packet()
        )
    }
}
