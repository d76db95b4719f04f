// The type octet of an advertising data element: Assigned Numbers, 2.3 (Common Data Types). Types without a name here
// are kept as their octet.

/// The type of an advertising data element.
public struct AdvertisingDataType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    public var description: String { "0x" + self.rawValue.hexadecimalDigits }
}

extension AdvertisingDataType {
    package static let flags = AdvertisingDataType(rawValue: 0x01)
    /// Incomplete List of 16-bit Service Class UUIDs.
    package static let incomplete16BitServiceUUIDs = AdvertisingDataType(rawValue: 0x02)
    /// Complete List of 16-bit Service Class UUIDs.
    public static let complete16BitServiceUUIDs = AdvertisingDataType(rawValue: 0x03)
    /// Incomplete List of 32-bit Service Class UUIDs.
    package static let incomplete32BitServiceUUIDs = AdvertisingDataType(rawValue: 0x04)
    /// Complete List of 32-bit Service Class UUIDs.
    package static let complete32BitServiceUUIDs = AdvertisingDataType(rawValue: 0x05)
    /// Incomplete List of 128-bit Service Class UUIDs.
    package static let incomplete128BitServiceUUIDs = AdvertisingDataType(rawValue: 0x06)
    /// Complete List of 128-bit Service Class UUIDs.
    package static let complete128BitServiceUUIDs = AdvertisingDataType(rawValue: 0x07)
    package static let shortenedLocalName = AdvertisingDataType(rawValue: 0x08)
    public static let completeLocalName = AdvertisingDataType(rawValue: 0x09)
    package static let txPowerLevel = AdvertisingDataType(rawValue: 0x0A)
    package static let securityManagerTKValue = AdvertisingDataType(rawValue: 0x10)
    /// List of 16-bit Service Solicitation UUIDs.
    package static let solicited16BitServiceUUIDs = AdvertisingDataType(rawValue: 0x14)
    /// List of 128-bit Service Solicitation UUIDs.
    package static let solicited128BitServiceUUIDs = AdvertisingDataType(rawValue: 0x15)
    /// Service Data, 16-bit UUID.
    package static let serviceData16Bit = AdvertisingDataType(rawValue: 0x16)
    package static let appearance = AdvertisingDataType(rawValue: 0x19)
    /// LE Bluetooth Device Address.
    package static let deviceAddress = AdvertisingDataType(rawValue: 0x1B)
    /// List of 32-bit Service Solicitation UUIDs.
    package static let solicited32BitServiceUUIDs = AdvertisingDataType(rawValue: 0x1F)
    /// Service Data, 32-bit UUID.
    package static let serviceData32Bit = AdvertisingDataType(rawValue: 0x20)
    /// Service Data, 128-bit UUID.
    package static let serviceData128Bit = AdvertisingDataType(rawValue: 0x21)
    package static let secureConnectionsConfirmationValue = AdvertisingDataType(rawValue: 0x22)
    package static let secureConnectionsRandomValue = AdvertisingDataType(rawValue: 0x23)
    package static let manufacturerSpecificData = AdvertisingDataType(rawValue: 0xFF)
}
