// One typical turn of phrase after another, in the words of many published clients. That this file compiles is what it
// is for; the few functions that can be run without a radio are run by ClientCodeTests.

import CoreBluetooth

// Globals and statics, as Swift 5 code has them.
let batteryServiceUUID = CBUUID(string: "180F")
let scanOptions: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true as Bool)]

extension CBUUID {
    static let batteryLevel = CBUUID(string: "2A19")
    static let longForm = CBUUID(nsuuid: UUID(uuidString: "D973F2E0-B19E-11E2-9E96-0800200C9A66")!)
    convenience init(number: UInt16) { self.init(string: String(format: "%04X", number)) }
}

extension CBManagerState: CustomStringConvertible {
    /// One word.
    public var description: String {
        switch self {
        case .unknown: return "unknown"
        case .resetting: return "resetting"
        case .unsupported: return "unsupported"
        case .unauthorized: return "unauthorized"
        case .poweredOff: return "off"
        case .poweredOn: return "on"
        @unknown default: return "new"
        }
    }
}

extension CBCharacteristicProperties {
    static let allNames: [(CBCharacteristicProperties, String)] = [
        (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "writeWithoutResponse"),
        (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
    ]
    var names: [String] { Self.allNames.filter { contains($0.0) }.map { $0.1 } }
    var canWrite: Bool { !intersection([.write, .writeWithoutResponse]).isEmpty }
}

extension CBPeripheral {
    var isConnected: Bool { state == .connected }
    func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
        services?.lazy.compactMap { $0.characteristics?.first { $0.uuid == uuid } }.first
    }
}

extension CBService {
    subscript(uuid: CBUUID) -> CBCharacteristic? { characteristics?.first(where: { $0.uuid == uuid }) }
}

extension Error {
    var isBluetoothTimeout: Bool { (self as? CBError)?.code == .connectionTimeout }
}

// Errors in every manner.
package func describe(_ error: Error) -> String {
    if let code = (error as? CBATTError)?.code { return "ATT \(code.rawValue)" }
    if let error = error as? CBError, error.code == .peripheralDisconnected { return "gone" }
    switch error {
    case CBError.connectionFailed: return "failed"
    case let error as CBError where error.errorCode == CBError.Code.connectionTimeout.rawValue: return "timeout"
    default: break
    }
    let error = error as NSError
    return "\(error.domain) \(error.code)"
}

package func attempt(_ action: () throws -> Void) -> String {
    do {
        try action()
        return "done"
    } catch CBError.connectionFailed {
        return "connectionFailed"
    } catch CBError.unknown, CBError.operationCancelled {
        return "cancelled"
    } catch CBATTError.insufficientAuthentication, CBATTError.insufficientEncryption {
        return "pair first"
    } catch let error as CBATTError {
        return "ATT \(error.code.rawValue)"
    } catch let error as NSError where error.domain == CBErrorDomain {
        return "Core Bluetooth \(error.code)"
    } catch {
        return "other"
    }
}

// Advertisements in every manner.
package struct SeenAdvertisement {
    package var name: String?
    package var services: [CBUUID] = []
    package var serviceData: [CBUUID: Data] = [:]
    package var company: UInt16?
    package var isConnectable = false
    package var power: Int?
    package var timestamp: Date?

    package init(_ advertisementData: [String: Any]) {
        name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        services = (advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]) ?? []
        services += advertisementData[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] ?? []
        if let data = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] { serviceData = data }
        if let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? NSData, data.length >= 2 {
            company = (data as Data).prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
        }
        isConnectable = (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false
        power = (advertisementData["kCBAdvDataTxPowerLevel"] as? NSNumber)?.intValue
        if let time = advertisementData["kCBAdvDataTimestamp"] as? NSNumber {
            timestamp = Date(timeIntervalSinceReferenceDate: time.doubleValue)
        }
    }
}

/// A delegate with the parts that exist on iOS alone.
package class PhoneDelegate: NSObject, CBCentralManagerDelegate {
    package var restored: [CBPeripheral] = []
    package var events: [CBConnectionEvent] = []

    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if #available(iOS 13.0, macOS 10.15, *), CBCentralManager.authorization == .denied { return }
        #if !os(macOS)
        central.registerForConnectionEvents(options: [.serviceUUIDs: [batteryServiceUUID]])
        if CBCentralManager.supports(.extendedScanAndConnect) {}
        #endif
    }

    package func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        _ = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        _ = dict[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
    }

    #if !os(macOS)
    package func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    ) {
        events.append(event)
        switch event {
        case .peerConnected, .peerDisconnected: break
        @unknown default: break
        }
    }

    package func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
        _ = peripheral.ancsAuthorized
    }
    #endif
}

/// Managers whose delegate comes later, and classes of a client's own.
package final class LateManager: CBCentralManager {
    package private(set) var stops = 0
    package override func stopScan() {
        stops += 1
        super.stopScan()
    }
    package override var description: String { "late" }
}

package final class LateClient {
    package init() {}

    package lazy var central = CBCentralManager()
    package lazy var peripheral = CBPeripheralManager()
    let delegate = PhoneDelegate()

    func start() {
        central.delegate = delegate
        peripheral.delegate = nil
        central.scanForPeripherals(withServices: nil, options: nil)
        central.scanForPeripherals(withServices: [batteryServiceUUID])
        guard let known = central.retrievePeripherals(withIdentifiers: [UUID()]).first else { return }
        central.connect(known)
    }
}

/// A characteristic with a memory: the published objects come back in requests.
package final class CountingCharacteristic: CBMutableCharacteristic {
    package var reads = 0
    package init(_ uuid: CBUUID) {
        super.init(type: uuid, properties: [.read, .notify], value: nil, permissions: [.readable])
    }
}

package func build() -> CBMutableService {
    let characteristic = CountingCharacteristic(.batteryLevel)
    characteristic.descriptors = [
        CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Level")
    ]
    let service = CBMutableService(type: batteryServiceUUID, primary: true)
    service.characteristics = [characteristic]
    service.includedServices = []
    return service
}

// Dictionaries and sets by UUID, weak optionals with `!`, and all the calls whose results nobody looks at.
func calls(_ manager: CBPeripheralManager, _ peripheral: CBPeripheral, _ request: CBATTRequest) {
    var handlers: [CBUUID: (Data?) -> Void] = [:]
    handlers[.batteryLevel] = { _ in }
    let wanted: Set<CBUUID> = [batteryServiceUUID, .batteryLevel]
    for service in peripheral.services ?? [] where wanted.contains(service.uuid) {
        peripheral.discoverCharacteristics(nil, for: service)
        peripheral.discoverIncludedServices(nil, for: service)
        _ = service.peripheral!.identifier
    }
    if let characteristic = peripheral.characteristic(.batteryLevel) {
        peripheral.readValue(for: characteristic)
        peripheral.discoverDescriptors(for: characteristic)
        peripheral.setNotifyValue(!characteristic.isNotifying, for: characteristic)
        peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
        for descriptor in characteristic.descriptors ?? [] {
            switch descriptor.uuid.uuidString {
            case CBUUIDCharacteristicUserDescriptionString: _ = descriptor.value as? String
            case CBUUIDClientCharacteristicConfigurationString: _ = (descriptor.value as? NSNumber)?.uint16Value
            case CBUUIDCharacteristicFormatString: _ = descriptor.value as? Data
            default: peripheral.readValue(for: descriptor)
            }
        }
        precondition(characteristic.service!.peripheral!.delegate != nil)
    }
    if let published = request.characteristic as? CBMutableCharacteristic {
        manager.updateValue(Data(), for: published, onSubscribedCentrals: nil)
        manager.updateValue(Data(), for: published, onSubscribedCentrals: published.subscribedCentrals)
    }
    manager.respond(to: request, withResult: .attributeNotFound)
    manager.respond(to: request, withResult: CBATTError.success)
    manager.setDesiredConnectionLatency(.low, for: request.central)
    let length = min(request.central.maximumUpdateValueLength, peripheral.maximumWriteValueLength(for: .withResponse))
    request.value = Data(count: length)
}

func open(_ channel: CBL2CAPChannel?, delegate: StreamDelegate) {
    guard let channel = channel else { return }
    let input: InputStream = channel.inputStream
    input.delegate = delegate
    input.schedule(in: .main, forMode: .default)
    input.open()
    channel.outputStream.delegate = delegate
    channel.outputStream.schedule(in: RunLoop.main, forMode: .default)
    channel.outputStream.open()
    print("PSM \(channel.psm) of \(channel.peer.identifier.uuidString)")
}

// What is deprecated still compiles.
protocol OldCode {
    func old(_ central: CBCentralManager, _ peripheral: CBPeripheral) -> [String]
}

struct VeryOldCode: OldCode {
    @available(*, deprecated)
    func old(_ central: CBCentralManager, _ peripheral: CBPeripheral) -> [String] {
        let state = CBCentralManagerState(rawValue: central.state.rawValue) ?? .unknown
        let other = CBPeripheralManagerState.poweredOn.rawValue == CBManagerState.poweredOn.rawValue
        let status = CBPeripheralManager.authorizationStatus() == .authorized
        let uuid = CBUUID(cfuuid: CFUUID())
        let isUnknown = CBError.Code.unkownDevice == CBError.unknownDevice && CBError.unkownDevice.rawValue == 12
        return [
            "\(state == .poweredOn)", "\(other)", "\(status)", "\(uuid.uuidString.count)", "\(isUnknown)",
            "\(peripheral.rssi ?? 0)", "\(central.authorization == .allowedAlways)",
            "\(peripheral.services?.first?.characteristics?.first?.isBroadcasted ?? false)",
        ]
    }
}

class OldDelegate: NSObject, CBPeripheralDelegate {
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: Error?) {}
}
