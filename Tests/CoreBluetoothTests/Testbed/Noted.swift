// Values of an app as text that is the same in every run: what has no order is sorted, and there are no addresses of
// objects.

import Foundation

@testable import CoreBluetooth

/// What an app is given, as text.
func noted(_ value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let error as any Error: noted(error)
    case let dictionary as [String: Any]:
        "[\(dictionary.map { "\($0.key): \(noted($0.value))" }.sorted().joined(separator: ", "))]"
    case let dictionary as [CBUUID: Data]:
        "[\(dictionary.map { "\($0.key.uuidString): \(noted($0.value))" }.sorted().joined(separator: ", "))]"
    case let list as [Any]: "[\(list.map { noted($0) }.joined(separator: ", "))]"
    case let uuid as CBUUID: uuid.uuidString
    case let data as Data: data.map { String($0, radix: 16) }.joined(separator: ".")
    case let number as NSNumber: "\(number)"
    case let text as String: "\"\(text)\""
    case let peripheral as CBPeripheral: noted(peripheral)
    case let service as CBService: noted(service)
    case let value?: withoutAddresses("\(value)")
    }
}

/// An error as an app sees it.
func noted(_ error: any Error) -> String {
    let bridged = error as NSError
    return "\(bridged.domain) \(bridged.code) \(error.localizedDescription)"
}

/// A peripheral with all that an app can see of it.
func noted(_ peripheral: CBPeripheral) -> String {
    """
    \(withoutAddresses(peripheral.description)) \(peripheral.state.rawValue) \(peripheral.canSendWriteWithoutResponse) \
    \(peripheral.maximumWriteValueLength(for: .withResponse)) \
    \(peripheral.maximumWriteValueLength(for: .withoutResponse)) \
    \(peripheral.services.map { "\($0.map { noted($0) })" } ?? "no services")
    """
}

/// A service with all that an app can see of it.
func noted(_ service: CBService) -> String {
    let characteristics = service.characteristics.map { list in
        list.map { characteristic in
            let descriptors = characteristic.descriptors.map { list in
                list.map { "\(withoutAddresses($0.description)) \(noted($0.value))" }
            }
            let subscribed = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count
            return """
                \(withoutAddresses(characteristic.description)) \(characteristic.isNotifying) \
                \(noted(characteristic.value)) \(subscribed ?? -1) \(descriptors.map { "\($0)" } ?? "no descriptors") \
                \(characteristic.service === service)
                """
        }
    }
    let included = service.includedServices.map { list in list.map { withoutAddresses($0.description) } }
    return """
        \(withoutAddresses(service.description)) \(characteristics.map { "\($0)" } ?? "no characteristics") \
        \(included.map { "\($0)" } ?? "no included services")
        """
}

/// A description without the address of its object.
func withoutAddresses(_ text: String) -> String {
    var parts = text.components(separatedBy: ": 0x")
    for index in parts.indices.dropFirst() { parts[index] = String(parts[index].drop { $0.isHexDigit }) }
    return parts.joined(separator: ": 0x")
}
