// How a command of the host is handled and answered (Vol 4, Part E, 4.4 and 4.5): with Command Complete, or with
// Command Status and the events that follow; an unknown one with 0x01, malformed parameters with 0x12. Which commands
// there are is in `CommandTable`.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// How a command is handled.
struct CommandHandler: Sendable {
    let opcode: HCIOpcode
    let handle: @Sendable (Controller, ByteBuffer) -> Void

    /// A command without an answer, unless it is wrong.
    static func silent<Command: HCICommand>(
        _: Command.Type,
        _ body: @escaping @Sendable (Controller, Command) throws(HCIErrorCode) -> Void
    ) -> CommandHandler {
        CommandHandler(opcode: Command.opcode) { controller, parameters in
            var parameters = parameters
            do throws(HCIErrorCode) {
                guard let command = try? Command(parsing: &parameters) else { throw .invalidParameters }
                try body(controller, command)
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
        self.silent(type) { (controller, command) throws(HCIErrorCode) in
            controller.complete(Command.self, try body(controller, command))
        }
    }

    /// A command that is answered by a status alone, with Command Complete.
    static func plain<Command: HCICommand>(
        _ type: Command.Type,
        _ body: @escaping @Sendable (Controller, Command) throws(HCIErrorCode) -> Void
    ) -> CommandHandler where Command.ReturnParameters == StatusReturnParameters {
        self.complete(type) { (controller, command) throws(HCIErrorCode) in
            try body(controller, command)
            return StatusReturnParameters()
        }
    }

    /// A command whose effect comes behind its answer.
    ///
    /// The answer is Command Complete, or Command Status where the command is answered so. What `begin` returns is the
    /// effect; what it throws is the answer.
    static func procedure<Command: HCICommand>(
        _ type: Command.Type,
        answer: @escaping @Sendable (Command) -> Command.ReturnParameters,
        begin: @escaping @Sendable (Controller, Command) throws(HCIErrorCode) -> () -> Void
    ) -> CommandHandler {
        self.silent(type) { (controller, command) throws(HCIErrorCode) in
            let effect = try begin(controller, command)
            controller.complete(Command.self, answer(command))
            effect()
        }
    }

    /// A command that is answered by Command Status.
    static func status<Command: HCICommand>(
        _ type: Command.Type,
        _ begin: @escaping @Sendable (Controller, Command) throws(HCIErrorCode) -> () -> Void
    ) -> CommandHandler where Command.ReturnParameters == NoReturnParameters {
        self.procedure(type, answer: { _ in NoReturnParameters() }, begin: begin)
    }
}

extension Controller {
    /// The handlers of the commands that a model knows. It reads what it is whatever its list says, as everybody does.
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
        // Without an opcode there is nothing to answer.
        guard let opcode: UInt16 = packet.bytes.getInteger(at: start + 1, endianness: .little) else { return }
        let number = HCIOpcode(rawValue: opcode)
        guard !self.model.unansweredCommands.contains(number) else { return }
        guard let handler = self.knownCommands[number] else {
            self.deliver(
                CommandStatus(
                    status: .unknownCommand,
                    numberOfCommandPackets: self.commandCredits,
                    opcode: number
                ).packet()
            )
            return
        }
        // Parameters that end too early are malformed; the handler finds that out.
        let length = packet.bytes.getInteger(at: start + 3, as: UInt8.self).map(Int.init) ?? 0
        let available = max(0, packet.bytes.readableBytes - 4)
        let parameters = packet.bytes.getSlice(at: start + 4, length: min(length, available)) ?? ByteBuffer()
        handler.handle(self, parameters)
    }

    var commandCredits: UInt8 { UInt8(clamping: self.model.commandCredits) }

    /// Answers a command.
    func complete<Command: HCICommand>(_: Command.Type, _ answer: Command.ReturnParameters) {
        if Command.isAnsweredByStatus {
            self.deliver(
                CommandStatus(
                    status: answer.status,
                    numberOfCommandPackets: self.commandCredits,
                    opcode: Command.opcode
                ).packet()
            )
        } else {
            self.deliver(
                CommandComplete.packet(Command.self, answer, numberOfCommandPackets: self.commandCredits)
            )
        }
    }

    /// Refuses a command; what its answer carries behind the status is zero.
    func fail<Command: HCICommand>(_: Command.Type, _ status: HCIErrorCode) {
        var octets = ByteBuffer(integer: status.rawValue)
        if !Command.isAnsweredByStatus, let answer = try? Command.ReturnParameters(parsing: &octets) {
            return self.complete(Command.self, answer)
        }
        self.deliver(
            CommandStatus(status: status, numberOfCommandPackets: self.commandCredits, opcode: Command.opcode).packet()
        )
    }
}
