// Apple's interface, line by line: errors, enumerations and constants. The grammar of the lines is in
// InterfaceTable.swift.

extension AppleInterface {
    /// Errors, enumerations and constants.
    static let values = """
        struct CBATTError: CustomNSError, Error, Equatable, Hashable, Sendable
            enum Code: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
                init?(rawValue: Int)
                case success := 0
                case invalidHandle := 1
                case readNotPermitted := 2
                case writeNotPermitted := 3
                case invalidPdu := 4
                case insufficientAuthentication := 5
                case requestNotSupported := 6
                case invalidOffset := 7
                case insufficientAuthorization := 8
                case prepareQueueFull := 9
                case attributeNotFound := 10
                case attributeNotLong := 11
                case insufficientEncryptionKeySize := 12
                case invalidAttributeValueLength := 13
                case unlikelyError := 14
                case insufficientEncryption := 15
                case unsupportedGroupType := 16
                case insufficientResources := 17
                static func ~= (match: CBATTError.Code, error: any Error) -> Bool
            init(_ code: CBATTError.Code, userInfo: [String : Any] = [:])
            var code: CBATTError.Code { get }
            var errorCode: Int { get }
            var errorUserInfo: [String : Any] { get }
            var localizedDescription: String { get }
            var userInfo: [String : Any] { get }
            static var errorDomain: String { get } := CBATTErrorDomain
        struct CBConnectionEventMatchingOption: RawRepresentable, Equatable, Hashable, Sendable
            init(rawValue: String)
            static let peripheralUUIDs: CBConnectionEventMatchingOption \
                := kCBConnectionEventMatchingOptionPeripheralUUIDs
            static let serviceUUIDs: CBConnectionEventMatchingOption \
                := kCBConnectionEventMatchingOptionServiceUUIDs
        struct CBError: CustomNSError, Error, Equatable, Hashable, Sendable
            enum Code: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
                init?(rawValue: Int)
                static var unknownDevice: CBError.Code { get } := 12
                case unknown := 0
                case invalidParameters := 1
                case invalidHandle := 2
                case notConnected := 3
                case outOfSpace := 4
                case operationCancelled := 5
                case connectionTimeout := 6
                case peripheralDisconnected := 7
                case uuidNotAllowed := 8
                case alreadyAdvertising := 9
                case connectionFailed := 10
                case connectionLimitReached := 11
                deprecated case unkownDevice := 12
                case operationNotSupported := 13
                case peerRemovedPairingInformation := 14
                case encryptionTimedOut := 15
                case tooManyLEPairedDevices := 16
                case leGattExceededBackgroundNotificationLimit := 17
                case leGattNearBackgroundNotificationLimit := 18
                case channelSoundingConfigurationFailed := 19
                case channelSoundingProcedureFailed := 20
                static func ~= (match: CBError.Code, error: any Error) -> Bool
            init(_ code: CBError.Code, userInfo: [String : Any] = [:])
            var code: CBError.Code { get }
            var errorCode: Int { get }
            var errorUserInfo: [String : Any] { get }
            var localizedDescription: String { get }
            var userInfo: [String : Any] { get }
            static var errorDomain: String { get } := CBErrorDomain
        deprecated enum CBCentralManagerState: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
            deprecated init?(rawValue: Int)
            deprecated case unknown := 0
            deprecated case resetting := 1
            deprecated case unsupported := 2
            deprecated case unauthorized := 3
            deprecated case poweredOff := 4
            deprecated case poweredOn := 5
        enum CBConnectionEvent: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
            init?(rawValue: Int)
            case peerDisconnected := 0
            case peerConnected := 1
        enum CBManagerAuthorization: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
            init?(rawValue: Int)
            case notDetermined := 0
            case restricted := 1
            case denied := 2
            case allowedAlways := 3
        enum CBManagerState: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
            init?(rawValue: Int)
            case unknown := 0
            case resetting := 1
            case unsupported := 2
            case unauthorized := 3
            case poweredOff := 4
            case poweredOn := 5
        deprecated enum CBPeripheralManagerAuthorizationStatus: Int, BitwiseCopyable, Equatable, Hashable, \
            RawRepresentable, Sendable
            deprecated init?(rawValue: Int)
            deprecated case notDetermined := 0
            deprecated case restricted := 1
            deprecated case denied := 2
            deprecated case authorized := 3
        enum CBPeripheralManagerConnectionLatency: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
            init?(rawValue: Int)
            case low := 0
            case medium := 1
            case high := 2
        deprecated enum CBPeripheralManagerState: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
            deprecated init?(rawValue: Int)
            deprecated case unknown := 0
            deprecated case resetting := 1
            deprecated case unsupported := 2
            deprecated case unauthorized := 3
            deprecated case poweredOff := 4
            deprecated case poweredOn := 5
        enum CBPeripheralState: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
            init?(rawValue: Int)
            case disconnected := 0
            case connecting := 1
            case connected := 2
            case disconnecting := 3
        typealias CBL2CAPPSM = UInt16
        let CBATTErrorDomain: String := CBATTErrorDomain
        let CBAdvertisementDataIsConnectable: String := kCBAdvDataIsConnectable
        let CBAdvertisementDataLocalNameKey: String := kCBAdvDataLocalName
        let CBAdvertisementDataManufacturerDataKey: String := kCBAdvDataManufacturerData
        let CBAdvertisementDataOverflowServiceUUIDsKey: String := kCBAdvDataHashedServiceUUIDs
        let CBAdvertisementDataServiceDataKey: String := kCBAdvDataServiceData
        let CBAdvertisementDataServiceUUIDsKey: String := kCBAdvDataServiceUUIDs
        let CBAdvertisementDataSolicitedServiceUUIDsKey: String := kCBAdvDataSolicitedServiceUUIDs
        let CBAdvertisementDataTxPowerLevelKey: String := kCBAdvDataTxPowerLevel
        let CBCentralManagerOptionDeviceAccessForMedia: String := kCBInitOptionDeviceAccessForMedia
        let CBCentralManagerOptionRestoreIdentifierKey: String := kCBInitOptionRestoreIdentifier
        let CBCentralManagerOptionShowPowerAlertKey: String := kCBInitOptionShowPowerAlert
        let CBCentralManagerRestoredStatePeripheralsKey: String := kCBRestoredPeripherals
        let CBCentralManagerRestoredStateScanOptionsKey: String := kCBRestoredScanOptions
        let CBCentralManagerRestoredStateScanServicesKey: String := kCBRestoredScanServices
        let CBCentralManagerScanOptionAllowDuplicatesKey: String := kCBScanOptionAllowDuplicates
        let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String := kCBScanOptionSolicitedServiceUUIDs
        let CBConnectPeripheralOptionEnableAutoReconnect: String := kCBConnectOptionEnableAutoReconnect
        let CBConnectPeripheralOptionEnableTransportBridgingKey: String := kCBConnectOptionEnableTransportBridging
        let CBConnectPeripheralOptionNotifyOnConnectionKey: String := kCBConnectOptionNotifyOnConnection
        let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String := kCBConnectOptionNotifyOnDisconnection
        let CBConnectPeripheralOptionNotifyOnNotificationKey: String := kCBConnectOptionNotifyOnNotification
        let CBConnectPeripheralOptionRequiresANCS: String := kCBConnectOptionRequiresANCS
        let CBConnectPeripheralOptionStartDelayKey: String := kCBConnectOptionStartDelay
        let CBErrorDomain: String := CBErrorDomain
        let CBPeripheralManagerOptionRestoreIdentifierKey: String := kCBInitOptionRestoreIdentifier
        let CBPeripheralManagerOptionShowPowerAlertKey: String := kCBInitOptionShowPowerAlert
        let CBPeripheralManagerRestoredStateAdvertisementDataKey: String := kCBRestoredAdvertisement
        let CBPeripheralManagerRestoredStateServicesKey: String := kCBRestoredServices
        let CBUUIDCharacteristicAggregateFormatString: String := 2905
        let CBUUIDCharacteristicExtendedPropertiesString: String := 2900
        let CBUUIDCharacteristicFormatString: String := 2904
        let CBUUIDCharacteristicObservationScheduleString: String := 2910
        let CBUUIDCharacteristicUserDescriptionString: String := 2901
        let CBUUIDCharacteristicValidRangeString: String := 2906
        let CBUUIDClientCharacteristicConfigurationString: String := 2902
        let CBUUIDL2CAPPSMCharacteristicString: String := ABDD3056-28FA-441D-A470-55A75A52553A
        let CBUUIDServerCharacteristicConfigurationString: String := 2903
        """
}
