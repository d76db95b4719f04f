// The number of a command: six bits of group (OGF) and ten of command (OCF) (Vol 4, Part E, 5.4.1).

/// An HCI command opcode.
public struct HCIOpcode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The opcode group field (OGF).
    public enum Group: UInt16, Hashable, Sendable {
        /// Link Control commands (7.1).
        case linkControl = 0x01
        /// Controller & Baseband commands (7.3).
        case controllerAndBaseband = 0x03
        /// Informational Parameters (7.4).
        case informationalParameters = 0x04
        /// Status Parameters (7.5).
        case statusParameters = 0x05
        /// LE Controller commands (7.8).
        case leController = 0x08
        /// Commands defined by the manufacturer.
        case vendorSpecific = 0x3F
    }

    /// The 16 bits as sent.
    public var rawValue: UInt16

    /// An opcode from its 16 bits.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An opcode from group and command.
    @inlinable
    public init(_ group: Group, _ command: UInt16) {
        self.rawValue = group.rawValue << 10 | command & 0x3FF
    }

    /// No command, for a controller that only returns command credits (7.7.14).
    package static let none = HCIOpcode(rawValue: 0)

    public var description: String { hexadecimal(self.rawValue) }
}
