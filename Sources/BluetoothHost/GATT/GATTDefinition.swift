// The definition of a service for the GATT server, with its characteristics and descriptors, before they have handles
// (Vol 3, Part G, 3).

public import BluetoothTypes
public import NIOCore

/// The permissions to read or write an attribute (Vol 3, Part F, 3.2.5).
///
/// A literal such as `[.readable, .writeEncryptionRequired]` combines permissions: it permits everything that one of
/// them permits, with the requirements of all.
public struct AttributePermissions: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The required security for reading; `nil` if nobody may read.
    package var read: SecurityRequirement?
    /// The required security for writing; `nil` if nobody may write.
    package var write: SecurityRequirement?

    /// Creates permissions.
    package init(read: SecurityRequirement?, write: SecurityRequirement?) {
        self.read = read
        self.write = write
    }

    /// Combines permissions.
    public init(arrayLiteral elements: AttributePermissions...) {
        self.init(read: nil, write: nil)
        for element in elements { self.insert(element) }
    }

    /// Adds permissions, with their requirements.
    package mutating func insert(_ other: AttributePermissions) {
        func combined(_ left: SecurityRequirement?, _ right: SecurityRequirement?) -> SecurityRequirement? {
            guard let left, let right else { return left ?? right }
            return left.combined(with: right)
        }
        self.read = combined(self.read, other.read)
        self.write = combined(self.write, other.write)
    }

    /// Every client may read.
    public static let readable = AttributePermissions(read: SecurityRequirement.none, write: nil)
    /// Every client may write.
    public static let writeable = AttributePermissions(read: nil, write: SecurityRequirement.none)
    /// Reading needs an encrypted link.
    public static let readEncryptionRequired = AttributePermissions(read: .encrypted, write: nil)
    /// Writing needs an encrypted link.
    package static let writeEncryptionRequired = AttributePermissions(read: nil, write: .encrypted)
    /// Reading needs a link whose key was made with protection against a man in the middle.
    package static let readAuthenticationRequired = AttributePermissions(read: .authenticated, write: nil)
    /// Writing needs a link whose key was made with protection against a man in the middle.
    package static let writeAuthenticationRequired = AttributePermissions(read: nil, write: .authenticated)
}

/// A descriptor. The server adds 0x2900 and 0x2902 itself if the properties need them.
public struct GATTDescriptorDefinition: Hashable, Sendable {
    /// The descriptor's UUID.
    package var uuid: BluetoothUUID
    /// Its value; at most 512 octets.
    package var value: ByteBuffer
    /// The permissions to read it, and to write it if it is dynamic.
    package var permissions: AttributePermissions
    /// Whether the application handles each read and write, by the handle of the descriptor.
    package var isDynamic: Bool

    /// Creates a definition.
    public init(
        uuid: BluetoothUUID,
        value: ByteBuffer,
        permissions: AttributePermissions = .readable,
        isDynamic: Bool = false
    ) {
        self.uuid = uuid
        self.value = value
        self.permissions = permissions
        self.isDynamic = isDynamic
    }
}

/// A characteristic. With a `value` it is static, and the server answers reads itself; without one, the application
/// handles every read and write.
public struct GATTCharacteristicDefinition: Hashable, Sendable {
    /// The characteristic's UUID.
    package var uuid: BluetoothUUID
    /// The properties octet.
    package var properties: CharacteristicProperties
    /// The permissions to read and write the value.
    package var permissions: AttributePermissions
    /// The static value, at most 512 octets, or `nil`.
    package var value: ByteBuffer?
    /// The required security for a subscription: to write the Client Characteristic Configuration, and to send each
    /// value.
    package var subscriptionSecurity: SecurityRequirement
    /// Whether it has a Client Characteristic Configuration if its properties need one. Without it, clients cannot
    /// subscribe, contrary to Vol 3, Part G, 3.3.3.3; some devices are like that. Then one may be among the
    /// ``descriptors``, for an application that decides on subscriptions itself.
    package var hasClientConfiguration: Bool
    /// Whether a client's write of the Client Characteristic Configuration is a ``GATTWriteRequest`` with the handle of
    /// that descriptor, which the application accepts or refuses.
    package var asksBeforeSubscription = false
    /// Further descriptors, in order.
    package var descriptors: [GATTDescriptorDefinition]

    /// Creates a definition.
    public init(
        uuid: BluetoothUUID,
        properties: CharacteristicProperties,
        permissions: AttributePermissions,
        value: ByteBuffer? = nil,
        subscriptionSecurity: SecurityRequirement = .none,
        hasClientConfiguration: Bool = true,
        descriptors: [GATTDescriptorDefinition] = []
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.value = value
        self.subscriptionSecurity = subscriptionSecurity
        self.hasClientConfiguration = hasClientConfiguration
        self.descriptors = descriptors
    }
}

/// A service.
public struct GATTServiceDefinition: Hashable, Sendable {
    /// The service's UUID.
    package var uuid: BluetoothUUID
    /// Primary or secondary.
    package var isPrimary: Bool
    /// The declaration handles of included services, which must already be in the database.
    package var includedServices: [AttributeHandle]
    /// The characteristics, in order.
    package var characteristics: [GATTCharacteristicDefinition]
    /// The handle of its declaration; `nil` for the next free one.
    package var handle: AttributeHandle?

    /// Creates a definition.
    public init(
        uuid: BluetoothUUID,
        isPrimary: Bool = true,
        handle: AttributeHandle? = nil,
        includedServices: [AttributeHandle] = [],
        characteristics: [GATTCharacteristicDefinition]
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.handle = handle
        self.includedServices = includedServices
        self.characteristics = characteristics
    }
}

/// The handles of a service in the database.
public struct GATTServiceHandles: Hashable, Sendable {
    /// The handles of one characteristic.
    public struct Characteristic: Hashable, Sendable {
        /// The handle of the value, which identifies the characteristic in later calls.
        public var value: AttributeHandle
        /// The handle of the Client Characteristic Configuration, if any.
        package var clientConfiguration: AttributeHandle?
        /// The handles of the application's descriptors, in order.
        package var descriptors: [AttributeHandle]

        /// Creates a record.
        package init(value: AttributeHandle, clientConfiguration: AttributeHandle?, descriptors: [AttributeHandle]) {
            self.value = value
            self.clientConfiguration = clientConfiguration
            self.descriptors = descriptors
        }
    }

    /// The declaration's handle to the service's last handle; `range.lowerBound` identifies the service in later calls.
    public var range: AttributeHandleRange
    /// The characteristics, in the order of the definition.
    public var characteristics: [Characteristic]

    /// Creates a record.
    package init(range: AttributeHandleRange, characteristics: [Characteristic]) {
        self.range = range
        self.characteristics = characteristics
    }
}

/// A service that was added to a server.
package struct PublishedService: Hashable, Sendable {
    /// The service.
    package var definition: GATTServiceDefinition
    /// The handles that it got.
    package var handles: GATTServiceHandles
}
