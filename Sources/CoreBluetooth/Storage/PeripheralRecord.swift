// The stored state of a peripheral manager with a restore identifier: its published services, and its advertisement.

import BluetoothTypes
import Foundation

/// The preserved state of a peripheral manager.
package struct PeripheralRecord: Hashable, Sendable {
    /// A descriptor with its value.
    package struct Descriptor: Codable, Hashable, Sendable {
        var uuid: BluetoothUUID
        /// The value of a Characteristic User Description.
        var text: String?
        /// The value of any other descriptor.
        var data: Data?
    }

    /// A characteristic.
    package struct Characteristic: Codable, Hashable, Sendable {
        var uuid: BluetoothUUID
        /// The bits of `CBCharacteristicProperties`.
        var properties: UInt
        /// The bits of `CBAttributePermissions`.
        var permissions: UInt
        /// The value of a static characteristic.
        var value: Data?
        var descriptors: [Descriptor]
    }

    /// A service.
    package struct Service: Codable, Hashable, Sendable {
        /// The manager's number for it, by which other services include it.
        var number: UInt32
        var uuid: BluetoothUUID
        var isPrimary: Bool
        /// The numbers of the services that it includes, which come before it.
        var included: [UInt32]
        var characteristics: [Characteristic]
    }

    /// An advertisement.
    package struct Advertisement: Codable, Hashable, Sendable {
        var localName: String?
        var services: [BluetoothUUID]
    }

    /// The services, in the order in which they were published.
    package var services: [Service]
    /// The advertisement, if there is one.
    package var advertisement: Advertisement?

    /// A record.
    package init(services: [Service] = [], advertisement: Advertisement? = nil) {
        self.services = services
        self.advertisement = advertisement
    }

    /// Whether there is nothing to restore.
    package var isEmpty: Bool { self.services.isEmpty && self.advertisement == nil }
}

extension PeripheralRecord: StateContent {
    static var version: Int { 1 }
}
