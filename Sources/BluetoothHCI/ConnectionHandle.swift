// The number that identifies a link between host and controller: 12 bits, 0x0000 to 0x0EFF (Vol 4, Part E, 5.3.1).

/// An HCI connection handle.
public struct ConnectionHandle: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The 12 bits.
    public var rawValue: UInt16

    /// A handle from the low 12 bits of `rawValue`.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue & 0x0FFF }

    public var description: String { self.rawValue.hexadecimalNumber }
}
