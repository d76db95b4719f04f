// The bitmap of supported commands (Vol 4, Part E, 6.27): 64 octets, a bit for each command.

public import BluetoothTypes
public import NIOCore

/// The commands that a controller supports.
public struct SupportedCommands: HCIParameter {
    /// The position of a command in the bitmap.
    public struct Bit: Hashable, Sendable {
        /// 0 to 63.
        public var octet: Int
        /// 0 to 7.
        public var bit: Int
        public init(octet: Int, bit: Int) { (self.octet, self.bit) = (octet, bit) }
    }

    private var octets: [UInt8]

    /// No commands.
    public init() { self.octets = Array(repeating: 0, count: 64) }

    /// Commands without a bit are ignored.
    public init(_ commands: [any HCICommand.Type]) {
        self.init()
        for command in commands { self.insert(command) }
    }

    /// Whether a command is supported; `false` for one without a bit.
    public func contains(_ command: any HCICommand.Type) -> Bool {
        guard let bit = HCICommandTable.bit(of: command.opcode) else { return false }
        return self.contains(bit)
    }

    /// The number of commands, including those that this module does not declare.
    public var count: Int { self.octets.reduce(0) { $0 + $1.nonzeroBitCount } }

    public func contains(_ bit: Bit) -> Bool { self.octets[bit.octet] & 1 << bit.bit != 0 }

    /// Sets the bit of a command, if it has one.
    public mutating func insert(_ command: any HCICommand.Type) {
        if let bit = HCICommandTable.bit(of: command.opcode) { self.insert(bit) }
    }

    /// Sets a bit.
    public mutating func insert(_ bit: Bit) { self.octets[bit.octet] |= 1 << bit.bit }

    /// Clears the bit of a command.
    public mutating func remove(_ command: any HCICommand.Type) {
        guard let bit = HCICommandTable.bit(of: command.opcode) else { return }
        self.octets[bit.octet] &= ~(1 << bit.bit)
    }

    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        var commands = Self()
        commands.octets = Array(try bytes.readOctets(64, field).readableBytesView)
        return commands
    }

    public func write(into bytes: inout ByteBuffer) { bytes.writeBytes(self.octets) }
}

extension SupportedCommands: CustomStringConvertible {
    public var description: String { "\(self.count) commands" }
}
