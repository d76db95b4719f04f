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
    package static let classOfDevice = AdvertisingDataType(rawValue: 0x0D)
    package static let simplePairingHashC192 = AdvertisingDataType(rawValue: 0x0E)
    package static let simplePairingRandomizerR192 = AdvertisingDataType(rawValue: 0x0F)
    package static let securityManagerTKValue = AdvertisingDataType(rawValue: 0x10)
    package static let securityManagerOutOfBandFlags = AdvertisingDataType(rawValue: 0x11)
    package static let peripheralConnectionIntervalRange = AdvertisingDataType(rawValue: 0x12)
    /// List of 16-bit Service Solicitation UUIDs.
    package static let solicited16BitServiceUUIDs = AdvertisingDataType(rawValue: 0x14)
    /// List of 128-bit Service Solicitation UUIDs.
    package static let solicited128BitServiceUUIDs = AdvertisingDataType(rawValue: 0x15)
    /// Service Data, 16-bit UUID.
    package static let serviceData16Bit = AdvertisingDataType(rawValue: 0x16)
    package static let publicTargetAddress = AdvertisingDataType(rawValue: 0x17)
    package static let randomTargetAddress = AdvertisingDataType(rawValue: 0x18)
    package static let appearance = AdvertisingDataType(rawValue: 0x19)
    package static let advertisingInterval = AdvertisingDataType(rawValue: 0x1A)
    /// LE Bluetooth Device Address.
    package static let deviceAddress = AdvertisingDataType(rawValue: 0x1B)
    /// LE Role.
    package static let role = AdvertisingDataType(rawValue: 0x1C)
    package static let simplePairingHashC256 = AdvertisingDataType(rawValue: 0x1D)
    package static let simplePairingRandomizerR256 = AdvertisingDataType(rawValue: 0x1E)
    /// List of 32-bit Service Solicitation UUIDs.
    package static let solicited32BitServiceUUIDs = AdvertisingDataType(rawValue: 0x1F)
    /// Service Data, 32-bit UUID.
    package static let serviceData32Bit = AdvertisingDataType(rawValue: 0x20)
    /// Service Data, 128-bit UUID.
    package static let serviceData128Bit = AdvertisingDataType(rawValue: 0x21)
    package static let secureConnectionsConfirmationValue = AdvertisingDataType(rawValue: 0x22)
    package static let secureConnectionsRandomValue = AdvertisingDataType(rawValue: 0x23)
    package static let uri = AdvertisingDataType(rawValue: 0x24)
    package static let indoorPositioning = AdvertisingDataType(rawValue: 0x25)
    package static let transportDiscoveryData = AdvertisingDataType(rawValue: 0x26)
    /// LE Supported Features.
    package static let supportedFeatures = AdvertisingDataType(rawValue: 0x27)
    package static let channelMapUpdateIndication = AdvertisingDataType(rawValue: 0x28)
    /// PB-ADV of Mesh provisioning.
    package static let pbADV = AdvertisingDataType(rawValue: 0x29)
    package static let meshMessage = AdvertisingDataType(rawValue: 0x2A)
    package static let meshBeacon = AdvertisingDataType(rawValue: 0x2B)
    package static let bigInfo = AdvertisingDataType(rawValue: 0x2C)
    package static let broadcastCode = AdvertisingDataType(rawValue: 0x2D)
    package static let resolvableSetIdentifier = AdvertisingDataType(rawValue: 0x2E)
    package static let advertisingIntervalLong = AdvertisingDataType(rawValue: 0x2F)
    package static let broadcastName = AdvertisingDataType(rawValue: 0x30)
    package static let encryptedAdvertisingData = AdvertisingDataType(rawValue: 0x31)
    /// Periodic Advertising Response Timing Information.
    package static let periodicAdvertisingResponseTiming = AdvertisingDataType(rawValue: 0x32)
    package static let electronicShelfLabel = AdvertisingDataType(rawValue: 0x34)
    /// 3D Information Data.
    package static let information3D = AdvertisingDataType(rawValue: 0x3D)
    package static let manufacturerSpecificData = AdvertisingDataType(rawValue: 0xFF)
}
