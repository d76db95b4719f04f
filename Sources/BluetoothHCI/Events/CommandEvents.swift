// The two answers to a command (Vol 4, Part E, 7.7.14 and 7.7.15). Both also say how many commands the host may send
// now (4.4).

public import BluetoothTypes
public import NIOCore

/// A command is done; what it returns is attached (Vol 4, Part E, 7.7.14).
public struct CommandComplete: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.commandComplete

    /// How many commands the host may send now.
    public var numberOfCommandPackets: UInt8
    /// The command, or ``HCIOpcode/none`` where the event is for the number alone.
    public var opcode: HCIOpcode
    /// What the command returns, unparsed.
    public var returnParameters: ByteBuffer

    /// Creates an event with return parameters as octets.
    public init(numberOfCommandPackets: UInt8 = 1, opcode: HCIOpcode, returnParameters: ByteBuffer = ByteBuffer()) {
        self.numberOfCommandPackets = numberOfCommandPackets
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// Creates the answer to a command.
    public init<Command: HCICommand>(
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

    /// The packet of an answer to a command, without an event in between.
    public static func packet<Command: HCICommand>(
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

    /// What the command returned, read as that command's return parameters.
    ///
    /// - Throws: `MalformedBytes` where they are not, or where the event answers another command.
    public func returned<Command: HCICommand>(
        by _: Command.Type
    ) throws(MalformedBytes) -> Command.ReturnParameters {
        guard self.opcode == Command.opcode else { throw MalformedBytes(.invalid, "Command_Opcode") }
        var bytes = self.returnParameters
        return try Command.ReturnParameters(parsing: &bytes)
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.numberOfCommandPackets = try coder.field("Num_HCI_Command_Packets", \.numberOfCommandPackets)
        self.opcode = try coder.field("Command_Opcode", \.opcode)
        self.returnParameters = try coder.remainder("Return_Parameters", \.returnParameters)
    }
}

/// A command has been taken up, or refused; an event of its own follows where it was taken up
/// (Vol 4, Part E, 7.7.15).
public struct CommandStatus: HCIEventPayload {
    /// The number of the event.
    public static let code = HCIEventCode.commandStatus

    /// Whether the command was taken up.
    public var status: HCIErrorCode
    /// How many commands the host may send now.
    public var numberOfCommandPackets: UInt8
    /// The command, or ``HCIOpcode/none`` where the event is for the number alone.
    public var opcode: HCIOpcode

    /// Creates the event.
    public init(status: HCIErrorCode = .success, numberOfCommandPackets: UInt8 = 1, opcode: HCIOpcode) {
        self.status = status
        self.numberOfCommandPackets = numberOfCommandPackets
        self.opcode = opcode
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.numberOfCommandPackets = try coder.field("Num_HCI_Command_Packets", \.numberOfCommandPackets)
        self.opcode = try coder.field("Command_Opcode", \.opcode)
    }
}
