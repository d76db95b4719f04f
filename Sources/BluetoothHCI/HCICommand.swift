// How a command is declared: one type per command that knows its opcode, its parameters in wire order with their units,
// and the type of what it returns. From the declaration come the packet that a host sends, the parser that a virtual
// controller uses, and the parser of the answer (Vol 4, Part E, 5.4.1 and 7.7.14).

public import BluetoothTypes
public import NIOCore

/// An HCI command: parameters, opcode, and what comes back.
public protocol HCICommand: HCIParameters {
    /// What Command Complete carries; the status alone unless a command says otherwise, ``NoReturnParameters`` for one
    /// that is answered by Command Status.
    associatedtype ReturnParameters: HCIReturnParameters = StatusReturnParameters

    /// The command's number.
    static var opcode: HCIOpcode { get }

    /// The command's name in the specification, without `HCI_` and with spaces: `LE Set Scan Enable`.
    static var name: String { get }

    /// Whether the command is answered by Command Status and ends with an event of its own (Vol 4, Part E, 4.4).
    static var isAnsweredByStatus: Bool { get }
}

extension HCICommand {
    /// A command is answered by Command Complete unless it says otherwise.
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
public protocol HCICommandWithoutParameters: HCICommand {
    /// Creates the command.
    init()
}

extension HCICommandWithoutParameters {
    /// No parameters.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) { self.init() }
}

/// A command whose only parameter is a link.
public protocol HCICommandForLink: HCICommand {
    /// The link.
    var handle: ConnectionHandle { get }
    /// Creates the command.
    init(handle: ConnectionHandle)
}

extension HCICommandForLink {
    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.init(handle: try coder.field("Connection_Handle", \.handle))
    }
}

/// What a Command Complete event carries behind the opcode.
///
/// The first octet is the status for all but a few commands.
public protocol HCIReturnParameters: HCIParameters {
    /// Whether the command succeeded; ``HCIErrorCode/success`` for the few answers without a status.
    var status: HCIErrorCode { get }
}

extension HCIReturnParameters {
    /// Reads the parameters. A controller that refused the command may send the status alone: the rest is then zero.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        let status = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) ?? 0
        var reader = HCIParameterReader<Self>(bytes, readsMissingAsZero: status != HCIErrorCode.success.rawValue)
        defer { bytes = reader.bytes }
        try self.init(&reader)
    }
}

/// The answer of a command that ends with Command Status: nothing but the status.
public struct NoReturnParameters: HCIReturnParameters {
    /// The status of Command Status.
    public var status: HCIErrorCode

    /// Creates an answer.
    public init(status: HCIErrorCode = .success) { self.status = status }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
    }
}

/// The answer of a command whose Command Complete carries the status alone.
public struct StatusReturnParameters: HCIReturnParameters {
    /// Whether the command succeeded.
    public var status: HCIErrorCode

    /// Creates an answer.
    public init(status: HCIErrorCode = .success) { self.status = status }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
    }
}

/// The answer of a command for one link that returns nothing but the link.
public struct LinkReturnParameters: HCIReturnParameters {
    /// Whether the command succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle

    /// Creates an answer.
    public init(status: HCIErrorCode = .success, handle: ConnectionHandle = ConnectionHandle(rawValue: 0)) {
        self.status = status
        self.handle = handle
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
    }
}

/// The head of a command packet: which command, and its parameters still unparsed.
public struct HCICommandPacket: Sendable {
    /// The command's number.
    public var opcode: HCIOpcode
    /// The parameters, unparsed.
    public var parameters: ByteBuffer

    /// Reads the head of a packet; another kind of packet is malformed.
    public init(_ packet: HCIPacket) throws(MalformedBytes) {
        guard packet.kind == .command else { throw MalformedBytes(.invalid, "Packet type") }
        var payload = packet.payload
        try self.init(parsing: &payload)
    }

    /// Reads opcode and parameters from the octets behind the H4 type octet.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.opcode = HCIOpcode(rawValue: try bytes.readLittleEndian("Opcode"))
        let length: UInt8 = try bytes.readLittleEndian("Parameter_Total_Length")
        self.parameters = try bytes.readOctets(Int(length), "Command parameters")
    }

    /// The command; `nil` where ``HCICommandTable`` has none with the opcode.
    public func command() throws(MalformedBytes) -> (any HCICommand)? {
        var parameters = self.parameters
        return try HCICommandTable.command(self.opcode)?.init(parsing: &parameters)
    }

    /// Reads the parameters as those of a command.
    public func parsed<Command: HCICommand>(as: Command.Type) throws(MalformedBytes) -> Command {
        guard self.opcode == Command.opcode else { throw MalformedBytes(.invalid, "Opcode") }
        var parameters = self.parameters
        return try Command(parsing: &parameters)
    }
}
