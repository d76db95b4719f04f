// The bitmap of commands that a controller knows (Vol 4, Part E, 6.27): 64 octets, a bit for each command.

public import BluetoothTypes
public import NIOCore

/// The commands that a controller knows.
public struct SupportedCommands: HCIParameter {
    /// The place of a command in the bitmap.
    public struct Bit: Hashable, Sendable {
        /// The octet, 0 to 63.
        public var octet: Int
        /// The bit in the octet, 0 to 7.
        public var bit: Int

        /// Creates a place.
        public init(octet: Int, bit: Int) {
            self.octet = octet
            self.bit = bit
        }
    }

    private var octets: [UInt8]

    /// No commands.
    public init() { self.octets = Array(repeating: 0, count: 64) }

    /// A set of commands; those without a bit are left out.
    public init(_ commands: [any HCICommand.Type]) {
        self.init()
        for command in commands { self.insert(command) }
    }

    /// Whether the controller knows a command; `false` for one without a bit.
    public func contains(_ command: any HCICommand.Type) -> Bool {
        guard let bit = HCICommandTable.bit(of: command.opcode) else { return false }
        return self.contains(bit)
    }

    /// How many commands there are, those without a name in this module too.
    public var count: Int { self.octets.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Whether a bit is set.
    public func contains(_ bit: Bit) -> Bool { self.octets[bit.octet] & 1 << bit.bit != 0 }

    /// Sets the bit of a command, where it has one.
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

    /// Reads 64 octets.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        var commands = Self()
        commands.octets = Array(try bytes.readOctets(64, field).readableBytesView)
        return commands
    }

    /// Writes 64 octets.
    public func write(into bytes: inout ByteBuffer) { bytes.writeBytes(self.octets) }
}

extension SupportedCommands: CustomStringConvertible {
    /// How many commands there are.
    public var description: String { "\(self.count) commands" }
}
