// Apple's interface, line by line: managers, their delegates, peers, requests and channels. The grammar of the lines is
// in InterfaceTable.swift.

extension AppleInterface {
    /// Managers, delegates, peers, requests, channels.
    static let managers = """
        open class CBManager: NSObject
            unavailable init()
            deprecated var authorization: CBManagerAuthorization { get }
            var state: CBManagerState { get }
            class var authorization: CBManagerAuthorization { get }
        open class CBCentralManager: CBManager
            struct Feature: OptionSet, BitwiseCopyable, Equatable, ExpressibleByArrayLiteral, RawRepresentable, \
                Sendable, SetAlgebra
                init(rawValue: UInt)
                static var extendedScanAndConnect: CBCentralManager.Feature { get } := 0x1
                static var channelSounding: CBCentralManager.Feature { get } := 0x400
            convenience init()
            convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?)
            init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String : Any]? = nil)
            var isScanning: Bool { get }
            var delegate: (any CBCentralManagerDelegate)? { get set }
            func cancelPeripheralConnection(_ peripheral: CBPeripheral)
            func connect(_ peripheral: CBPeripheral, options: [String : Any]? = nil)
            func registerForConnectionEvents(options: [CBConnectionEventMatchingOption : Any]? = nil)
            @discardableResult func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral]
            @discardableResult func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral]
            func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String : Any]? = nil)
            func stopScan()
            @discardableResult class func supports(_ features: CBCentralManager.Feature) -> Bool
        open class CBPeripheralManager: CBManager
            convenience init()
            convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?)
            init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String : Any]? = nil)
            var isAdvertising: Bool { get }
            var delegate: (any CBPeripheralManagerDelegate)? { get set }
            func add(_ service: CBMutableService)
            func publishL2CAPChannel(withEncryption encryptionRequired: Bool)
            func remove(_ service: CBMutableService)
            func removeAllServices()
            func respond(to request: CBATTRequest, withResult result: CBATTError.Code)
            func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral)
            func startAdvertising(_ advertisementData: [String : Any]?)
            func stopAdvertising()
            func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM)
            @discardableResult func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, \
                onSubscribedCentrals centrals: [CBCentral]?) -> Bool
            deprecated @discardableResult class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus
        protocol CBCentralManagerDelegate: NSObjectProtocol
            func centralManagerDidUpdateState(_ central: CBCentralManager)
            optional func centralManager(_ central: CBCentralManager, \
                connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)
            optional func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)
            optional func centralManager(_ central: CBCentralManager, \
                didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)
            optional func centralManager(_ central: CBCentralManager, \
                didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime, isReconnecting: Bool, \
                error: (any Error)?)
            optional func centralManager(_ central: CBCentralManager, didDiscover peripheral: CBPeripheral, \
                advertisementData: [String : Any], rssi RSSI: NSNumber)
            optional func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, \
                error: (any Error)?)
            optional func centralManager(_ central: CBCentralManager, \
                didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
            optional func centralManager(_ central: CBCentralManager, willRestoreState dict: [String : Any])
        protocol CBPeripheralManagerDelegate: NSObjectProtocol
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
            optional func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, \
                didSubscribeTo characteristic: CBCharacteristic)
            optional func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, \
                didUnsubscribeFrom characteristic: CBCharacteristic)
            optional func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, \
                error: (any Error)?)
            optional func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, \
                error: (any Error)?)
            optional func peripheralManager(_ peripheral: CBPeripheralManager, \
                didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
            optional func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
            optional func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])
            optional func peripheralManager(_ peripheral: CBPeripheralManager, \
                didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
            optional func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String : Any])
            optional func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)
            optional func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
        open class CBPeer: NSObject, NSCopying
            unavailable init()
            var identifier: UUID { get }
        open class CBPeripheral: CBPeer, NSCopying
            unavailable init()
            var ancsAuthorized: Bool { get }
            var canSendWriteWithoutResponse: Bool { get }
            var name: String? { get }
            deprecated var rssi: NSNumber? { get }
            var services: [CBService]? { get }
            var state: CBPeripheralState { get }
            var delegate: (any CBPeripheralDelegate)? { get set }
            func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService)
            func discoverDescriptors(for characteristic: CBCharacteristic)
            func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService)
            func discoverServices(_ serviceUUIDs: [CBUUID]?)
            @discardableResult func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int
            func openL2CAPChannel(_ PSM: CBL2CAPPSM)
            func readRSSI()
            func readValue(for characteristic: CBCharacteristic)
            func readValue(for descriptor: CBDescriptor)
            func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic)
            func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType)
            func writeValue(_ data: Data, for descriptor: CBDescriptor)
        protocol CBPeripheralDelegate: NSObjectProtocol
            optional func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, \
                error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, \
                didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, \
                error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
            optional func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, \
                didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, \
                error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, \
                error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, \
                error: (any Error)?)
            optional func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, \
                error: (any Error)?)
            optional func peripheralDidUpdateName(_ peripheral: CBPeripheral)
            deprecated optional func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)
            optional func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)
        open class CBCentral: CBPeer, NSCopying
            unavailable init()
            var maximumUpdateValueLength: Int { get }
        open class CBATTRequest: NSObject
            unavailable init()
            var central: CBCentral { get }
            var characteristic: CBCharacteristic { get }
            var offset: Int { get }
            var value: Data? { get set }
        open class CBL2CAPChannel: NSObject
            inherited init()
            var inputStream: InputStream! { get }
            var outputStream: OutputStream! { get }
            var peer: CBPeer! { get }
            var psm: CBL2CAPPSM { get }
        """
}
