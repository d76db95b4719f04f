// Every member of Apple's interface, with the type that Swift gives it on Apple's platforms. What is checked here is
// that it compiles: this file says `import CoreBluetooth` and no more, as a program would.

import CoreBluetooth
import Testbed
import Testing

@Suite("Surface")
struct SurfaceTests {
    @Test("members of managers")
    func managers() {
        let _: (CBCentralManager) -> ([CBUUID]?, [String: Any]?) -> Void =
            CBCentralManager.scanForPeripherals(withServices:options:)
        let _: (CBCentralManager) -> () -> Void = CBCentralManager.stopScan
        let _: (CBCentralManager) -> (CBPeripheral, [String: Any]?) -> Void = CBCentralManager.connect(_:options:)
        let _: (CBCentralManager) -> (CBPeripheral) -> Void = CBCentralManager.cancelPeripheralConnection(_:)
        let _: (CBCentralManager) -> ([UUID]) -> [CBPeripheral] =
            CBCentralManager.retrievePeripherals(withIdentifiers:)
        let _: (CBCentralManager) -> ([CBUUID]) -> [CBPeripheral] =
            CBCentralManager.retrieveConnectedPeripherals(withServices:)
        let _: (CBCentralManager) -> ([CBConnectionEventMatchingOption: Any]?) -> Void =
            CBCentralManager.registerForConnectionEvents(options:)
        let _: (CBCentralManager.Feature) -> Bool = CBCentralManager.supports(_:)
        let _: KeyPath<CBCentralManager, Bool> = \.isScanning
        let _: KeyPath<CBManager, CBManagerState> = \.state
        let _: ReferenceWritableKeyPath<CBCentralManager, (any CBCentralManagerDelegate)?> = \.delegate

        let _: (CBPeripheralManager) -> ([String: Any]?) -> Void = CBPeripheralManager.startAdvertising(_:)
        let _: (CBPeripheralManager) -> () -> Void = CBPeripheralManager.stopAdvertising
        let _: (CBPeripheralManager) -> (CBPeripheralManagerConnectionLatency, CBCentral) -> Void =
            CBPeripheralManager.setDesiredConnectionLatency(_:for:)
        let _: (CBPeripheralManager) -> (CBMutableService) -> Void = CBPeripheralManager.add(_:)
        let _: (CBPeripheralManager) -> (CBMutableService) -> Void = CBPeripheralManager.remove(_:)
        let _: (CBPeripheralManager) -> () -> Void = CBPeripheralManager.removeAllServices
        let _: (CBPeripheralManager) -> (CBATTRequest, CBATTError.Code) -> Void =
            CBPeripheralManager.respond(to:withResult:)
        let _: (CBPeripheralManager) -> (Data, CBMutableCharacteristic, [CBCentral]?) -> Bool =
            CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:)
        let _: (CBPeripheralManager) -> (Bool) -> Void = CBPeripheralManager.publishL2CAPChannel(withEncryption:)
        let _: (CBPeripheralManager) -> (CBL2CAPPSM) -> Void = CBPeripheralManager.unpublishL2CAPChannel(_:)
        let _: KeyPath<CBPeripheralManager, Bool> = \.isAdvertising
        let _: ReferenceWritableKeyPath<CBPeripheralManager, (any CBPeripheralManagerDelegate)?> = \.delegate
    }

    @Test("members of peers and requests")
    func peers() {
        let _: KeyPath<CBPeer, UUID> = \.identifier
        let _: KeyPath<CBCentral, Int> = \.maximumUpdateValueLength
        let _: ReferenceWritableKeyPath<CBPeripheral, (any CBPeripheralDelegate)?> = \.delegate
        let _: KeyPath<CBPeripheral, String?> = \.name
        let _: KeyPath<CBPeripheral, CBPeripheralState> = \.state
        let _: KeyPath<CBPeripheral, [CBService]?> = \.services
        let _: KeyPath<CBPeripheral, Bool> = \.canSendWriteWithoutResponse
        let _: KeyPath<CBPeripheral, Bool> = \.ancsAuthorized
        let _: (CBPeripheral) -> () -> Void = CBPeripheral.readRSSI
        let _: (CBPeripheral) -> ([CBUUID]?) -> Void = CBPeripheral.discoverServices(_:)
        let _: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral.discoverIncludedServices(_:for:)
        let _: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral.discoverCharacteristics(_:for:)
        let _: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.discoverDescriptors(for:)
        let _: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.readValue(for:)
        let _: (CBPeripheral) -> (CBDescriptor) -> Void = CBPeripheral.readValue(for:)
        let _: (CBPeripheral) -> (Data, CBCharacteristic, CBCharacteristicWriteType) -> Void =
            CBPeripheral.writeValue(_:for:type:)
        let _: (CBPeripheral) -> (Data, CBDescriptor) -> Void = CBPeripheral.writeValue(_:for:)
        let _: (CBPeripheral) -> (Bool, CBCharacteristic) -> Void = CBPeripheral.setNotifyValue(_:for:)
        let _: (CBPeripheral) -> (CBCharacteristicWriteType) -> Int = CBPeripheral.maximumWriteValueLength(for:)
        let _: (CBPeripheral) -> (CBL2CAPPSM) -> Void = CBPeripheral.openL2CAPChannel(_:)

        let _: KeyPath<CBATTRequest, CBCentral> = \.central
        let _: KeyPath<CBATTRequest, CBCharacteristic> = \.characteristic
        let _: KeyPath<CBATTRequest, Int> = \.offset
        let _: ReferenceWritableKeyPath<CBATTRequest, Data?> = \.value
        let _: KeyPath<CBL2CAPChannel, CBPeer?> = \.peer
        let _: KeyPath<CBL2CAPChannel, InputStream?> = \.inputStream
        let _: KeyPath<CBL2CAPChannel, OutputStream?> = \.outputStream
        let _: KeyPath<CBL2CAPChannel, CBL2CAPPSM> = \.psm
        #expect(CBL2CAPChannel().psm == 0)
    }

    @Test("members of attributes")
    func attributes() {
        let _: KeyPath<CBAttribute, CBUUID> = \.uuid
        let _: KeyPath<CBService, CBPeripheral?> = \.peripheral
        let _: KeyPath<CBService, Bool> = \.isPrimary
        let _: KeyPath<CBService, [CBService]?> = \.includedServices
        let _: KeyPath<CBService, [CBCharacteristic]?> = \.characteristics
        let _: ReferenceWritableKeyPath<CBMutableService, [CBService]?> = \.includedServices
        let _: ReferenceWritableKeyPath<CBMutableService, [CBCharacteristic]?> = \.characteristics
        let _: KeyPath<CBCharacteristic, CBService?> = \.service
        let _: KeyPath<CBCharacteristic, CBCharacteristicProperties> = \.properties
        let _: KeyPath<CBCharacteristic, Data?> = \.value
        let _: KeyPath<CBCharacteristic, [CBDescriptor]?> = \.descriptors
        let _: KeyPath<CBCharacteristic, Bool> = \.isNotifying
        let _: ReferenceWritableKeyPath<CBMutableCharacteristic, CBAttributePermissions> = \.permissions
        let _: ReferenceWritableKeyPath<CBMutableCharacteristic, CBCharacteristicProperties> = \.properties
        let _: ReferenceWritableKeyPath<CBMutableCharacteristic, Data?> = \.value
        let _: ReferenceWritableKeyPath<CBMutableCharacteristic, [CBDescriptor]?> = \.descriptors
        let _: KeyPath<CBMutableCharacteristic, [CBCentral]?> = \.subscribedCentrals
        let _: KeyPath<CBDescriptor, CBCharacteristic?> = \.characteristic
        let _: KeyPath<CBDescriptor, Any?> = \.value
        let _: (CBUUID, Bool) -> CBMutableService = CBMutableService.init(type:primary:)
        let _: (CBUUID, CBCharacteristicProperties, Data?, CBAttributePermissions) -> CBMutableCharacteristic =
            CBMutableCharacteristic.init(type:properties:value:permissions:)
        let _: (CBUUID, Any?) -> CBMutableDescriptor = CBMutableDescriptor.init(type:value:)
        let _: KeyPath<CBUUID, Data> = \.data
        let _: KeyPath<CBUUID, String> = \.uuidString
    }

    /// Implements every method of the central's delegates, as an app might.
    private final class Everything: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            switch central.state {
            case .poweredOn, .poweredOff, .resetting, .unauthorized, .unsupported, .unknown: break
            @unknown default: break
            }
        }
        func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {}
        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
        func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {}
        func centralManager(_ central: CBCentralManager, didDisconnectPeripheral: CBPeripheral, error: Error?) {}
        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            timestamp: CFAbsoluteTime,
            isReconnecting: Bool,
            error: Error?
        ) {}
        func centralManager(
            _ central: CBCentralManager,
            connectionEventDidOccur event: CBConnectionEvent,
            for peripheral: CBPeripheral
        ) {}
        func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}

        func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
        func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}
        func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: Error?) {}
        func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?) {}
        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {}
        func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: Error?) {}
        func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {}
        func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        }
        func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {}
        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateNotificationStateFor characteristic: CBCharacteristic,
            error: Error?
        ) {}
        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverDescriptorsFor characteristic: CBCharacteristic,
            error: Error?
        ) {}
        func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {}
        func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: Error?) {}
        func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
        func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {}
    }

    /// Implements nothing that need not be.
    private final class Nothing: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate {
        func centralManagerDidUpdateState(_ central: CBCentralManager) {}
        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    }

    @Test("15 delegates: what is optional may be left out")
    func delegates() {
        let everything: any CBCentralManagerDelegate & CBPeripheralDelegate = Everything()
        let nothing: any CBCentralManagerDelegate & CBPeripheralDelegate & CBPeripheralManagerDelegate = Nothing()
        #expect(everything.isEqual(everything))
        #expect(!nothing.isEqual(everything))
    }

    @Test("all constants have a value of their own")
    func constants() {
        let keys = [
            CBAdvertisementDataLocalNameKey, CBAdvertisementDataManufacturerDataKey, CBAdvertisementDataServiceDataKey,
            CBAdvertisementDataServiceUUIDsKey, CBAdvertisementDataOverflowServiceUUIDsKey,
            CBAdvertisementDataTxPowerLevelKey, CBAdvertisementDataIsConnectable,
            CBAdvertisementDataSolicitedServiceUUIDsKey, CBCentralManagerOptionShowPowerAlertKey,
            CBCentralManagerOptionRestoreIdentifierKey, CBCentralManagerOptionDeviceAccessForMedia,
            CBCentralManagerScanOptionAllowDuplicatesKey, CBCentralManagerScanOptionSolicitedServiceUUIDsKey,
            CBConnectPeripheralOptionNotifyOnConnectionKey, CBConnectPeripheralOptionNotifyOnDisconnectionKey,
            CBConnectPeripheralOptionNotifyOnNotificationKey, CBConnectPeripheralOptionStartDelayKey,
            CBConnectPeripheralOptionEnableTransportBridgingKey, CBConnectPeripheralOptionRequiresANCS,
            CBConnectPeripheralOptionEnableAutoReconnect, CBCentralManagerRestoredStatePeripheralsKey,
            CBCentralManagerRestoredStateScanServicesKey, CBCentralManagerRestoredStateScanOptionsKey,
            CBPeripheralManagerRestoredStateServicesKey, CBPeripheralManagerRestoredStateAdvertisementDataKey,
            CBUUIDCharacteristicExtendedPropertiesString, CBUUIDCharacteristicUserDescriptionString,
            CBUUIDClientCharacteristicConfigurationString, CBUUIDServerCharacteristicConfigurationString,
            CBUUIDCharacteristicFormatString, CBUUIDCharacteristicAggregateFormatString,
            CBUUIDCharacteristicValidRangeString, CBUUIDCharacteristicObservationScheduleString,
            CBUUIDL2CAPPSMCharacteristicString, CBErrorDomain, CBATTErrorDomain,
        ]
        #expect(Set(keys).count == keys.count)
        #expect(CBPeripheralManagerOptionShowPowerAlertKey == CBCentralManagerOptionShowPowerAlertKey)
    }
}
