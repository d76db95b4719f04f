// The bitmap of supported commands (Vol 4, Part E, 6.27): 64 octets, a bit for each command.

package import BluetoothTypes
package import NIOCore

/// The commands that a controller supports.
package struct SupportedCommands: HCIParameter {
    /// The position of a command in the bitmap.
    package struct Bit: Hashable, Sendable {
        /// 0 to 63.
        package var octet: Int
        /// 0 to 7.
        package var bit: Int
        package init(octet: Int, bit: Int) { (self.octet, self.bit) = (octet, bit) }
    }

    private var octets: [UInt8]

    /// No commands.
    package init() { self.octets = Array(repeating: 0, count: 64) }

    /// Commands without a bit are ignored.
    package init(_ commands: [any HCICommand.Type]) {
        self.init()
        for command in commands { self.insert(command) }
    }

    /// Whether a command is supported; `false` for one without a bit.
    package func contains(_ command: any HCICommand.Type) -> Bool {
        guard let bit = HCICommandTable.bit(of: command.opcode) else { return false }
        return self.contains(bit)
    }

    /// The number of commands, including those that this module does not declare.
    package var count: Int { self.octets.reduce(0) { $0 + $1.nonzeroBitCount } }

    package func contains(_ bit: Bit) -> Bool { self.octets[bit.octet] & 1 << bit.bit != 0 }

    /// Sets the bit of a command, if it has one.
    package mutating func insert(_ command: any HCICommand.Type) {
        if let bit = HCICommandTable.bit(of: command.opcode) { self.insert(bit) }
    }

    /// Sets a bit.
    package mutating func insert(_ bit: Bit) { self.octets[bit.octet] |= 1 << bit.bit }

    package static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        var commands = Self()
        commands.octets = Array(try bytes.readOctets(64, field).readableBytesView)
        return commands
    }

    package func write(into bytes: inout ByteBuffer) { bytes.writeBytes(self.octets) }
}

extension SupportedCommands: CustomStringConvertible {
    package var description: String { "\(self.count) commands" }
}
