// Declarations of commands: a type per command with its opcode, its parameters in wire order with their units, and its
// return parameters. The packet that a host sends, the parser of a virtual controller, and the parser of the answer are
// derived from it (Vol 4, Part E, 5.4.1 and 7.7.14).

public import BluetoothTypes
public import NIOCore

/// An HCI command: its opcode, parameters and return parameters.
public protocol HCICommand: HCIParameters {
    /// The return parameters of Command Complete: only the status by default, ``NoReturnParameters`` for a command that
    /// is answered by Command Status.
    associatedtype ReturnParameters: HCIReturnParameters = StatusReturnParameters

    static var opcode: HCIOpcode { get }

    /// The command's name in the specification, without `HCI_` and with spaces: `LE Set Scan Enable`.
    static var name: String { get }

    /// Whether the command is answered by Command Status and completes with an event of its own (Vol 4, Part E, 4.4).
    static var isAnsweredByStatus: Bool { get }
}

extension HCICommand {
    public static var isAnsweredByStatus: Bool { ReturnParameters.self == NoReturnParameters.self }

    /// The whole packet, H4 type octet first.
    public func packet(allocator: ByteBufferAllocator = ByteBufferAllocator()) -> HCIPacket {
        var bytes = allocator.buffer(capacity: 64)
        bytes.writeInteger(HCIPacket.Kind.command.rawValue)
        bytes.writeLittleEndian(Self.opcode.rawValue)
        let lengthIndex = bytes.writerIndex
        bytes.writeInteger(UInt8(0))
        self.encode(into: &bytes)
        let length = bytes.writerIndex - lengthIndex - 1
        precondition(length <= 255, "the parameters of an HCI command have at most 255 octets")
        bytes.setInteger(UInt8(length), at: lengthIndex)
        return HCIPacket(h4: bytes)
    }
}

/// A command without parameters.
package protocol HCICommandWithoutParameters: HCICommand {
    init()
}

extension HCICommandWithoutParameters {
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) { self.init() }
}

/// A command whose only parameter is a link.
package protocol HCICommandForLink: HCICommand {
    var handle: ConnectionHandle { get }
    init(handle: ConnectionHandle)
}

extension HCICommandForLink {
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.init(handle: try coder.field("Connection_Handle", \.handle))
    }
}

/// The return parameters of a Command Complete event.
///
/// The first octet is the status, except for a few commands.
public protocol HCIReturnParameters: HCIParameters {
    /// ``HCIErrorCode/success`` for the few answers without a status.
    var status: HCIErrorCode { get }
}

extension HCIReturnParameters {
    /// A controller that rejects a command may send the status alone: the rest is then zero.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        let status = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) ?? 0
        var reader = HCIParameterReader<Self>(bytes, readsMissingAsZero: status != HCIErrorCode.success.rawValue)
        defer { bytes = reader.bytes }
        try self.init(&reader)
    }
}

/// The answer of a command that is answered by Command Status.
package struct NoReturnParameters: HCIReturnParameters {
    public var status: HCIErrorCode
    package init(status: HCIErrorCode = .success) { self.status = status }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
    }
}

/// The answer of a command whose Command Complete carries the status alone.
public struct StatusReturnParameters: HCIReturnParameters {
    public var status: HCIErrorCode
    package init(status: HCIErrorCode = .success) { self.status = status }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
    }
}

/// The answer of a command whose Command Complete carries the status and the link.
package struct LinkReturnParameters: HCIReturnParameters {
    public var status: HCIErrorCode
    package var handle: ConnectionHandle

    package init(status: HCIErrorCode = .success, handle: ConnectionHandle = ConnectionHandle(rawValue: 0)) {
        (self.status, self.handle) = (status, handle)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
    }
}

/// A command packet with its opcode, and its parameters still unparsed.
public struct HCICommandPacket: Sendable {
    package var opcode: HCIOpcode
    /// The parameters, unparsed.
    package var parameters: ByteBuffer

    /// Throws for any other kind of packet.
    public init(_ packet: HCIPacket) throws(MalformedBytes) {
        guard packet.kind == .command else { throw MalformedBytes(.invalid, "Packet type") }
        var payload = packet.payload
        try self.init(parsing: &payload)
    }

    /// Parses the octets after the H4 type octet.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.opcode = HCIOpcode(rawValue: try bytes.readLittleEndian("Opcode"))
        let length: UInt8 = try bytes.readLittleEndian("Parameter_Total_Length")
        self.parameters = try bytes.readOctets(Int(length), "Command parameters")
    }

    /// Parses the command; `nil` if ``HCICommandTable`` has none with this opcode.
    package func command() throws(MalformedBytes) -> (any HCICommand)? {
        var parameters = self.parameters
        return try HCICommandTable.command(self.opcode)?.init(parsing: &parameters)
    }

    /// Parses the parameters of a known command.
    public func parsed<Command: HCICommand>(as: Command.Type) throws(MalformedBytes) -> Command {
        guard self.opcode == Command.opcode else { throw MalformedBytes(.invalid, "Opcode") }
        var parameters = self.parameters
        return try Command(parsing: &parameters)
    }
}
