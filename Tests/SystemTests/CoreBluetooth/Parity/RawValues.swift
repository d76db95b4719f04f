// The raw values that the module has at run time, by the paths that InterfaceTable.swift uses.

import CoreBluetooth

/// What has raw values; behind a protocol, since looking at deprecated ones by name is a warning.
protocol RawValueSource {
    /// Numbers by path.
    func numbers() -> [String: Int]
    /// Texts by path.
    func texts() -> [String: String]
}

/// Codes of errors.
struct ErrorCodes: RawValueSource {
    /// The codes, as cases and as members of the error types.
    func numbers() -> [String: Int] {
        [
            "CBATTError.Code.success": CBATTError.Code.success.rawValue,
            "CBATTError.Code.invalidHandle": CBATTError.Code.invalidHandle.rawValue,
            "CBATTError.Code.readNotPermitted": CBATTError.Code.readNotPermitted.rawValue,
            "CBATTError.Code.writeNotPermitted": CBATTError.Code.writeNotPermitted.rawValue,
            "CBATTError.Code.invalidPdu": CBATTError.Code.invalidPdu.rawValue,
            "CBATTError.Code.insufficientAuthentication": CBATTError.Code.insufficientAuthentication.rawValue,
            "CBATTError.Code.requestNotSupported": CBATTError.Code.requestNotSupported.rawValue,
            "CBATTError.Code.invalidOffset": CBATTError.Code.invalidOffset.rawValue,
            "CBATTError.Code.insufficientAuthorization": CBATTError.Code.insufficientAuthorization.rawValue,
            "CBATTError.Code.prepareQueueFull": CBATTError.Code.prepareQueueFull.rawValue,
            "CBATTError.Code.attributeNotFound": CBATTError.Code.attributeNotFound.rawValue,
            "CBATTError.Code.attributeNotLong": CBATTError.Code.attributeNotLong.rawValue,
            "CBATTError.Code.insufficientEncryptionKeySize": CBATTError.Code.insufficientEncryptionKeySize.rawValue,
            "CBATTError.Code.invalidAttributeValueLength": CBATTError.Code.invalidAttributeValueLength.rawValue,
            "CBATTError.Code.unlikelyError": CBATTError.Code.unlikelyError.rawValue,
            "CBATTError.Code.insufficientEncryption": CBATTError.Code.insufficientEncryption.rawValue,
            "CBATTError.Code.unsupportedGroupType": CBATTError.Code.unsupportedGroupType.rawValue,
            "CBATTError.Code.insufficientResources": CBATTError.Code.insufficientResources.rawValue,
            "CBATTError.success": CBATTError.success.rawValue,
            "CBATTError.invalidHandle": CBATTError.invalidHandle.rawValue,
            "CBATTError.readNotPermitted": CBATTError.readNotPermitted.rawValue,
            "CBATTError.writeNotPermitted": CBATTError.writeNotPermitted.rawValue,
            "CBATTError.invalidPdu": CBATTError.invalidPdu.rawValue,
            "CBATTError.insufficientAuthentication": CBATTError.insufficientAuthentication.rawValue,
            "CBATTError.requestNotSupported": CBATTError.requestNotSupported.rawValue,
            "CBATTError.invalidOffset": CBATTError.invalidOffset.rawValue,
            "CBATTError.insufficientAuthorization": CBATTError.insufficientAuthorization.rawValue,
            "CBATTError.prepareQueueFull": CBATTError.prepareQueueFull.rawValue,
            "CBATTError.attributeNotFound": CBATTError.attributeNotFound.rawValue,
            "CBATTError.attributeNotLong": CBATTError.attributeNotLong.rawValue,
            "CBATTError.insufficientEncryptionKeySize": CBATTError.insufficientEncryptionKeySize.rawValue,
            "CBATTError.invalidAttributeValueLength": CBATTError.invalidAttributeValueLength.rawValue,
            "CBATTError.unlikelyError": CBATTError.unlikelyError.rawValue,
            "CBATTError.insufficientEncryption": CBATTError.insufficientEncryption.rawValue,
            "CBATTError.unsupportedGroupType": CBATTError.unsupportedGroupType.rawValue,
            "CBATTError.insufficientResources": CBATTError.insufficientResources.rawValue,
            "CBError.Code.unknownDevice": CBError.Code.unknownDevice.rawValue,
            "CBError.Code.unknown": CBError.Code.unknown.rawValue,
            "CBError.Code.invalidParameters": CBError.Code.invalidParameters.rawValue,
            "CBError.Code.invalidHandle": CBError.Code.invalidHandle.rawValue,
            "CBError.Code.notConnected": CBError.Code.notConnected.rawValue,
            "CBError.Code.outOfSpace": CBError.Code.outOfSpace.rawValue,
            "CBError.Code.operationCancelled": CBError.Code.operationCancelled.rawValue,
            "CBError.Code.connectionTimeout": CBError.Code.connectionTimeout.rawValue,
            "CBError.Code.peripheralDisconnected": CBError.Code.peripheralDisconnected.rawValue,
            "CBError.Code.uuidNotAllowed": CBError.Code.uuidNotAllowed.rawValue,
            "CBError.Code.alreadyAdvertising": CBError.Code.alreadyAdvertising.rawValue,
            "CBError.Code.connectionFailed": CBError.Code.connectionFailed.rawValue,
            "CBError.Code.connectionLimitReached": CBError.Code.connectionLimitReached.rawValue,
            "CBError.Code.operationNotSupported": CBError.Code.operationNotSupported.rawValue,
            "CBError.Code.peerRemovedPairingInformation": CBError.Code.peerRemovedPairingInformation.rawValue,
            "CBError.Code.encryptionTimedOut": CBError.Code.encryptionTimedOut.rawValue,
            "CBError.Code.tooManyLEPairedDevices": CBError.Code.tooManyLEPairedDevices.rawValue,
            "CBError.Code.leGattExceededBackgroundNotificationLimit":
                CBError.Code.leGattExceededBackgroundNotificationLimit.rawValue,
            "CBError.Code.leGattNearBackgroundNotificationLimit":
                CBError.Code.leGattNearBackgroundNotificationLimit.rawValue,
            "CBError.Code.channelSoundingConfigurationFailed": CBError.Code.channelSoundingConfigurationFailed.rawValue,
            "CBError.Code.channelSoundingProcedureFailed": CBError.Code.channelSoundingProcedureFailed.rawValue,
            "CBError.unknown": CBError.unknown.rawValue,
            "CBError.invalidParameters": CBError.invalidParameters.rawValue,
            "CBError.invalidHandle": CBError.invalidHandle.rawValue,
            "CBError.notConnected": CBError.notConnected.rawValue,
            "CBError.outOfSpace": CBError.outOfSpace.rawValue,
            "CBError.operationCancelled": CBError.operationCancelled.rawValue,
            "CBError.connectionTimeout": CBError.connectionTimeout.rawValue,
            "CBError.peripheralDisconnected": CBError.peripheralDisconnected.rawValue,
            "CBError.uuidNotAllowed": CBError.uuidNotAllowed.rawValue,
            "CBError.alreadyAdvertising": CBError.alreadyAdvertising.rawValue,
            "CBError.connectionFailed": CBError.connectionFailed.rawValue,
            "CBError.connectionLimitReached": CBError.connectionLimitReached.rawValue,
            "CBError.unknownDevice": CBError.unknownDevice.rawValue,
            "CBError.operationNotSupported": CBError.operationNotSupported.rawValue,
            "CBError.peerRemovedPairingInformation": CBError.peerRemovedPairingInformation.rawValue,
            "CBError.encryptionTimedOut": CBError.encryptionTimedOut.rawValue,
            "CBError.tooManyLEPairedDevices": CBError.tooManyLEPairedDevices.rawValue,
            "CBError.leGattExceededBackgroundNotificationLimit":
                CBError.leGattExceededBackgroundNotificationLimit.rawValue,
            "CBError.leGattNearBackgroundNotificationLimit": CBError.leGattNearBackgroundNotificationLimit.rawValue,
            "CBError.channelSoundingConfigurationFailed": CBError.channelSoundingConfigurationFailed.rawValue,
            "CBError.channelSoundingProcedureFailed": CBError.channelSoundingProcedureFailed.rawValue,
        ]
    }

    /// The domains.
    func texts() -> [String: String] {
        [
            "CBATTError.errorDomain": CBATTError.errorDomain,
            "CBError.errorDomain": CBError.errorDomain,
        ]
    }
}

/// Enumerations, option sets and constants.
struct PlainValues: RawValueSource {
    /// Enumerations and option sets.
    func numbers() -> [String: Int] {
        [
            "CBCentralManager.Feature.extendedScanAndConnect":
                Int(CBCentralManager.Feature.extendedScanAndConnect.rawValue),
            "CBCentralManager.Feature.channelSounding": Int(CBCentralManager.Feature.channelSounding.rawValue),
            "CBCharacteristicProperties.broadcast": Int(CBCharacteristicProperties.broadcast.rawValue),
            "CBCharacteristicProperties.read": Int(CBCharacteristicProperties.read.rawValue),
            "CBCharacteristicProperties.writeWithoutResponse":
                Int(CBCharacteristicProperties.writeWithoutResponse.rawValue),
            "CBCharacteristicProperties.write": Int(CBCharacteristicProperties.write.rawValue),
            "CBCharacteristicProperties.notify": Int(CBCharacteristicProperties.notify.rawValue),
            "CBCharacteristicProperties.indicate": Int(CBCharacteristicProperties.indicate.rawValue),
            "CBCharacteristicProperties.authenticatedSignedWrites":
                Int(CBCharacteristicProperties.authenticatedSignedWrites.rawValue),
            "CBCharacteristicProperties.extendedProperties":
                Int(CBCharacteristicProperties.extendedProperties.rawValue),
            "CBCharacteristicProperties.notifyEncryptionRequired":
                Int(CBCharacteristicProperties.notifyEncryptionRequired.rawValue),
            "CBCharacteristicProperties.indicateEncryptionRequired":
                Int(CBCharacteristicProperties.indicateEncryptionRequired.rawValue),
            "CBAttributePermissions.readable": Int(CBAttributePermissions.readable.rawValue),
            "CBAttributePermissions.writeable": Int(CBAttributePermissions.writeable.rawValue),
            "CBAttributePermissions.readEncryptionRequired":
                Int(CBAttributePermissions.readEncryptionRequired.rawValue),
            "CBAttributePermissions.writeEncryptionRequired":
                Int(CBAttributePermissions.writeEncryptionRequired.rawValue),
            "CBCharacteristicWriteType.withResponse": CBCharacteristicWriteType.withResponse.rawValue,
            "CBCharacteristicWriteType.withoutResponse": CBCharacteristicWriteType.withoutResponse.rawValue,
            "CBConnectionEvent.peerDisconnected": CBConnectionEvent.peerDisconnected.rawValue,
            "CBConnectionEvent.peerConnected": CBConnectionEvent.peerConnected.rawValue,
            "CBManagerAuthorization.notDetermined": CBManagerAuthorization.notDetermined.rawValue,
            "CBManagerAuthorization.restricted": CBManagerAuthorization.restricted.rawValue,
            "CBManagerAuthorization.denied": CBManagerAuthorization.denied.rawValue,
            "CBManagerAuthorization.allowedAlways": CBManagerAuthorization.allowedAlways.rawValue,
            "CBManagerState.unknown": CBManagerState.unknown.rawValue,
            "CBManagerState.resetting": CBManagerState.resetting.rawValue,
            "CBManagerState.unsupported": CBManagerState.unsupported.rawValue,
            "CBManagerState.unauthorized": CBManagerState.unauthorized.rawValue,
            "CBManagerState.poweredOff": CBManagerState.poweredOff.rawValue,
            "CBManagerState.poweredOn": CBManagerState.poweredOn.rawValue,
            "CBPeripheralManagerConnectionLatency.low": CBPeripheralManagerConnectionLatency.low.rawValue,
            "CBPeripheralManagerConnectionLatency.medium": CBPeripheralManagerConnectionLatency.medium.rawValue,
            "CBPeripheralManagerConnectionLatency.high": CBPeripheralManagerConnectionLatency.high.rawValue,
            "CBPeripheralState.disconnected": CBPeripheralState.disconnected.rawValue,
            "CBPeripheralState.connecting": CBPeripheralState.connecting.rawValue,
            "CBPeripheralState.connected": CBPeripheralState.connected.rawValue,
            "CBPeripheralState.disconnecting": CBPeripheralState.disconnecting.rawValue,
        ]
    }

    /// Constants.
    func texts() -> [String: String] {
        [
            "CBConnectionEventMatchingOption.peripheralUUIDs": CBConnectionEventMatchingOption.peripheralUUIDs.rawValue,
            "CBConnectionEventMatchingOption.serviceUUIDs": CBConnectionEventMatchingOption.serviceUUIDs.rawValue,
            "CBATTErrorDomain": CBATTErrorDomain,
            "CBAdvertisementDataIsConnectable": CBAdvertisementDataIsConnectable,
            "CBAdvertisementDataLocalNameKey": CBAdvertisementDataLocalNameKey,
            "CBAdvertisementDataManufacturerDataKey": CBAdvertisementDataManufacturerDataKey,
            "CBAdvertisementDataOverflowServiceUUIDsKey": CBAdvertisementDataOverflowServiceUUIDsKey,
            "CBAdvertisementDataServiceDataKey": CBAdvertisementDataServiceDataKey,
            "CBAdvertisementDataServiceUUIDsKey": CBAdvertisementDataServiceUUIDsKey,
            "CBAdvertisementDataSolicitedServiceUUIDsKey": CBAdvertisementDataSolicitedServiceUUIDsKey,
            "CBAdvertisementDataTxPowerLevelKey": CBAdvertisementDataTxPowerLevelKey,
            "CBCentralManagerOptionDeviceAccessForMedia": CBCentralManagerOptionDeviceAccessForMedia,
            "CBCentralManagerOptionRestoreIdentifierKey": CBCentralManagerOptionRestoreIdentifierKey,
            "CBCentralManagerOptionShowPowerAlertKey": CBCentralManagerOptionShowPowerAlertKey,
            "CBCentralManagerRestoredStatePeripheralsKey": CBCentralManagerRestoredStatePeripheralsKey,
            "CBCentralManagerRestoredStateScanOptionsKey": CBCentralManagerRestoredStateScanOptionsKey,
            "CBCentralManagerRestoredStateScanServicesKey": CBCentralManagerRestoredStateScanServicesKey,
            "CBCentralManagerScanOptionAllowDuplicatesKey": CBCentralManagerScanOptionAllowDuplicatesKey,
            "CBCentralManagerScanOptionSolicitedServiceUUIDsKey": CBCentralManagerScanOptionSolicitedServiceUUIDsKey,
            "CBConnectPeripheralOptionEnableAutoReconnect": CBConnectPeripheralOptionEnableAutoReconnect,
            "CBConnectPeripheralOptionEnableTransportBridgingKey": CBConnectPeripheralOptionEnableTransportBridgingKey,
            "CBConnectPeripheralOptionNotifyOnConnectionKey": CBConnectPeripheralOptionNotifyOnConnectionKey,
            "CBConnectPeripheralOptionNotifyOnDisconnectionKey": CBConnectPeripheralOptionNotifyOnDisconnectionKey,
            "CBConnectPeripheralOptionNotifyOnNotificationKey": CBConnectPeripheralOptionNotifyOnNotificationKey,
            "CBConnectPeripheralOptionRequiresANCS": CBConnectPeripheralOptionRequiresANCS,
            "CBConnectPeripheralOptionStartDelayKey": CBConnectPeripheralOptionStartDelayKey,
            "CBErrorDomain": CBErrorDomain,
            "CBPeripheralManagerOptionRestoreIdentifierKey": CBPeripheralManagerOptionRestoreIdentifierKey,
            "CBPeripheralManagerOptionShowPowerAlertKey": CBPeripheralManagerOptionShowPowerAlertKey,
            "CBPeripheralManagerRestoredStateAdvertisementDataKey":
                CBPeripheralManagerRestoredStateAdvertisementDataKey,
            "CBPeripheralManagerRestoredStateServicesKey": CBPeripheralManagerRestoredStateServicesKey,
            "CBUUIDCharacteristicAggregateFormatString": CBUUIDCharacteristicAggregateFormatString,
            "CBUUIDCharacteristicExtendedPropertiesString": CBUUIDCharacteristicExtendedPropertiesString,
            "CBUUIDCharacteristicFormatString": CBUUIDCharacteristicFormatString,
            "CBUUIDCharacteristicObservationScheduleString": CBUUIDCharacteristicObservationScheduleString,
            "CBUUIDCharacteristicUserDescriptionString": CBUUIDCharacteristicUserDescriptionString,
            "CBUUIDCharacteristicValidRangeString": CBUUIDCharacteristicValidRangeString,
            "CBUUIDClientCharacteristicConfigurationString": CBUUIDClientCharacteristicConfigurationString,
            "CBUUIDL2CAPPSMCharacteristicString": CBUUIDL2CAPPSMCharacteristicString,
            "CBUUIDServerCharacteristicConfigurationString": CBUUIDServerCharacteristicConfigurationString,
        ]
    }
}

/// Values that are deprecated.
struct DeprecatedValues: RawValueSource {
    /// Enumerations that were replaced, and an error that was misspelt.
    @available(*, deprecated)
    func numbers() -> [String: Int] {
        [
            "CBError.Code.unkownDevice": CBError.Code.unkownDevice.rawValue,
            "CBError.unkownDevice": CBError.unkownDevice.rawValue,
            "CBCentralManagerState.unknown": CBCentralManagerState.unknown.rawValue,
            "CBCentralManagerState.resetting": CBCentralManagerState.resetting.rawValue,
            "CBCentralManagerState.unsupported": CBCentralManagerState.unsupported.rawValue,
            "CBCentralManagerState.unauthorized": CBCentralManagerState.unauthorized.rawValue,
            "CBCentralManagerState.poweredOff": CBCentralManagerState.poweredOff.rawValue,
            "CBCentralManagerState.poweredOn": CBCentralManagerState.poweredOn.rawValue,
            "CBPeripheralManagerAuthorizationStatus.notDetermined":
                CBPeripheralManagerAuthorizationStatus.notDetermined.rawValue,
            "CBPeripheralManagerAuthorizationStatus.restricted":
                CBPeripheralManagerAuthorizationStatus.restricted.rawValue,
            "CBPeripheralManagerAuthorizationStatus.denied": CBPeripheralManagerAuthorizationStatus.denied.rawValue,
            "CBPeripheralManagerAuthorizationStatus.authorized":
                CBPeripheralManagerAuthorizationStatus.authorized.rawValue,
            "CBPeripheralManagerState.unknown": CBPeripheralManagerState.unknown.rawValue,
            "CBPeripheralManagerState.resetting": CBPeripheralManagerState.resetting.rawValue,
            "CBPeripheralManagerState.unsupported": CBPeripheralManagerState.unsupported.rawValue,
            "CBPeripheralManagerState.unauthorized": CBPeripheralManagerState.unauthorized.rawValue,
            "CBPeripheralManagerState.poweredOff": CBPeripheralManagerState.poweredOff.rawValue,
            "CBPeripheralManagerState.poweredOn": CBPeripheralManagerState.poweredOn.rawValue,
        ]
    }

    /// None.
    func texts() -> [String: String] { [:] }
}
