// The peripheral: publishes the services that it is given, keeps the values that are written to it, answers reads from
// them, and sends updates as fast as its queue takes them. Characteristics are named by their UUIDs.

import CoreBluetooth
import Foundation

final class PeripheralRole: NSObject {
    /// Updates to be sent.
    private struct Updates {
        let characteristic: CBMutableCharacteristic
        let total: Int
        let length: Int
        var sent = 0
        var refusals = 0
        let start = DispatchTime.now()
    }

    private let queue: DispatchQueue
    private var manager: CBPeripheralManager?
    private var characteristics: [CBUUID: CBMutableCharacteristic] = [:]
    private var values: [CBUUID: Data] = [:]
    /// The errors with which reads and writes of a characteristic are refused.
    private var refusals: [CBUUID: CBATTError.Code] = [:]
    private var services: [CBMutableService] = []
    private var unpublished = 0
    private var publishFault: String?
    private var updates: Updates?
    private var counters: [CBUUID: Counter] = [:]
    private var subscribers: [UUID: CBCentral] = [:]

    private let channels: Channels

    init(queue: DispatchQueue, channels: Channels) {
        self.queue = queue
        self.channels = channels
    }

    func start() { self.manager = CBPeripheralManager(delegate: self, queue: self.queue) }

    // MARK: Services

    func publish(_ message: Message) {
        let made = message.messages("services").map { description in
            let service = CBMutableService(type: description.uuid("uuid"), primary: !description.flag("secondary"))
            service.characteristics = description.messages("characteristics").map(self.characteristic)
            // A service includes earlier ones, by their numbers.
            service.includedServices = description.numbers("includes").map { self.services[$0] }
            self.services.append(service)
            return service
        }
        self.unpublished = made.count
        self.publishFault = nil
        for service in made { self.manager?.add(service) }
    }

    private func characteristic(_ description: Message) -> CBMutableCharacteristic {
        var properties: CBCharacteristicProperties = []
        var permissions: CBAttributePermissions = []
        for name in description.texts("properties") {
            switch name {
            case "read": (properties, permissions) = (properties.union(.read), permissions.union(.readable))
            case "write": (properties, permissions) = (properties.union(.write), permissions.union(.writeable))
            case "writeWithoutResponse":
                (properties, permissions) = (properties.union(.writeWithoutResponse), permissions.union(.writeable))
            case "notify": properties.insert(.notify)
            case "indicate": properties.insert(.indicate)
            case "readEncrypted":
                (properties, permissions) = (properties.union(.read), permissions.union(.readEncryptionRequired))
            case "writeEncrypted":
                (properties, permissions) = (properties.union(.write), permissions.union(.writeEncryptionRequired))
            case "notifyEncrypted": properties.formUnion([.notify, .notifyEncryptionRequired])
            default: say("fault", ["reason": "no such property: \(name)"])
            }
        }
        let value = description.octets("value")
        let uuid = description.uuid("uuid")
        let characteristic = CBMutableCharacteristic(
            type: uuid,
            properties: properties,
            value: description.flag("static") ? value : nil,
            permissions: permissions
        )
        characteristic.descriptors = description.messages("descriptors").map { descriptor in
            let uuid = descriptor.uuid("uuid")
            let octets = descriptor.octets("value") ?? Data()
            let isText = uuid.uuidString == CBUUIDCharacteristicUserDescriptionString
            return CBMutableDescriptor(type: uuid, value: isText ? String(decoding: octets, as: UTF8.self) : octets)
        }
        self.characteristics[uuid] = characteristic
        self.values[uuid] = value ?? Data()
        let refusal = description.number("refuses")
        self.refusals[uuid] = refusal == 0 ? nil : CBATTError.Code(rawValue: refusal)
        return characteristic
    }

    func withdraw(_ message: Message) {
        let number = message.number("service")
        guard self.services.indices.contains(number) else { return say("fault", ["reason": "no such service"]) }
        self.manager?.remove(self.services[number])
    }

    func advertise(_ message: Message) {
        var advertisement: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: message.uuids("services") ?? []]
        if !message.text("name").isEmpty { advertisement[CBAdvertisementDataLocalNameKey] = message.text("name") }
        self.manager?.startAdvertising(advertisement)
    }

    func publishChannel() { self.manager?.publishL2CAPChannel(withEncryption: false) }

    func stopAdvertising() { self.manager?.stopAdvertising() }

    // MARK: Values

    func setValue(_ message: Message) {
        self.values[message.uuid("uuid")] = message.octets("value")
        say("set", ["uuid": message.text("uuid")])
    }

    func notifyMany(_ message: Message) {
        guard let characteristic = self.characteristics[message.uuid("uuid")] else {
            return say("fault", ["reason": "no such characteristic: \(message.text("uuid"))"])
        }
        self.updates = Updates(
            characteristic: characteristic,
            total: message.number("count"),
            length: message.number("length")
        )
        self.pump()
    }

    private func pump() {
        guard var updates = self.updates, let manager = self.manager else { return }
        defer { self.updates = updates.sent == updates.total ? nil : updates }
        while updates.sent < updates.total {
            let value = Numbered.value(updates.sent, length: updates.length)
            guard manager.updateValue(value, for: updates.characteristic, onSubscribedCentrals: nil) else {
                updates.refusals += 1
                return
            }
            updates.sent += 1
        }
        say(
            "notified",
            [
                "uuid": updates.characteristic.uuid.uuidString, "count": updates.sent, "refusals": updates.refusals,
                "ms": milliseconds(since: updates.start),
            ]
        )
    }

    /// Counts the writes to a characteristic from now on, instead of reporting each.
    func countWrites(_ message: Message) {
        self.counters[message.uuid("uuid")] = Counter(
            expect: message.number("count"),
            length: message.number("length")
        )
        say("counting", ["uuid": message.text("uuid")])
    }

    func setLatency(_ message: Message) {
        let latency: CBPeripheralManagerConnectionLatency =
            switch message.text("latency") {
            case "low": .low
            case "medium": .medium
            default: .high
            }
        for central in self.subscribers.values { self.manager?.setDesiredConnectionLatency(latency, for: central) }
    }
}

// MARK: - Delegate

extension PeripheralRole: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        say("peripheral", ["state": peripheral.state.name])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        self.unpublished -= 1
        self.publishFault = self.publishFault ?? words(error)
        if self.unpublished == 0 { say("published", ["error": self.publishFault]) }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        say("advertising", ["error": words(error)])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        self.subscribers[central.identifier] = central
        say(
            "subscribed",
            [
                "central": central.identifier.uuidString, "uuid": characteristic.uuid.uuidString,
                "length": central.maximumUpdateValueLength,
            ]
        )
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        self.subscribers[central.identifier] = nil
        say(
            "unsubscribed",
            ["central": central.identifier.uuidString, "uuid": characteristic.uuid.uuidString]
        )
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) { say("channelPublished", ["psm": PSM, "error": words(error)]) }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.channels.opened(channel, error)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { self.pump() }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        if let refusal = self.refusals[request.characteristic.uuid] {
            return peripheral.respond(to: request, withResult: refusal)
        }
        let value = self.values[request.characteristic.uuid] ?? Data()
        guard request.offset <= value.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        if let refusal = requests.lazy.compactMap({ self.refusals[$0.characteristic.uuid] }).first {
            return peripheral.respond(to: requests[0], withResult: refusal)
        }
        var isCounted = false
        for request in requests {
            let uuid = request.characteristic.uuid
            let part = request.value ?? Data()
            if self.counters[uuid] != nil {
                isCounted = true
                if self.counters[uuid]?.take(part) == true {
                    say("counted", ["uuid": uuid.uuidString].merging(self.counters[uuid]!.report) { $1 })
                    self.counters[uuid] = nil
                }
                continue
            }
            // A write at an offset is a part of a long value.
            let before = request.offset == 0 ? Data() : self.values[uuid] ?? Data()
            self.values[uuid] = before.prefix(request.offset) + part
        }
        peripheral.respond(to: requests[0], withResult: .success)
        guard !isCounted, let uuid = requests.last?.characteristic.uuid else { return }
        say(
            "wrote",
            ["uuid": uuid.uuidString, "value": self.values[uuid]?.hex, "requests": requests.count]
        )
    }
}
