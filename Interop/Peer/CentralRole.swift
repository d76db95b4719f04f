// The central: scans, connects, discovers whole databases, and uses what it has discovered. Attributes are numbered in
// the order of their discovery, and the other side names them by these numbers.

import CoreBluetooth
import Foundation

final class CentralRole: NSObject {
    /// A procedure that repeats itself on one attribute.
    private struct Repetition {
        enum Kind {
            case reading
            case writing(length: Int)
            case pouring(length: Int)
        }
        var kind: Kind
        var total: Int
        var done = 0
        var fault: String?
        let start = DispatchTime.now()
    }

    private let queue: DispatchQueue
    private var manager: CBCentralManager?
    private var peers: [UUID: CBPeripheral] = [:]
    var discoveries: [UUID: Discovery] = [:]
    private var attributes: [CBAttribute] = []
    private var counters: [Int: Counter] = [:]
    private var repetitions: [Int: Repetition] = [:]

    private let channels: Channels

    init(queue: DispatchQueue, channels: Channels) {
        self.queue = queue
        self.channels = channels
    }

    func start() { self.manager = CBCentralManager(delegate: self, queue: self.queue) }

    // MARK: Links

    func scan(_ message: Message) {
        self.manager?.scanForPeripherals(
            withServices: message.uuids("services"),
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: message.flag("duplicates")]
        )
    }

    func stopScan() { self.manager?.stopScan() }

    func connect(_ message: Message) {
        guard let peer = self.peer(message) else { return }
        peer.delegate = self
        self.manager?.connect(peer)
    }

    func disconnect(_ message: Message) {
        guard let peer = self.peer(message) else { return }
        self.manager?.cancelPeripheralConnection(peer)
    }

    func openChannel(_ message: Message) { self.peer(message)?.openL2CAPChannel(CBL2CAPPSM(message.number("psm"))) }

    func readRSSI(_ message: Message) { self.peer(message)?.readRSSI() }

    func sayLengths(_ message: Message) {
        guard let peer = self.peer(message) else { return }
        say(
            "lengths",
            [
                "peer": peer.identifier.uuidString,
                "withResponse": peer.maximumWriteValueLength(for: .withResponse),
                "withoutResponse": peer.maximumWriteValueLength(for: .withoutResponse),
            ]
        )
    }

    func peer(_ message: Message) -> CBPeripheral? {
        if let peer = UUID(uuidString: message.text("peer")).flatMap({ self.peers[$0] }) { return peer }
        say("fault", ["reason": "no such peer: \(message.text("peer"))"])
        return nil
    }

    // MARK: Attributes

    func discover(_ message: Message) {
        guard let peer = self.peer(message) else { return }
        self.discoveries[peer.identifier] = Discovery(of: peer)
        peer.discoverServices(message.uuids("services"))
    }

    /// The number of an attribute; a new one gets the next number.
    func number(of attribute: CBAttribute) -> Int {
        if let number = self.attributes.firstIndex(where: { $0 === attribute }) { return number }
        self.attributes.append(attribute)
        return self.attributes.count - 1
    }

    private func characteristic(_ message: Message) -> (Int, CBCharacteristic, CBPeripheral)? {
        let number = message.number("attribute")
        guard self.attributes.indices.contains(number),
            let characteristic = self.attributes[number] as? CBCharacteristic,
            let peer = characteristic.service?.peripheral
        else {
            say("fault", ["reason": "no such characteristic: \(number)"])
            return nil
        }
        return (number, characteristic, peer)
    }

    func read(_ message: Message) {
        let number = message.number("attribute")
        if self.attributes.indices.contains(number), let descriptor = self.attributes[number] as? CBDescriptor {
            descriptor.characteristic?.service?.peripheral?.readValue(for: descriptor)
        } else if let (_, characteristic, peer) = self.characteristic(message) {
            peer.readValue(for: characteristic)
        }
    }

    func write(_ message: Message) {
        let number = message.number("attribute")
        guard let value = message.octets("value") else { return say("fault", ["reason": "no value to write"]) }
        if self.attributes.indices.contains(number), let descriptor = self.attributes[number] as? CBDescriptor {
            descriptor.characteristic?.service?.peripheral?.writeValue(value, for: descriptor)
        } else if let (_, characteristic, peer) = self.characteristic(message) {
            peer.writeValue(
                value,
                for: characteristic,
                type: message.flag("response") ? .withResponse : .withoutResponse
            )
        }
    }

    func subscribe(_ message: Message) {
        guard let (_, characteristic, peer) = self.characteristic(message) else { return }
        peer.setNotifyValue(message.flag("on"), for: characteristic)
    }

    /// Counts the notifications of a characteristic from now on, instead of reporting each.
    func count(_ message: Message) {
        guard let (number, _, _) = self.characteristic(message) else { return }
        self.counters[number] = Counter(expect: message.number("count"), length: message.number("length"))
        say("counting", ["attribute": number])
    }

    // MARK: Repetitions

    func readMany(_ message: Message) { self.begin(.reading, message) }
    func writeMany(_ message: Message) { self.begin(.writing(length: message.number("length")), message) }
    func pour(_ message: Message) { self.begin(.pouring(length: message.number("length")), message) }

    private func begin(_ kind: Repetition.Kind, _ message: Message) {
        guard let (number, characteristic, peer) = self.characteristic(message) else { return }
        self.repetitions[number] = Repetition(kind: kind, total: message.number("count"))
        self.step(number, characteristic, peer)
    }

    private func step(_ number: Int, _ characteristic: CBCharacteristic, _ peer: CBPeripheral) {
        guard var repetition = self.repetitions[number] else { return }
        switch repetition.kind {
        case .reading where repetition.done < repetition.total:
            peer.readValue(for: characteristic)
        case .writing(let length) where repetition.done < repetition.total:
            let value = Numbered.value(repetition.done, length: length)
            peer.writeValue(value, for: characteristic, type: .withResponse)
        case .pouring(let length) where repetition.done < repetition.total:
            while repetition.done < repetition.total, peer.canSendWriteWithoutResponse {
                let value = Numbered.value(repetition.done, length: length)
                peer.writeValue(value, for: characteristic, type: .withoutResponse)
                repetition.done += 1
            }
            self.repetitions[number] = repetition
            if repetition.done == repetition.total { self.step(number, characteristic, peer) }
        case .reading, .writing, .pouring:
            self.repetitions[number] = nil
            say(
                "repeated",
                [
                    "attribute": number, "count": repetition.done, "fault": repetition.fault,
                    "ms": milliseconds(since: repetition.start),
                ]
            )
        }
    }

    /// A step of a repetition was answered; returns false if there is no repetition.
    private func stepped(
        _ number: Int,
        _ characteristic: CBCharacteristic,
        _ peer: CBPeripheral,
        _ error: String?
    ) -> Bool {
        guard var repetition = self.repetitions[number] else { return false }
        repetition.done += 1
        if let error {
            repetition.fault = error
            repetition.total = repetition.done
        }
        self.repetitions[number] = repetition
        self.step(number, characteristic, peer)
        return true
    }
}

// MARK: - Manager's delegate

extension CentralRole: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) { say("central", ["state": central.state.name]) }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.peers[peripheral.identifier] = peripheral
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let serviceData = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        say(
            "discovered",
            [
                "peer": peripheral.identifier.uuidString,
                "name": advertisementData[CBAdvertisementDataLocalNameKey],
                "rssi": RSSI,
                "services": services.map(\.uuidString),
                "manufacturer": (advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data)?.hex,
                "serviceData": Dictionary(uniqueKeysWithValues: serviceData.map { ($0.uuidString, $1.hex) }),
                "connectable": advertisementData[CBAdvertisementDataIsConnectable],
                "txPower": advertisementData[CBAdvertisementDataTxPowerLevelKey],
            ]
        )
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        say("connected", ["peer": peripheral.identifier.uuidString])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        say("connectFailed", ["peer": peripheral.identifier.uuidString, "error": words(error)])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.repetitions = [:]
        say("disconnected", ["peer": peripheral.identifier.uuidString, "error": words(error)])
    }
}

// MARK: - Peripheral's delegate

extension CentralRole: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        say("modified", ["services": invalidatedServices.map(\.uuid.uuidString)])
        // As apps must: the attributes of a running discovery are invalid.
        guard self.discoveries[peripheral.identifier]?.knowsServices == true else { return }
        self.discoveries[peripheral.identifier] = Discovery(of: peripheral)
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.channels.opened(channel, error)
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        say("rssi", ["peer": peripheral.identifier.uuidString, "rssi": RSSI, "error": words(error)])
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let number = self.number(of: characteristic)
        if self.stepped(number, characteristic, peripheral, words(error)) { return }
        let value = characteristic.value ?? Data()
        if self.counters[number] != nil {
            if self.counters[number]?.take(value) == true {
                say("counted", ["attribute": number].merging(self.counters[number]!.report) { $1 })
                self.counters[number] = nil
            }
            return
        }
        say("value", ["attribute": number, "value": value.hex, "error": words(error)])
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        let number = self.number(of: characteristic)
        if self.stepped(number, characteristic, peripheral, words(error)) { return }
        say("written", ["attribute": number, "error": words(error)])
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        for number in Array(self.repetitions.keys) {
            guard let characteristic = self.attributes[number] as? CBCharacteristic,
                case .pouring = self.repetitions[number]?.kind,
                characteristic.service?.peripheral === peripheral
            else { continue }
            self.step(number, characteristic, peripheral)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        say(
            "subscription",
            [
                "attribute": self.number(of: characteristic), "on": characteristic.isNotifying, "error": words(error),
            ]
        )
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        let value: String? =
            switch descriptor.value {
            case let data as Data: data.hex
            case let text as String: Data(text.utf8).hex
            case let number as NSNumber: String(format: "%04x", number.intValue)
            default: nil
            }
        say("value", ["attribute": self.number(of: descriptor), "value": value, "error": words(error)])
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        say("written", ["attribute": self.number(of: descriptor), "error": words(error)])
    }

    // MARK: Discovery

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        self.advance(peripheral, error) { $0.discoveredServices() }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
    {
        self.advance(peripheral, service, error) { $0.discoveredPart() }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.advance(peripheral, service, error) { $0.discoveredCharacteristics(of: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.advance(peripheral, characteristic.service, error) { $0.discoveredPart() }
    }

    private func advance(
        _ peripheral: CBPeripheral,
        _ service: CBService?,
        _ error: (any Error)?,
        _ step: (inout Discovery) -> Void
    ) {
        guard self.discoveries[peripheral.identifier]?.includes(service) == true else { return }
        self.advance(peripheral, error, step)
    }

    private func advance(_ peripheral: CBPeripheral, _ error: (any Error)?, _ step: (inout Discovery) -> Void) {
        guard var discovery = self.discoveries.removeValue(forKey: peripheral.identifier) else { return }
        if let error { return say("database", ["peer": peripheral.identifier.uuidString, "error": words(error)]) }
        step(&discovery)
        if discovery.isComplete {
            say("database", discovery.report { self.number(of: $0) })
        } else {
            self.discoveries[peripheral.identifier] = discovery
        }
    }
}
