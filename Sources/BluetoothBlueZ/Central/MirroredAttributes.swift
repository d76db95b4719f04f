// Maps the handles of a mirror's GATT server to BlueZ's objects, and replaces services when BlueZ's tree changes.

import BluetoothHost
import BluetoothTypes
import NIOCore

/// The attributes of a mirror, by handle.
struct MirroredAttributes {
    enum Attribute: Equatable {
        /// The value of the characteristic at a path.
        case value(String, CharacteristicProperties)
        /// The Client Characteristic Configuration of the characteristic at a path.
        case configuration(String)
        /// The descriptor at a path.
        case descriptor(String)
    }

    private struct Mirrored {
        var service: DeviceDatabase.Service
        var handles: GATTServiceHandles
    }

    private var attributes: [AttributeHandle: Attribute] = [:]
    private var valueHandles: [String: AttributeHandle] = [:]
    private var services: [String: Mirrored] = [:]

    /// The attribute at a handle.
    subscript(handle: AttributeHandle) -> Attribute? { self.attributes[handle] }

    /// The value handle of the characteristic at a path.
    func valueHandle(_ path: String) -> AttributeHandle? { self.valueHandles[path] }

    /// Brings the services of `host` to those of `database`; returns the paths of characteristics that are gone or new.
    mutating func update(_ database: DeviceDatabase, in host: LEHost) -> Set<String> {
        var changed: Set<String> = []
        let now = Dictionary(database.services.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        for (path, mirrored) in self.services where now[path] != mirrored.service {
            host.removeService(mirrored.handles.range.lowerBound)
            changed.formUnion(mirrored.service.characteristics.map(\.path))
            self.forget(mirrored)
            self.services[path] = nil
        }
        var missing = database.services.filter { self.services[$0.path] == nil }
        // A service is added when those that it includes are there, or none of the others can be added.
        while !missing.isEmpty {
            let waiting = Set(missing.map(\.path))
            let next = missing.firstIndex { waiting.isDisjoint(with: $0.includes) } ?? 0
            let service = missing.remove(at: next)
            changed.formUnion(service.characteristics.map(\.path))
            self.add(service, to: host)
        }
        return changed
    }

    private mutating func add(_ service: DeviceDatabase.Service, to host: LEHost) {
        var definition = GATTServiceDefinition(
            uuid: service.uuid,
            isPrimary: service.isPrimary,
            handle: service.handle,
            includedServices: service.includes.compactMap { self.services[$0]?.handles.range.lowerBound },
            characteristics: service.characteristics.map { self.definition($0) }
        )
        var handles = try? host.addService(definition)
        if handles == nil {
            // The mirror's own services, or a gap that BlueZ does not show, have these handles.
            definition.handle = nil
            handles = try? host.addService(definition)
        }
        guard let handles else { return }
        self.services[service.path] = Mirrored(service: service, handles: handles)
        for (characteristic, given) in zip(service.characteristics, handles.characteristics) {
            self.attributes[given.value] = .value(characteristic.path, characteristic.properties)
            self.valueHandles[characteristic.path] = given.value
            var descriptors = given.descriptors[...]
            if characteristic.hasClientConfiguration, let handle = descriptors.popFirst() {
                self.attributes[handle] = .configuration(characteristic.path)
            }
            for (descriptor, handle) in zip(characteristic.descriptors, descriptors) {
                self.attributes[handle] = .descriptor(descriptor.path)
            }
        }
    }

    private func definition(_ characteristic: DeviceDatabase.Characteristic) -> GATTCharacteristicDefinition {
        let open: AttributePermissions = [.readable, .writeable]
        func dynamic(_ uuid: BluetoothUUID) -> GATTDescriptorDefinition {
            GATTDescriptorDefinition(uuid: uuid, value: ByteBuffer(), permissions: open, isDynamic: true)
        }
        return GATTCharacteristicDefinition(
            uuid: characteristic.uuid,
            properties: characteristic.properties,
            permissions: open,
            // BlueZ decides on subscriptions, and takes its time.
            hasClientConfiguration: false,
            descriptors: (characteristic.hasClientConfiguration
                ? [dynamic(BluetoothUUID(GATTAttributeType.clientConfiguration))] : [])
                + characteristic.descriptors.map { dynamic($0.uuid) }
        )
    }

    private mutating func forget(_ mirrored: Mirrored) {
        for handle in mirrored.handles.range { self.attributes[handle] = nil }
        for characteristic in mirrored.service.characteristics { self.valueHandles[characteristic.path] = nil }
    }
}
