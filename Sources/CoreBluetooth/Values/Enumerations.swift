// The plain enumerations and option sets of Core Bluetooth, with Apple's raw values.

/// The PSM of an L2CAP channel: 0x0080 to 0x00FF for channels that a device publishes (Vol 3, Part A, 4.22).
///
/// Apple documents it as `CBL2CAPPSM`.
public typealias CBL2CAPPSM = UInt16

/// The state of a manager.
///
/// The order is meaningful: below ``poweredOn`` all work has ended, and below ``poweredOff`` peripherals and services
/// are invalid.
///
/// Apple documents it as `CBManagerState`.
public enum CBManagerState: Int, BitwiseCopyable, Sendable {
    /// Not known yet; an update follows soon.
    case unknown = 0
    /// The connection to the adapter was lost for a moment; an update follows soon.
    case resetting = 1
    /// There is no adapter for Bluetooth Low Energy.
    case unsupported = 2
    /// The app may not use Bluetooth.
    case unauthorized = 3
    /// Bluetooth is off.
    case poweredOff = 4
    /// Bluetooth is on and ready for use.
    case poweredOn = 5
}

/// Whether an app may use Bluetooth.
///
/// On Linux always ``allowedAlways``: the system decides who may use an adapter.
///
/// Apple documents it as `CBManagerAuthorization`.
public enum CBManagerAuthorization: Int, BitwiseCopyable, Sendable {
    /// The user was not asked yet.
    case notDetermined = 0
    /// Bluetooth is restricted for the app.
    case restricted = 1
    /// The user refused.
    case denied = 2
    /// The user agreed.
    case allowedAlways = 3
}

/// The states of a central manager before ``CBManagerState`` was made.
///
/// Apple documents it as `CBCentralManagerState`.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBCentralManagerState: Int, BitwiseCopyable, Sendable {
    /// See ``CBManagerState/unknown``.
    case unknown = 0
    /// See ``CBManagerState/resetting``.
    case resetting = 1
    /// See ``CBManagerState/unsupported``.
    case unsupported = 2
    /// See ``CBManagerState/unauthorized``.
    case unauthorized = 3
    /// See ``CBManagerState/poweredOff``.
    case poweredOff = 4
    /// See ``CBManagerState/poweredOn``.
    case poweredOn = 5
}

/// The states of a peripheral manager before ``CBManagerState`` was made.
///
/// Apple documents it as `CBPeripheralManagerState`.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBPeripheralManagerState: Int, BitwiseCopyable, Sendable {
    /// See ``CBManagerState/unknown``.
    case unknown = 0
    /// See ``CBManagerState/resetting``.
    case resetting = 1
    /// See ``CBManagerState/unsupported``.
    case unsupported = 2
    /// See ``CBManagerState/unauthorized``.
    case unauthorized = 3
    /// See ``CBManagerState/poweredOff``.
    case poweredOff = 4
    /// See ``CBManagerState/poweredOn``.
    case poweredOn = 5
}

/// Whether an app may share data in the background, before ``CBManagerAuthorization`` was made.
///
/// Apple documents it as `CBPeripheralManagerAuthorizationStatus`.
@available(*, deprecated, renamed: "CBManagerAuthorization")
public enum CBPeripheralManagerAuthorizationStatus: Int, BitwiseCopyable, Sendable {
    /// The user was not asked yet.
    case notDetermined = 0
    /// Bluetooth is restricted for the app.
    case restricted = 1
    /// The user refused.
    case denied = 2
    /// The user agreed.
    case authorized = 3
}

/// The connection state of a peripheral.
///
/// Apple documents it as `CBPeripheralState`.
public enum CBPeripheralState: Int, BitwiseCopyable, Sendable {
    /// Not connected.
    case disconnected = 0
    /// A connection is pending.
    case connecting = 1
    /// Connected.
    case connected = 2
    /// The connection is being ended.
    case disconnecting = 3
}

/// Whether a peer connected or disconnected.
///
/// Apple documents it as `CBConnectionEvent`.
public enum CBConnectionEvent: Int, BitwiseCopyable, Sendable {
    /// The peer disconnected.
    case peerDisconnected = 0
    /// The peer connected.
    case peerConnected = 1
}

/// How a value is written.
///
/// Apple documents it as `CBCharacteristicWriteType`.
public enum CBCharacteristicWriteType: Int, BitwiseCopyable, Sendable {
    /// The peripheral says whether the write succeeded.
    case withResponse = 0
    /// No answer says whether the write succeeded.
    case withoutResponse = 1
}

/// The desired latency of a connection.
///
/// Apple documents it as `CBPeripheralManagerConnectionLatency`.
public enum CBPeripheralManagerConnectionLatency: Int, BitwiseCopyable, Sendable {
    /// As soon as possible.
    case low = 0
    /// A compromise.
    case medium = 1
    /// Saving power has priority.
    case high = 2
}

/// The operations on a characteristic's value (Vol 3, Part G, 3.3.1.1).
///
/// Apple documents it as `CBCharacteristicProperties`.
public struct CBCharacteristicProperties: OptionSet, BitwiseCopyable, Sendable {
    /// The bits; the lowest eight are those of the Bluetooth specification.
    public let rawValue: UInt

    /// Properties from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value may be broadcast.
    ///
    /// Not for local characteristics.
    public static var broadcast: CBCharacteristicProperties { Self(rawValue: 0x01) }
    /// The value can be read.
    public static var read: CBCharacteristicProperties { Self(rawValue: 0x02) }
    /// The value can be written without an answer.
    public static var writeWithoutResponse: CBCharacteristicProperties { Self(rawValue: 0x04) }
    /// The value can be written with an answer.
    public static var write: CBCharacteristicProperties { Self(rawValue: 0x08) }
    /// Changes of the value are sent without confirmation.
    public static var notify: CBCharacteristicProperties { Self(rawValue: 0x10) }
    /// Changes of the value are sent and confirmed.
    public static var indicate: CBCharacteristicProperties { Self(rawValue: 0x20) }
    /// The value can be written with a signature.
    public static var authenticatedSignedWrites: CBCharacteristicProperties { Self(rawValue: 0x40) }
    /// A descriptor holds further properties.
    ///
    /// Not for local characteristics.
    public static var extendedProperties: CBCharacteristicProperties { Self(rawValue: 0x80) }
    /// Only trusted devices may have notifications.
    public static var notifyEncryptionRequired: CBCharacteristicProperties { Self(rawValue: 0x100) }
    /// Only trusted devices may have indications.
    public static var indicateEncryptionRequired: CBCharacteristicProperties { Self(rawValue: 0x200) }
    /// Notifications and indications need a pairing that protects against a man in the middle. Not in Apple's
    /// interface.
    package static var subscriptionAuthenticationRequired: CBCharacteristicProperties { Self(rawValue: 0x1_0000) }
}

/// The permissions to read and write the value of a characteristic that this app publishes.
///
/// Apple documents it as `CBAttributePermissions`.
public struct CBAttributePermissions: OptionSet, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Permissions from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Everyone may read.
    public static var readable: CBAttributePermissions { Self(rawValue: 0x01) }
    /// Everyone may write.
    public static var writeable: CBAttributePermissions { Self(rawValue: 0x02) }
    /// Trusted devices may read.
    public static var readEncryptionRequired: CBAttributePermissions { Self(rawValue: 0x04) }
    /// Trusted devices may write.
    public static var writeEncryptionRequired: CBAttributePermissions { Self(rawValue: 0x08) }
    /// Reading needs a pairing that protects against a man in the middle. Not in Apple's interface.
    package static var readAuthenticationRequired: CBAttributePermissions { Self(rawValue: 0x1_0000) }
    /// Writing needs a pairing that protects against a man in the middle. Not in Apple's interface.
    package static var writeAuthenticationRequired: CBAttributePermissions { Self(rawValue: 0x2_0000) }
}

/// How ``CBCentralManager/registerForConnectionEvents(options:)`` chooses peers.
///
/// Apple documents it as `CBConnectionEventMatchingOption`.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
    /// The key.
    public let rawValue: String

    /// An option from its key.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Peers that have one of these services: a `[CBUUID]`.
    public static let serviceUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs"
    )
    /// Peers that have one of these identifiers: a `[UUID]`.
    public static let peripheralUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs"
    )
}

extension CBPeripheralState {
    /// The state as log lines show it.
    var word: String {
        switch self {
        case .disconnected: "disconnected"
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnecting: "disconnecting"
        }
    }
}
