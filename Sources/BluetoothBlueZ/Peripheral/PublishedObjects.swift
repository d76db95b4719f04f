// The objects of a service that our app publishes. Each service is an application of its own at BlueZ, because BlueZ
// ignores services that are added to an application later.

import BluetoothHost
import BluetoothTypes
import NIOCore

/// The objects of a published service.
struct PublishedObjects {
    /// The attribute of our host's server that an object represents.
    enum Attribute: Equatable {
        /// A characteristic: its value, its Client Characteristic Configuration, and its properties.
        case characteristic(AttributeHandle, configuration: AttributeHandle?, CharacteristicProperties)
        /// A descriptor.
        case descriptor(AttributeHandle)
    }

    /// The path of the application.
    let root: String
    private(set) var attributes: [String: Attribute] = [:]
    /// The objects, in the order in which BlueZ is to give them handles.
    private var objects: [(path: String, interface: String, properties: ObjectTree.Properties)] = []

    init(_ service: PublishedService, root: String) {
        self.root = root
        let path = root + "/service"
        let definition = service.definition
        self.objects.append(
            (
                path, BlueZ.gattService,
                ["UUID": .string(definition.uuid.text), "Primary": .boolean(definition.isPrimary)]
            )
        )
        for (index, (characteristic, handles)) in zip(definition.characteristics, service.handles.characteristics)
            .enumerated()
        {
            let characteristicPath = "\(path)/char\(index)"
            var properties: ObjectTree.Properties = [
                "UUID": .string(characteristic.uuid.text), "Service": .path(path),
                "Flags": .strings(Self.flags(of: characteristic)),
            ]
            // BlueZ then asks for a socket, so we know the subscriber and have back-pressure.
            if handles.clientConfiguration != nil { properties["NotifyAcquired"] = .boolean(false) }
            self.objects.append((characteristicPath, BlueZ.characteristic, properties))
            self.attributes[characteristicPath] = .characteristic(
                handles.value,
                configuration: handles.clientConfiguration,
                characteristic.properties
            )
            for (number, (descriptor, handle)) in zip(characteristic.descriptors, handles.descriptors).enumerated() {
                let descriptorPath = "\(characteristicPath)/desc\(number)"
                let flags =
                    Self.flags(descriptor.permissions.read, "read")
                    + (descriptor.isDynamic ? Self.flags(descriptor.permissions.write, "write") : [])
                self.objects.append(
                    (
                        descriptorPath, BlueZ.descriptor,
                        [
                            "UUID": .string(descriptor.uuid.text), "Characteristic": .path(characteristicPath),
                            "Flags": .strings(flags),
                        ]
                    )
                )
                self.attributes[descriptorPath] = .descriptor(handle)
            }
        }
    }

    /// The answer to GetManagedObjects.
    var managedObjects: BusValue {
        .array(
            "{oa{sa{sv}}}",
            self.objects.map { path, interface, properties in
                .entry(.path(path), .array("{sa{sv}}", [.entry(.string(interface), .properties(properties))]))
            }
        )
    }

    /// BlueZ's words for what is offered, and for what the link needs.
    static func flags(of characteristic: GATTCharacteristicDefinition) -> [String] {
        let properties = characteristic.properties
        var flags: [String] = []
        if properties.contains(.broadcast) { flags.append("broadcast") }
        if properties.contains(.read) { flags += Self.flags(characteristic.permissions.read, "read") }
        if properties.contains(.write) { flags += Self.flags(characteristic.permissions.write, "write") }
        if properties.contains(.writeWithoutResponse), let write = characteristic.permissions.write {
            flags.append("write-without-response")
            // There is no word for a command alone that needs encryption: the requirement brings the request with it.
            if write.level > .none, !properties.contains(.write) { flags += Self.flags(write, "write") }
        }
        if properties.contains(.notify) { flags += Self.flags(characteristic.subscriptionSecurity, "notify") }
        if properties.contains(.indicate) { flags += Self.flags(characteristic.subscriptionSecurity, "indicate") }
        return flags
    }

    private static func flags(_ requirement: SecurityRequirement?, _ word: String) -> [String] {
        switch requirement?.level {
        case nil: []
        case .some(.none): [word]
        case .encrypted?: ["encrypt-" + word]
        case .authenticated?: ["encrypt-authenticated-" + word]
        case .secureConnections?: ["secure-" + word]
        }
    }
}

extension BluetoothUUID {
    /// All 128 bits, as BlueZ writes them.
    var text: String {
        let (high, low) = self.words
        return BluetoothUUID(form: .full(high, low)).description.lowercased()
    }
}
