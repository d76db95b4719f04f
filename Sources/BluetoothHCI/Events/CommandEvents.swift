// The two answers to a command (Vol 4, Part E, 7.7.14 and 7.7.15). Both also say how many commands the host may send
// now (4.4).

public import BluetoothTypes
package import NIOCore

/// A command has completed, with these return parameters (Vol 4, Part E, 7.7.14).
public struct CommandComplete: HCIEventPayload {
    package static let code = HCIEventCode.commandComplete
    /// The number of commands that the host may send now.
    package var numberOfCommandPackets: UInt8
    /// ``HCIOpcode/none`` if the event only updates the number of commands.
    public var opcode: HCIOpcode
    /// The return parameters, unparsed.
    package var returnParameters: ByteBuffer

    package init(numberOfCommandPackets: UInt8 = 1, opcode: HCIOpcode, returnParameters: ByteBuffer = ByteBuffer()) {
        self.numberOfCommandPackets = numberOfCommandPackets
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    package init<Command: HCICommand>(
        _: Command.Type,
        _ parameters: Command.ReturnParameters,
        numberOfCommandPackets: UInt8 = 1
    ) {
        var bytes = ByteBuffer()
        parameters.encode(into: &bytes)
        self.init(
            numberOfCommandPackets: numberOfCommandPackets,
            opcode: Command.opcode,
            returnParameters: bytes
        )
    }

    /// The packet of an answer, encoded without an intermediate event.
    package static func packet<Command: HCICommand>(
        _: Command.Type,
        _ parameters: Command.ReturnParameters,
        numberOfCommandPackets: UInt8 = 1,
        allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) -> HCIPacket {
        HCIPacket.event(.commandComplete, nil, allocator: allocator) { bytes in
            bytes.writeInteger(numberOfCommandPackets)
            Command.opcode.write(into: &bytes)
            parameters.encode(into: &bytes)
        }
    }

    /// Parses the return parameters.
    ///
    /// - Throws: `MalformedBytes` if they are malformed, or if the event answers another command.
    public func returned<Command: HCICommand>(
        by _: Command.Type
    ) throws(MalformedBytes) -> Command.ReturnParameters {
        guard self.opcode == Command.opcode else { throw MalformedBytes(.invalid, "Command_Opcode") }
        var bytes = self.returnParameters
        return try Command.ReturnParameters(parsing: &bytes)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.numberOfCommandPackets = try coder.field("Num_HCI_Command_Packets", \.numberOfCommandPackets)
        self.opcode = try coder.field("Command_Opcode", \.opcode)
        self.returnParameters = try coder.remainder("Return_Parameters", \.returnParameters)
    }
}

/// A command was accepted, and another event follows, or it was rejected (Vol 4, Part E, 7.7.15).
public struct CommandStatus: HCIEventPayload {
    package static let code = HCIEventCode.commandStatus
    package var status: HCIErrorCode
    /// The number of commands that the host may send now.
    package var numberOfCommandPackets: UInt8
    /// ``HCIOpcode/none`` if the event only updates the number of commands.
    public var opcode: HCIOpcode

    package init(status: HCIErrorCode = .success, numberOfCommandPackets: UInt8 = 1, opcode: HCIOpcode) {
        (self.status, self.numberOfCommandPackets, self.opcode) = (status, numberOfCommandPackets, opcode)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.numberOfCommandPackets = try coder.field("Num_HCI_Command_Packets", \.numberOfCommandPackets)
        self.opcode = try coder.field("Command_Opcode", \.opcode)
    }
}
