// The attribute types that GATT defines (Vol 3, Part G, 3.4 and 7; Vol 3, Part C, 12).

import BluetoothTypes

/// 16-bit UUIDs of declarations, descriptors and of the built-in services and characteristics.
package enum GATTAttributeType {
    /// A primary service declaration.
    package static let primaryService: UInt16 = 0x2800
    /// A secondary service declaration.
    package static let secondaryService: UInt16 = 0x2801
    /// An include declaration.
    package static let include: UInt16 = 0x2802
    /// A characteristic declaration.
    package static let characteristic: UInt16 = 0x2803
    /// The declarations of services.
    package static let serviceDeclarations = primaryService...secondaryService
    /// All declarations.
    package static let declarations = primaryService...characteristic
    /// Characteristic Extended Properties.
    package static let extendedProperties: UInt16 = 0x2900
    /// Characteristic User Description.
    package static let userDescription: UInt16 = 0x2901
    /// Client Characteristic Configuration.
    package static let clientConfiguration: UInt16 = 0x2902
    /// Server Characteristic Configuration.
    package static let serverConfiguration: UInt16 = 0x2903
    /// Characteristic Presentation Format.
    package static let presentationFormat: UInt16 = 0x2904
    /// Characteristic Aggregate Format.
    static let aggregateFormat: UInt16 = 0x2905

    /// The Generic Access Service.
    package static let genericAccessService: UInt16 = 0x1800
    /// The Generic Attribute Service.
    package static let genericAttributeService: UInt16 = 0x1801
    /// Device Name.
    static let deviceName: UInt16 = 0x2A00
    /// Appearance.
    static let appearance: UInt16 = 0x2A01
    /// Central Address Resolution.
    static let centralAddressResolution: UInt16 = 0x2AA6
    /// Resolvable Private Address Only.
    static let resolvablePrivateAddressOnly: UInt16 = 0x2AC9
    /// Service Changed.
    static let serviceChanged: UInt16 = 0x2A05
    /// Client Supported Features.
    static let clientSupportedFeatures: UInt16 = 0x2B29
    /// Database Hash.
    static let databaseHash: UInt16 = 0x2B2A
}
