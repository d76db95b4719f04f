// From an app's service objects to what the GATT server publishes: the rules of Core Bluetooth, and the translation.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore

extension CBPeripheralManager {
    /// Services that the system serves on Apple's platforms, but not here: Current Time, Device Information, Battery.
    private static let systemServices: [BluetoothUUID] = [0x1805, 0x180A, 0x180F]

    /// The reason why a service cannot be published.
    func objection(to service: CBMutableService) -> CBError? {
        let isReserved =
            CBService.reserved.contains(service.uuid.value)
            || !self.adapter.configuration.permitsSystemServices && Self.systemServices.contains(service.uuid.value)
        if isReserved { return .reported(.uuidNotAllowed) }
        let forbidden: CBCharacteristicProperties = [.broadcast, .extendedProperties]
        let isForbidden = (service.characteristics ?? []).contains { !$0.properties.isDisjoint(with: forbidden) }
        return isForbidden ? .reported(.invalidParameters) : nil
    }

    /// Registers a service as it is now; misuse that raises an exception on Apple's platforms ends the program.
    func register(_ service: CBMutableService) -> LocalService {
        let characteristics = (service.characteristics ?? []).map { characteristic in
            guard let characteristic = characteristic as? CBMutableCharacteristic else {
                fatalMisuse("Only characteristics of the class CBMutableCharacteristic can be published")
            }
            return characteristic
        }
        let level = self.adapter.configuration.requiredLevel
        let definition = GATTServiceDefinition(
            uuid: service.uuid.value.attForm,
            isPrimary: service.isPrimary,
            characteristics: characteristics.map { $0.definition(atLeast: level) }
        )
        let (token, included) = self.lock.withLock {
            let included = (service.includedServices ?? []).map {
                // The event loop does not know a service that was never added.
                self.database.token(of: $0) ?? LocalServiceToken(number: 0)
            }
            return (self.database.insert(service, characteristics), included)
        }
        return LocalService(
            token: token,
            includedServices: included,
            definition: definition,
            record: service.record(token, included: included)
        )
    }

    /// Forgets services and their attributes.
    func withdraw(_ remove: (inout LocalDatabase) -> [CBMutableCharacteristic]) {
        let removed = self.lock.withLock { remove(&self.database) }
        for characteristic in removed {
            characteristic.lock.withLock {
                characteristic.publishedHandle = nil
                characteristic.subscribedStorage = []
            }
        }
    }
}

extension CBMutableCharacteristic {
    /// The definition that the GATT server publishes.
    /// - Parameter level: What the device demands of every link.
    fileprivate func definition(atLeast level: SecurityLevel) -> GATTCharacteristicDefinition {
        let properties = self.properties
        let permissions = self.permissions
        let value = self.value
        if value != nil, !properties.subtracting(.read).isEmpty || !permissions.isSubset(of: .anyRead) {
            fatalMisuse("Characteristics with cached values must be read-only")
        }
        var octet = CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: properties.rawValue & 0xFF))
        if properties.contains(.notifyEncryptionRequired) { octet.insert(.notify) }
        if properties.contains(.indicateEncryptionRequired) { octet.insert(.indicate) }
        return GATTCharacteristicDefinition(
            uuid: self.uuid.value.attForm,
            properties: octet,
            permissions: AttributePermissions(permissions).demanding(level),
            value: value.map { ByteBuffer(octetsOf: $0) },
            subscriptionSecurity: SecurityRequirement(level: max(level, properties.subscriptionLevel)),
            descriptors: (self.descriptors ?? []).compactMap { $0.definition(atLeast: level) }
        )
    }
}

extension CBDescriptor {
    /// The GATT server's definition; `nil` for a descriptor without a value.
    /// - Parameter level: What the device demands of every link.
    fileprivate func definition(atLeast level: SecurityLevel) -> GATTDescriptorDefinition? {
        let value: ByteBuffer
        switch self.value {
        case let text as String: value = ByteBuffer(string: text)
        case let text as NSString: value = ByteBuffer(string: text.description)
        case let data as Data: value = ByteBuffer(octetsOf: data)
        case let data as NSData: value = ByteBuffer(octetsOf: Data(referencing: data))
        default: return nil
        }
        let own = (self as? CBMutableDescriptor)?.requiredLevel ?? .none
        return GATTDescriptorDefinition(
            uuid: self.uuid.value.attForm,
            value: value,
            permissions: AttributePermissions.readable.demanding(max(level, own))
        )
    }
}

extension AttributePermissions {
    /// The GATT server's permissions.
    fileprivate init(_ permissions: CBAttributePermissions) {
        self = []
        if permissions.contains(.readable) { self.insert(.readable) }
        if permissions.contains(.writeable) { self.insert(.writeable) }
        if permissions.contains(.readEncryptionRequired) { self.insert(.readEncryptionRequired) }
        if permissions.contains(.writeEncryptionRequired) { self.insert(.writeEncryptionRequired) }
        if permissions.contains(.readAuthenticationRequired) { self.insert(.readAuthenticationRequired) }
        if permissions.contains(.writeAuthenticationRequired) { self.insert(.writeAuthenticationRequired) }
    }

    /// The same for links with at least a level.
    fileprivate func demanding(_ level: SecurityLevel) -> AttributePermissions {
        let requirement = SecurityRequirement(level: level)
        return AttributePermissions(
            read: self.read?.combined(with: requirement),
            write: self.write?.combined(with: requirement)
        )
    }
}

extension CBCharacteristicProperties {
    /// The security that a subscription needs.
    fileprivate var subscriptionLevel: SecurityLevel {
        if self.contains(.subscriptionAuthenticationRequired) { return .authenticated }
        return self.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired]) ? .none : .encrypted
    }
}

extension CBAttributePermissions {
    /// The permissions that a static value can have.
    static let anyRead: CBAttributePermissions = [.readable, .readEncryptionRequired, .readAuthenticationRequired]
}
