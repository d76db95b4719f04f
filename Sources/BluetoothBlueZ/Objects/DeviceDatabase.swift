// The attributes of a connected device, from the objects below its path. BlueZ keeps Generic Access and what it has
// claimed to itself; Generic Attribute is the mirror's own.

import BluetoothHost
import BluetoothTypes
import NIOCore

/// The services of a device, in the order of their handles.
struct DeviceDatabase: Equatable {
    struct Service: Equatable {
        var path: String
        var handle: AttributeHandle
        var uuid: BluetoothUUID
        var isPrimary: Bool
        /// The paths of the services that it includes.
        var includes: [String]
        var characteristics: [Characteristic]
    }

    struct Characteristic: Equatable {
        var path: String
        /// The handle of the declaration.
        var handle: AttributeHandle
        var uuid: BluetoothUUID
        var properties: CharacteristicProperties
        var descriptors: [Descriptor]
        /// Whether it has a Client Characteristic Configuration, which BlueZ writes itself.
        var hasClientConfiguration: Bool
    }

    struct Descriptor: Equatable {
        var path: String
        var handle: AttributeHandle
        var uuid: BluetoothUUID
    }

    /// Services that BlueZ or the mirror has itself.
    private static let hidden = [GATTAttributeType.genericAccessService, GATTAttributeType.genericAttributeService]
    /// Descriptors that the mirror makes.
    private static let made = [GATTAttributeType.extendedProperties, GATTAttributeType.clientConfiguration]

    var services: [Service] = []
    /// The ATT MTU of the link; `nil` if no characteristic says it.
    var mtu: Int?

    /// Reads the attributes of the device at a path; what makes no sense is left out.
    init(of device: String, in tree: ObjectTree) {
        let below = tree.objects.filter { BlueZ.path($0.key, isBelow: device) }
        for (path, interfaces) in below {
            guard let properties = interfaces[BlueZ.gattService],
                let handle = BlueZ.handle(path, below: device, "service"),
                let uuid = Self.uuid(properties), uuid.shortValue.map(Self.hidden.contains) != true
            else { continue }
            self.services.append(
                Service(
                    path: path,
                    handle: handle,
                    uuid: uuid,
                    isPrimary: properties["Primary"]?.boolean ?? true,
                    includes: properties["Includes"]?.paths ?? [],
                    characteristics: Self.characteristics(of: path, below, &self.mtu)
                )
            )
        }
        self.services.sort { $0.handle < $1.handle }
    }

    private static func characteristics(
        of service: String,
        _ objects: [String: ObjectTree.Interfaces],
        _ mtu: inout Int?
    ) -> [Characteristic] {
        var result: [Characteristic] = []
        for (path, interfaces) in objects {
            guard let properties = interfaces[BlueZ.characteristic],
                let handle = BlueZ.handle(path, below: service, "char"), let uuid = Self.uuid(properties)
            else { continue }
            if let value = properties["MTU"]?.uint16, value >= ATT.defaultMTU {
                mtu = min(Int(value), ATT.maximumMTU)
            }
            let all = Self.descriptors(of: path, objects)
            result.append(
                Characteristic(
                    path: path,
                    handle: handle,
                    uuid: uuid,
                    properties: CharacteristicProperties(flags: properties["Flags"]?.strings ?? []),
                    descriptors: all.filter { descriptor in
                        !Self.made.contains { $0 == descriptor.uuid.shortValue }
                    },
                    hasClientConfiguration: all.contains {
                        $0.uuid.shortValue == GATTAttributeType.clientConfiguration
                    }
                )
            )
        }
        return result.sorted { $0.handle < $1.handle }
    }

    private static func descriptors(
        of characteristic: String,
        _ objects: [String: ObjectTree.Interfaces]
    ) -> [Descriptor] {
        var result: [Descriptor] = []
        for (path, interfaces) in objects {
            guard let properties = interfaces[BlueZ.descriptor],
                let handle = BlueZ.handle(path, below: characteristic, "desc"), let uuid = Self.uuid(properties)
            else { continue }
            result.append(Descriptor(path: path, handle: handle, uuid: uuid))
        }
        return result.sorted { $0.handle < $1.handle }
    }

    private static func uuid(_ properties: ObjectTree.Properties) -> BluetoothUUID? {
        properties["UUID"]?.string.flatMap { BluetoothUUID($0) }?.attForm
    }
}

extension CharacteristicProperties {
    /// The properties octet behind BlueZ's words; words for local use are ignored.
    init(flags: [String]) {
        self = []
        for flag in flags {
            if let property = Self.words.first(where: { $0.word == flag })?.property { self.insert(property) }
        }
    }

    private static let words: [(word: String, property: CharacteristicProperties)] = [
        ("broadcast", .broadcast), ("read", .read), ("write-without-response", .writeWithoutResponse),
        ("write", .write), ("notify", .notify), ("indicate", .indicate),
        ("authenticated-signed-writes", .authenticatedSignedWrites), ("extended-properties", .extendedProperties),
    ]
}
