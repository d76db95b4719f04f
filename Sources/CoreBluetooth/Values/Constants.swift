// The string constants of Core Bluetooth. Programs use the names, but some also use the values, read from dictionaries
// in logs, so both are Apple's.

// MARK: Error domains

/// The domain of ``CBError``.
public let CBErrorDomain: String = "CBErrorDomain"
/// The domain of ``CBATTError``.
public let CBATTErrorDomain: String = "CBATTErrorDomain"

// MARK: Advertisement data

/// The local name of a peripheral: a `String`.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"
/// The manufacturer data: a `Data` whose first two octets are the company, least significant first.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"
/// Data of services: a `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"
/// Services: a `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"
/// Services that did not fit into the advertising packet and were sent as a hash: a `[CBUUID]` of the scan's services
/// that may be meant.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"
/// The transmit power in dBm: an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"
/// Whether the peripheral can be connected to: an `NSNumber` that holds a `Bool`.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"
/// Services that the peripheral looks for: a `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"

// MARK: Options of managers

/// Whether the user is alerted when a central manager is made while Bluetooth is off: a `Bool`.
///
/// Accepted and ignored.
public let CBCentralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// A central manager's restore identifier: a `String`.
public let CBCentralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"
/// Whether a central manager is for media accessories: a `Bool`.
///
/// Accepted and ignored.
public let CBCentralManagerOptionDeviceAccessForMedia: String = "kCBInitOptionDeviceAccessForMedia"
/// Whether the user is alerted when a peripheral manager is made while Bluetooth is off: a `Bool`.
///
/// Accepted and ignored.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// A peripheral manager's restore identifier: a `String`.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

// MARK: Options of scanning

/// Whether every advertising packet is reported: a `Bool`, false by default.
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "kCBScanOptionAllowDuplicates"
/// Services that peripherals look for: a `[CBUUID]`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String = "kCBScanOptionSolicitedServiceUUIDs"

// MARK: Options of connecting

/// Whether the user is alerted to the connection while the app is suspended: a `Bool`.
///
/// Has an effect only in a test\'s world.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String = "kCBConnectOptionNotifyOnConnection"
/// Whether the user is alerted to a disconnection while the app is suspended: a `Bool`.
///
/// Has an effect only in a test\'s world.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String = "kCBConnectOptionNotifyOnDisconnection"
/// Whether the user is alerted to notifications while the app is suspended: a `Bool`.
///
/// Has an effect only in a test\'s world.
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String = "kCBConnectOptionNotifyOnNotification"
/// The delay before connecting: an `NSNumber` of seconds.
public let CBConnectPeripheralOptionStartDelayKey: String = "kCBConnectOptionStartDelay"
/// Whether Classic Bluetooth profiles are to be connected, too: a `Bool`.
///
/// Accepted and ignored.
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String = "kCBConnectOptionEnableTransportBridging"
/// Whether the peripheral needs Apple's notification service: a `Bool`.
///
/// Accepted and ignored.
public let CBConnectPeripheralOptionRequiresANCS: String = "kCBConnectOptionRequiresANCS"
/// Whether the system connects again after the link was lost: a `Bool`.
public let CBConnectPeripheralOptionEnableAutoReconnect: String = "kCBConnectOptionEnableAutoReconnect"

// MARK: Restored state

/// Peripherals that were connected or waited for: a `[CBPeripheral]`.
public let CBCentralManagerRestoredStatePeripheralsKey: String = "kCBRestoredPeripherals"
/// Services that were scanned for: a `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey: String = "kCBRestoredScanServices"
/// Options of the scan: a `[String: Any]`.
public let CBCentralManagerRestoredStateScanOptionsKey: String = "kCBRestoredScanOptions"
/// Services that were published: a `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"
/// The advertisement: a `[String: Any]`.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"

// MARK: UUIDs as strings

/// Characteristic Extended Properties; its value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"
/// Characteristic User Description; its value is an `NSString`.
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"
/// Client Characteristic Configuration; its value is an `NSNumber`.
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"
/// Server Characteristic Configuration; its value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"
/// Characteristic Presentation Format; its value is an `NSData`.
public let CBUUIDCharacteristicFormatString: String = "2904"
/// Characteristic Aggregate Format.
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"
/// Valid Range.
public let CBUUIDCharacteristicValidRangeString: String = "2906"
/// Observation Schedule.
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"
/// The characteristic with the PSM of a peripheral's L2CAP channel, least significant octet first.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
