// The raw values that the module has at run time, in the order of the table: see InterfaceTable.swift.

import CoreBluetooth

/// Values behind a protocol: to name what is deprecated is a warning.
private protocol DeprecatedValueSource: Sendable {
    /// The cases of enumerations that were replaced.
    var cases: [String: [String]] { get }
    /// A code that was misspelt.
    var unknownDevice: CBError.Code { get }
}

private struct DeprecatedValues: DeprecatedValueSource {
    @available(*, deprecated)
    var cases: [String: [String]] {
        [
            "CBCentralManagerState": RawValues.cases(of: CBCentralManagerState.self),
            "CBPeripheralManagerAuthorizationStatus": RawValues.cases(of: CBPeripheralManagerAuthorizationStatus.self),
            "CBPeripheralManagerState": RawValues.cases(of: CBPeripheralManagerState.self),
        ]
    }

    @available(*, deprecated)
    var unknownDevice: CBError.Code { CBError.unkownDevice }
}

/// The raw values of the module.
enum RawValues {
    private static let deprecated: any DeprecatedValueSource = DeprecatedValues()

    /// `name = value` for each case, in the order of the values.
    fileprivate static func cases<Value: RawRepresentable<Int>>(of type: Value.Type) -> [String] {
        (0...30).compactMap { number in Value(rawValue: number).map { "\($0) = \(number)" } }
            .filter { !$0.contains("(") }
    }

    /// Named here, since a program of the package describes them in its own words.
    private static let states: [(String, CBManagerState)] = [
        ("unknown", .unknown), ("resetting", .resetting), ("unsupported", .unsupported),
        ("unauthorized", .unauthorized), ("poweredOff", .poweredOff), ("poweredOn", .poweredOn),
    ]

    /// The cases of the enumerations.
    static var cases: [String: [String]] {
        [
            "CBATTError.Code": self.cases(of: CBATTError.Code.self),
            "CBError.Code": self.cases(of: CBError.Code.self),
            "CBCharacteristicWriteType": self.cases(of: CBCharacteristicWriteType.self),
            "CBConnectionEvent": self.cases(of: CBConnectionEvent.self),
            "CBManagerAuthorization": self.cases(of: CBManagerAuthorization.self),
            "CBManagerState": self.states.map { "\($0) = \($1.rawValue)" },
            "CBPeripheralManagerConnectionLatency": self.cases(of: CBPeripheralManagerConnectionLatency.self),
            "CBPeripheralState": self.cases(of: CBPeripheralState.self),
        ].merging(self.deprecated.cases) { $1 }
    }

    /// The members of types, and the constants under the empty name.
    static var members: [String: [String]] {
        let features: [CBCentralManager.Feature] = [.extendedScanAndConnect, .channelSounding]
        let properties: [CBCharacteristicProperties] = [
            .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
            .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
        ]
        let permissions: [CBAttributePermissions] = [
            .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
        ]
        let options: [CBConnectionEventMatchingOption] = [.peripheralUUIDs, .serviceUUIDs]
        return [
            "CBCentralManager.Feature": features.map { "\($0.rawValue)" },
            "CBCharacteristicProperties": properties.map { "\($0.rawValue)" },
            "CBAttributePermissions": permissions.map { "\($0.rawValue)" },
            "CBConnectionEventMatchingOption": options.map(\.rawValue),
            "CBATTError": [CBATTError.errorDomain] + self.attCodes.map { "\($0.rawValue)" },
            "CBError.Code": ["\(CBError.Code.unknownDevice.rawValue)"],
            "CBError": [CBError.errorDomain] + self.codes.map { "\($0.rawValue)" },
            "": self.constants,
        ]
    }

    private static let attCodes: [CBATTError.Code] = [
        CBATTError.success, CBATTError.invalidHandle, CBATTError.readNotPermitted, CBATTError.writeNotPermitted,
        CBATTError.invalidPdu, CBATTError.insufficientAuthentication, CBATTError.requestNotSupported,
        CBATTError.invalidOffset, CBATTError.insufficientAuthorization, CBATTError.prepareQueueFull,
        CBATTError.attributeNotFound, CBATTError.attributeNotLong, CBATTError.insufficientEncryptionKeySize,
        CBATTError.invalidAttributeValueLength, CBATTError.unlikelyError, CBATTError.insufficientEncryption,
        CBATTError.unsupportedGroupType, CBATTError.insufficientResources,
    ]

    private static let codes: [CBError.Code] = [
        CBError.unknownDevice, CBError.unknown, CBError.invalidParameters, CBError.invalidHandle, CBError.notConnected,
        CBError.outOfSpace,
        CBError.operationCancelled, CBError.connectionTimeout, CBError.peripheralDisconnected, CBError.uuidNotAllowed,
        CBError.alreadyAdvertising, CBError.connectionFailed, CBError.connectionLimitReached,
        Self.deprecated.unknownDevice, CBError.operationNotSupported, CBError.peerRemovedPairingInformation,
        CBError.encryptionTimedOut, CBError.tooManyLEPairedDevices, CBError.leGattExceededBackgroundNotificationLimit,
        CBError.leGattNearBackgroundNotificationLimit, CBError.channelSoundingConfigurationFailed,
        CBError.channelSoundingProcedureFailed,
    ]

    private static let constants = [
        CBATTErrorDomain, CBAdvertisementDataIsConnectable, CBAdvertisementDataLocalNameKey,
        CBAdvertisementDataManufacturerDataKey, CBAdvertisementDataOverflowServiceUUIDsKey,
        CBAdvertisementDataServiceDataKey, CBAdvertisementDataServiceUUIDsKey,
        CBAdvertisementDataSolicitedServiceUUIDsKey, CBAdvertisementDataTxPowerLevelKey,
        CBCentralManagerOptionDeviceAccessForMedia, CBCentralManagerOptionRestoreIdentifierKey,
        CBCentralManagerOptionShowPowerAlertKey, CBCentralManagerRestoredStatePeripheralsKey,
        CBCentralManagerRestoredStateScanOptionsKey, CBCentralManagerRestoredStateScanServicesKey,
        CBCentralManagerScanOptionAllowDuplicatesKey, CBCentralManagerScanOptionSolicitedServiceUUIDsKey,
        CBConnectPeripheralOptionEnableAutoReconnect, CBConnectPeripheralOptionEnableTransportBridgingKey,
        CBConnectPeripheralOptionNotifyOnConnectionKey, CBConnectPeripheralOptionNotifyOnDisconnectionKey,
        CBConnectPeripheralOptionNotifyOnNotificationKey, CBConnectPeripheralOptionRequiresANCS,
        CBConnectPeripheralOptionStartDelayKey, CBErrorDomain, CBPeripheralManagerOptionRestoreIdentifierKey,
        CBPeripheralManagerOptionShowPowerAlertKey, CBPeripheralManagerRestoredStateAdvertisementDataKey,
        CBPeripheralManagerRestoredStateServicesKey, CBUUIDCharacteristicAggregateFormatString,
        CBUUIDCharacteristicExtendedPropertiesString, CBUUIDCharacteristicFormatString,
        CBUUIDCharacteristicObservationScheduleString, CBUUIDCharacteristicUserDescriptionString,
        CBUUIDCharacteristicValidRangeString, CBUUIDClientCharacteristicConfigurationString,
        CBUUIDL2CAPPSMCharacteristicString, CBUUIDServerCharacteristicConfigurationString,
    ]
}
