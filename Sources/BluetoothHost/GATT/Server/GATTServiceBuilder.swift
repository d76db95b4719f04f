// Builds the attributes of one service in the order of the specification: declaration, includes, then each
// characteristic with its value and descriptors (Vol 3, Part G, 3.1 to 3.3).

import BluetoothTypes
import NIOCore

/// The attributes of an unfinished service.
struct GATTServiceBuilder {
    /// The attributes so far, without the service declaration.
    private var members: [GATTAttribute] = []
    /// The handles of the characteristics so far.
    private var characteristics: [GATTServiceHandles.Characteristic] = []
    private let first: AttributeHandle
    private let isPrimary: Bool
    private let uuid: BluetoothUUID

    /// Starts a service whose declaration has the handle `first`.
    ///
    /// The caller has checked that there are enough handles.
    init(uuid: BluetoothUUID, isPrimary: Bool, first: AttributeHandle) {
        self.uuid = uuid.attForm
        self.isPrimary = isPrimary
        self.first = first
    }

    /// The number of handles that a definition needs.
    static func handleCount(of definition: GATTServiceDefinition) -> Int {
        var count = 1 + definition.includedServices.count
        for characteristic in definition.characteristics {
            count += 2 + characteristic.descriptors.count
            if characteristic.properties.contains(.extendedProperties) { count += 1 }
            if characteristic.properties.needsClientConfiguration, characteristic.hasClientConfiguration { count += 1 }
        }
        return count
    }

    private var next: AttributeHandle { self.first + 1 + AttributeHandle(self.members.count) }

    /// Adds an include declaration (3.2), without the UUID if that has 128 bits.
    mutating func include(_ service: AttributeHandleRange, uuid: BluetoothUUID) {
        var value = ByteBuffer()
        value.writeMultipleIntegers(service.lowerBound, service.upperBound, endianness: .little)
        if let short = uuid.shortValue { value.writeLittleEndian(short) }
        self.append(GATTAttributeType.include, value)
    }

    /// Adds a characteristic of the application.
    mutating func characteristic(_ definition: GATTCharacteristicDefinition) {
        self.characteristic(
            definition.uuid,
            properties: definition.properties,
            access: GATTAttribute.Access(
                definition.permissions,
                properties: definition.properties,
                isFixed: definition.value != nil
            ),
            permissions: definition.permissions,
            content: definition.value.map { .fixed($0.compacted) } ?? .application,
            subscriptionSecurity: definition.subscriptionSecurity,
            hasClientConfiguration: definition.hasClientConfiguration,
            asksBeforeSubscription: definition.asksBeforeSubscription,
            descriptors: definition.descriptors
        )
    }

    /// Adds a characteristic: declaration, value, the descriptors that its properties need, then the others.
    ///
    /// Returns the value's handle.
    @discardableResult
    mutating func characteristic(
        _ uuid: BluetoothUUID,
        properties: CharacteristicProperties,
        access: GATTAttribute.Access,
        permissions: AttributePermissions = [],
        content: GATTAttribute.Content,
        subscriptionSecurity: SecurityRequirement = .none,
        hasClientConfiguration: Bool = true,
        asksBeforeSubscription: Bool = false,
        descriptors: [GATTDescriptorDefinition] = []
    ) -> AttributeHandle {
        let valueHandle = self.next + 1
        var declaration = ByteBuffer()
        declaration.writeMultipleIntegers(properties.rawValue, valueHandle, endianness: .little)
        uuid.attForm.encode(into: &declaration)
        self.append(GATTAttributeType.characteristic, declaration)
        self.members.append(
            GATTAttribute(
                handle: self.next,
                type: uuid,
                access: access,
                readSecurity: permissions.read ?? SecurityRequirement.none,
                writeSecurity: permissions.write ?? SecurityRequirement.none,
                content: content
            )
        )
        if properties.contains(.extendedProperties) {
            // A value that can be written supports reliable writes by prepared writes; no other extended property is
            // used.
            self.append(
                GATTAttributeType.extendedProperties,
                ByteBuffer(integer: properties.contains(.write) ? 1 : 0, endianness: .little, as: UInt16.self)
            )
        }
        var configuration: AttributeHandle?
        if properties.needsClientConfiguration, hasClientConfiguration {
            configuration = self.next
            self.members.append(
                GATTAttribute(
                    handle: self.next,
                    type: BluetoothUUID(GATTAttributeType.clientConfiguration),
                    access: [.read, .write],
                    writeSecurity: subscriptionSecurity,
                    content: .clientConfiguration(
                        characteristic: valueHandle,
                        properties: properties,
                        asks: asksBeforeSubscription
                    )
                )
            )
        }
        var descriptorHandles: [AttributeHandle] = []
        for descriptor in descriptors {
            descriptorHandles.append(self.next)
            self.members.append(
                GATTAttribute(
                    handle: self.next,
                    type: descriptor.uuid,
                    access: GATTAttribute.Access(
                        descriptor.permissions,
                        properties: [.read, .write],
                        isFixed: !descriptor.isDynamic
                    ),
                    readSecurity: descriptor.permissions.read ?? SecurityRequirement.none,
                    writeSecurity: descriptor.permissions.write ?? SecurityRequirement.none,
                    content: descriptor.isDynamic ? .application : .fixed(descriptor.value.compacted)
                )
            )
        }
        self.characteristics.append(
            GATTServiceHandles.Characteristic(
                value: valueHandle,
                clientConfiguration: configuration,
                descriptors: descriptorHandles
            )
        )
        return valueHandle
    }

    private mutating func append(_ type: UInt16, _ value: ByteBuffer) {
        self.members.append(
            GATTAttribute(handle: self.next, type: BluetoothUUID(type), access: .read, content: .fixed(value))
        )
    }

    /// The attributes in ascending order of their handles, and the handles of the service.
    func build() -> (attributes: [GATTAttribute], handles: GATTServiceHandles) {
        let last = self.first + AttributeHandle(self.members.count)
        var value = ByteBuffer()
        self.uuid.encode(into: &value)
        let declaration = GATTAttribute(
            handle: self.first,
            groupEnd: last,
            type: BluetoothUUID(
                self.isPrimary ? GATTAttributeType.primaryService : GATTAttributeType.secondaryService
            ),
            access: .read,
            content: .fixed(value)
        )
        return (
            [declaration] + self.members,
            GATTServiceHandles(range: self.first...last, characteristics: self.characteristics)
        )
    }
}

extension CharacteristicProperties {
    /// Whether clients can subscribe to the characteristic, so that it needs a Client Characteristic Configuration.
    var needsClientConfiguration: Bool { !self.isDisjoint(with: [.notify, .indicate]) }
}

extension GATTAttribute.Access {
    /// The operations that both permissions and properties allow: a property without the permission is refused, and a
    /// permission without the property is not offered to clients.
    init(_ permissions: AttributePermissions, properties: CharacteristicProperties, isFixed: Bool) {
        self = []
        if properties.contains(.read), permissions.read != nil { self.insert(.read) }
        guard !isFixed, permissions.write != nil else { return }
        if properties.contains(.write) { self.insert(.write) }
        if properties.contains(.writeWithoutResponse) { self.insert(.writeCommand) }
        if properties.contains(.authenticatedSignedWrites) { self.insert(.signedWrite) }
    }
}

extension ByteBuffer {
    /// A copy of the readable octets, so that a long-lived value does not keep a whole packet alive.
    var compacted: ByteBuffer {
        var copy = ByteBuffer()
        copy.reserveCapacity(self.readableBytes)
        copy.writeImmutableBuffer(self)
        return copy
    }
}
