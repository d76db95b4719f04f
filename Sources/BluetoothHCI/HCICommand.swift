// How a command is declared: one type per command that knows its opcode, its parameters in wire order with their units,
// and the type of what it returns. From the declaration come the packet that a host sends, the parser that a virtual
// controller uses, and the parser of the answer (Vol 4, Part E, 5.4.1 and 7.7.14).

public import BluetoothTypes
public import NIOCore

/// An HCI command: parameters, opcode, and what comes back.
public protocol HCICommand: Hashable, Sendable, CustomStringConvertible {
    /// What Command Complete carries; the status alone unless a command says otherwise, ``NoReturnParameters`` for one
    /// that is answered by Command Status.
    associatedtype ReturnParameters: HCIReturnParameters = StatusReturnParameters

    /// The command's number.
    static var opcode: HCIOpcode { get }

    /// Whether the command is answered by Command Status and ends with an event of its own (Vol 4, Part E, 4.4).
    static var isAnsweredByStatus: Bool { get }

    /// Writes the parameters in wire order.
    func encode(into bytes: inout ByteBuffer)

    /// Reads the parameters; octets behind the last one are ignored, as a later version may add some.
    init(parsing bytes: inout ByteBuffer) throws(MalformedBytes)
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

/// A command whose opcode says everything.
public protocol HCICommandWithoutParameters: HCICommand {
    /// Creates the command.
    init()
}

extension HCICommandWithoutParameters {
    /// Writes nothing.
    public func encode(into bytes: inout ByteBuffer) {}

    /// Reads nothing.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) { self.init() }
}

/// What a Command Complete event carries behind the opcode.
///
/// The first octet is the status for all but a few commands.
public protocol HCIReturnParameters: Hashable, Sendable, CustomStringConvertible {
    /// Whether the command succeeded; ``HCIErrorCode/success`` for the few answers without a status.
    var status: HCIErrorCode { get }
    /// Writes the parameters, status first.
    func encode(into bytes: inout ByteBuffer)
    /// Reads the parameters, status first. A controller that failed may send the status alone: the rest is then zero.
    init(parsing bytes: inout ByteBuffer) throws(MalformedBytes)
}

/// The answer of a command that ends with Command Status: nothing but the status.
public struct NoReturnParameters: HCIReturnParameters {
    /// The status of Command Status.
    public var status: HCIErrorCode

    /// Creates an answer.
    public init(status: HCIErrorCode = .success) { self.status = status }

    /// Writes the status.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeInteger(self.status.rawValue) }

    /// Reads the status.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.status = HCIErrorCode(rawValue: try bytes.readLittleEndian("Status"))
    }
}

/// The answer of a command whose Command Complete carries the status alone.
public struct StatusReturnParameters: HCIReturnParameters {
    /// Whether the command succeeded.
    public var status: HCIErrorCode

    /// Creates an answer.
    public init(status: HCIErrorCode = .success) { self.status = status }

    /// Writes the status.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeInteger(self.status.rawValue) }

    /// Reads the status.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.status = HCIErrorCode(rawValue: try bytes.readLittleEndian("Status"))
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

    /// Reads the parameters as those of a command.
    public func parsed<Command: HCICommand>(as: Command.Type) throws(MalformedBytes) -> Command {
        guard self.opcode == Command.opcode else { throw MalformedBytes(.invalid, "Opcode") }
        var parameters = self.parameters
        return try Command(parsing: &parameters)
    }
}
