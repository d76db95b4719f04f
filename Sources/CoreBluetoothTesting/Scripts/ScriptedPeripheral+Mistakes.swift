// Finds mistakes in a script. They are reported with the line of the script when it is added to a world; the rest of
// the script works.

import BluetoothHost
import CoreBluetooth

extension ScriptedPeripheral {
    /// The mistakes in services, one line each.
    static func mistakes(in services: [Service]) -> [String] {
        var mistakes: [String] = []
        let uuids = services.map(\.uuid)
        var handles: [UInt16: CBUUID] = [:]
        for service in services {
            let name = service.uuid.uuidString
            if let handle = service.handle {
                if let other = handles[handle] {
                    mistakes.append("the services \(other.uuidString) and \(name) have the same handle, \(handle)")
                }
                handles[handle] = service.uuid
            }
            for included in service.includes where !uuids.contains(included) {
                mistakes.append("the service \(name) includes \(included.uuidString), which the script does not have")
            }
            for characteristic in service.characteristics { mistakes += self.characteristicMistakes(characteristic) }
        }
        if let service = self.publishingOrder(services).circular {
            mistakes.append("the service \(service.uuid.uuidString) includes itself, by way of others or not")
        }
        return mistakes
    }

    private static func characteristicMistakes(_ characteristic: Characteristic) -> [String] {
        var mistakes: [String] = []
        let name = characteristic.uuid.uuidString
        if let mistake = self.lengthMistake(characteristic.value, characteristic.uuid) { mistakes.append(mistake) }
        if characteristic.properties.isEmpty { mistakes.append("the characteristic \(name) has no properties") }
        if characteristic.updates != nil, characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            mistakes.append("the characteristic \(name) sends values without the property notify or indicate")
        }
        if characteristic.onSubscriptionRequest != nil,
            characteristic.properties.isDisjoint(with: [.notify, .indicate]) || !characteristic.hasClientConfiguration
        {
            mistakes.append("the characteristic \(name) answers requests to subscribe and cannot be subscribed to")
        }
        if let interval = characteristic.updates?.interval, characteristic.updates?.times == nil, interval <= .zero {
            mistakes.append("the characteristic \(name) sends values without time between them")
        }
        if (characteristic.userDescription?.utf8.count ?? 0) > ATT.maximumValueLength {
            mistakes.append("the user description of \(name) has more than \(ATT.maximumValueLength) octets")
        }
        for descriptor in characteristic.descriptors {
            if let mistake = self.lengthMistake(descriptor.value, descriptor.uuid, "descriptor") {
                mistakes.append(mistake)
            }
            switch descriptor.uuid.uuidString {
            case "2900", "2902":
                mistakes.append("the descriptor \(descriptor.uuid.uuidString) of \(name) follows from the properties")
            default: break
            }
        }
        return mistakes
    }

    /// The mistake in the length of a value; `nil` if it is valid.
    static func lengthMistake(_ value: Data, _ uuid: CBUUID, _ kind: String = "characteristic") -> String? {
        guard value.count > ATT.maximumValueLength else { return nil }
        return
            "a value of the \(kind) \(uuid.uuidString) has \(value.count) octets; \(ATT.maximumValueLength) are the limit"
    }

    /// The services in an order in which each follows those that it includes, and the first one for which that is
    /// impossible.
    static func publishingOrder(_ services: [Service]) -> (order: [Service], circular: Service?) {
        var (order, waiting, circular) = ([Service](), services, Service?.none)
        while !waiting.isEmpty {
            let uuids = Set(waiting.map(\.uuid))
            let index = waiting.firstIndex { uuids.isDisjoint(with: $0.includes) }
            if index == nil { circular = circular ?? waiting[0] }
            order.append(waiting.remove(at: index ?? 0))
        }
        return (order, circular)
    }
}
