// The properties octet of a characteristic declaration (Vol 3, Part G, 3.3.1.1).

/// The operations on a characteristic's value.
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The octet.
    public var rawValue: UInt8

    /// Properties from their octet.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value may be broadcast.
    package static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// The value may be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// Write Without Response is allowed.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value may be written.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The value may be notified.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The value may be indicated.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// Signed writes are allowed.
    package static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// A Characteristic Extended Properties descriptor follows.
    package static let extendedProperties = CharacteristicProperties(rawValue: 0x80)
}
