// The apps of a walk through the interface: each notes all that it is told, with every value that it can see then.

import CoreBluetoothTesting
import Fixtures
import Foundation

@testable import CoreBluetooth

/// Notes lines in their order.
class WalkApp: NSObject {
    let name: String
    private var count = 0

    init(_ name: String) {
        self.name = name
        super.init()
    }

    func note(_ line: @autoclosure () -> String) {
        self.count += 1
        RunRecord.note("\(self.name) \(self.count) \(line())")
    }
}

/// An app in the central role.
final class WalkCentral: WalkApp, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var manager: CBCentralManager!
    /// The peripherals that it keeps.
    var known: [CBPeripheral] = []
    var users: [StreamUser] = []
    /// The PSMs that it may try.
    private(set) var connections = 0
    private(set) var values = 0

    func begin(_ options: [String: Any]) {
        self.manager = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    func keep(_ peripheral: CBPeripheral) {
        peripheral.delegate = self
        guard !self.known.contains(where: { $0 === peripheral }) else { return }
        self.known.append(peripheral)
        if self.known.count > 5 { self.known.removeFirst() }
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        self.note("restores \(noted(dict))")
        for peripheral in dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? [] {
            self.keep(peripheral)
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.note("state \(central.state.rawValue) \(central.isScanning)")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.note("discovers \(noted(peripheral)) \(noted(advertisementData)) \(RSSI)")
        self.keep(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.connections += 1
        self.note("connects \(noted(peripheral))")
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        self.note("fails \(noted(peripheral)) \(noted(error))")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        self.note("disconnects \(noted(peripheral)) \(timestamp) \(isReconnecting) \(noted(error))")
    }

    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    ) {
        self.note("event \(event.rawValue) \(noted(peripheral))")
        self.keep(peripheral)
    }

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { self.note("name \(noted(peripheral))") }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        self.note("modified \(noted(invalidatedServices)) \(noted(peripheral))")
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { self.note("can write") }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        self.note("RSSI \(RSSI) \(noted(error))")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.note("services \(noted(error)) \(noted(peripheral))")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
    {
        self.note("included \(noted(error)) \(noted(service))")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.note("characteristics \(noted(error)) \(noted(service))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.note("descriptors \(noted(error)) \(characteristic.service.map { noted($0) } ?? "-")")
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.values += 1
        self.note("value \(noted(error)) \(withoutAddresses(characteristic.description))")
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        self.note("descriptor \(noted(error)) \(descriptor.uuid.uuidString) \(noted(descriptor.value))")
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.note("wrote \(characteristic.uuid.uuidString) \(noted(error))")
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        self.note("wrote descriptor \(descriptor.uuid.uuidString) \(noted(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.note("notifying \(noted(error)) \(withoutAddresses(characteristic.description))")
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.note("channel \(channel.map { withoutAddresses($0.description) } ?? "-") \(noted(error))")
        guard let channel else { return }
        let user = StreamUser(channel, salt: 0x00, piece: 997)
        user.open()
        self.users.append(user)
    }
}

/// An app in the peripheral role.
final class WalkPublisher: WalkApp, CBPeripheralManagerDelegate {
    private(set) var manager: CBPeripheralManager!
    private(set) var centrals: [CBCentral] = []
    private(set) var psms: [CBL2CAPPSM] = []
    private(set) var unanswered: [CBATTRequest] = []
    /// What it publishes in whatever order: some are refused.
    let services: [CBMutableService]
    /// The services that were restored.
    private(set) var restored: [CBMutableService] = []
    var users: [StreamUser] = []
    /// Decides how a request is answered.
    var choose: (Int) -> Int = { _ in 0 }

    override init(_ name: String) {
        self.services = Self.makeServices()
        super.init(name)
    }

    func begin(_ options: [String: Any]) {
        self.manager = CBPeripheralManager(delegate: self, queue: nil, options: options)
    }

    private static func characteristic(
        _ uuid: String,
        _ properties: CBCharacteristicProperties,
        _ permissions: CBAttributePermissions,
        value: Data? = nil
    ) -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: CBUUID(string: uuid),
            properties: properties,
            value: value,
            permissions: permissions
        )
    }

    private static func makeServices() -> [CBMutableService] {
        let ball = CBMutableService(type: IDs.service, primary: true)
        let answer = CBMutableCharacteristic.answer()
        answer.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: "The answer"),
            CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data([4, 0, 0, 0x27, 1, 0, 0])),
        ]
        ball.characteristics = [CBMutableCharacteristic.question(), answer]
        let tower = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
        tower.characteristics = [
            self.characteristic("FFF0", [.read, .write, .indicate], [.readable, .writeable]),
            self.characteristic("FFF1", [.read, .write], [.readEncryptionRequired, .writeEncryptionRequired]),
            self.characteristic("FFF2", [.notifyEncryptionRequired, .read], [.readable]),
            self.characteristic("12345678", [.read, .notify, .indicateEncryptionRequired], []),
        ]
        let outer = CBMutableService(type: CBUUID(string: "FFE1"), primary: true)
        outer.characteristics = [self.characteristic("FFF3", .read, .readable, value: Data(repeating: 7, count: 512))]
        outer.includedServices = [ball]
        let secondary = CBMutableService(type: CBUUID(string: "FFE2"), primary: false)
        let system = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        system.characteristics = [self.characteristic("2A19", [.read, .notify], .readable)]
        let reserved = CBMutableService(type: CBUUID(string: "1801"), primary: true)
        let forbidden = CBMutableService(type: CBUUID(string: "FFE3"), primary: true)
        forbidden.characteristics = [self.characteristic("FFF4", [.read, .broadcast], .readable)]
        let long = CBMutableService(type: CBUUID(string: "FFE4"), primary: true)
        long.characteristics = [self.characteristic("FFF5", .read, .readable, value: Data(count: 513))]
        return [ball, tower, outer, secondary, system, reserved, forbidden, long]
    }

    /// The characteristics whose subscribers may be sent values.
    var updatable: [CBMutableCharacteristic] {
        (self.services.prefix(5) + self.restored).flatMap { $0.characteristics ?? [] }
            .compactMap { $0 as? CBMutableCharacteristic }
    }

    func answerAll() {
        let requests = self.unanswered
        self.unanswered = []
        for request in requests { self.manager.respond(to: request, withResult: .success) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        self.restored = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        self.note("restores \(noted(dict)) \(peripheral.isAdvertising)")
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        self.note("state \(peripheral.state.rawValue) \(peripheral.isAdvertising)")
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        self.note("advertises \(peripheral.isAdvertising) \(noted(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        self.note("added \(noted(service)) \(noted(error))")
    }

    private func keep(_ central: CBCentral) {
        if !self.centrals.contains(where: { $0 === central }) { self.centrals.append(central) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        self.keep(central)
        self.note("subscribed \(withoutAddresses(central.description)) \(characteristic.uuid.uuidString)")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        self.note("unsubscribed \(withoutAddresses(central.description)) \(characteristic.uuid.uuidString)")
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.note("can update") }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        self.keep(request.central)
        self.note("read \(withoutAddresses(request.description)) \(request.central.maximumUpdateValueLength)")
        switch self.choose(12) {
        case 0: self.unanswered.append(request)
        case 1: peripheral.respond(to: request, withResult: .unlikelyError)
        case 2: peripheral.respond(to: request, withResult: CBATTError.Code(rawValue: 0x80) ?? .success)
        default:
            let value = Data((0..<self.choose(2) * self.choose(600)).map { UInt8(truncatingIfNeeded: $0) })
            request.value = value.dropFirst(request.offset)
            peripheral.respond(to: request, withResult: .success)
        }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            self.keep(request.central)
            self.note("write \(withoutAddresses(request.description)) \(noted(request.value))")
        }
        switch self.choose(12) {
        case 0: self.unanswered += requests.prefix(1)
        case 1: peripheral.respond(to: requests[0], withResult: .writeNotPermitted)
        default: peripheral.respond(to: requests[0], withResult: .success)
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        self.note("published \(PSM) \(noted(error))")
        if error == nil { self.psms.append(PSM) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        self.note("unpublished \(PSM) \(noted(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.note("channel \(channel.map { withoutAddresses($0.description) } ?? "-") \(noted(error))")
        guard let channel else { return }
        let user = StreamUser(channel, salt: 0xFF, piece: 997)
        user.open()
        self.users.append(user)
    }
}
