// What an application hands to the GATT server: a service with its characteristics and descriptors, before they have
// handles (Vol 3, Part G, 3).

public import BluetoothTypes
public import NIOCore

/// Who may read or write an attribute (Vol 3, Part F, 3.2.5).
///
/// As a literal, `[.readable, .writeEncryptionRequired]`, permissions add up: what is in one of them is permitted, and
/// what all of them demand is demanded.
public struct AttributePermissions: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// What reading needs of the link; `nil` where nobody may read.
    public var read: SecurityRequirement?
    /// What writing needs of the link; `nil` where nobody may write.
    public var write: SecurityRequirement?

    /// Creates permissions.
    public init(read: SecurityRequirement?, write: SecurityRequirement?) {
        self.read = read
        self.write = write
    }

    /// All of these permissions together.
    public init(arrayLiteral elements: AttributePermissions...) {
        self.init(read: nil, write: nil)
        for element in elements { self.insert(element) }
    }

    /// Adds permissions, and what they demand.
    public mutating func insert(_ other: AttributePermissions) {
        func combined(_ left: SecurityRequirement?, _ right: SecurityRequirement?) -> SecurityRequirement? {
            guard let left, let right else { return left ?? right }
            return left.combined(with: right)
        }
        self.read = combined(self.read, other.read)
        self.write = combined(self.write, other.write)
    }

    /// Everybody may read.
    public static let readable = AttributePermissions(read: SecurityRequirement.none, write: nil)
    /// Everybody may write.
    public static let writeable = AttributePermissions(read: nil, write: SecurityRequirement.none)
    /// Reading needs an encrypted link.
    public static let readEncryptionRequired = AttributePermissions(read: .encrypted, write: nil)
    /// Writing needs an encrypted link.
    public static let writeEncryptionRequired = AttributePermissions(read: nil, write: .encrypted)
    /// Reading needs a link whose key was made with protection against a man in the middle.
    public static let readAuthenticationRequired = AttributePermissions(read: .authenticated, write: nil)
    /// Writing needs a link whose key was made with protection against a man in the middle.
    public static let writeAuthenticationRequired = AttributePermissions(read: nil, write: .authenticated)
}

/// A descriptor with a fixed value. The server makes 2900 and 2902 by itself where the properties call for them.
public struct GATTDescriptorDefinition: Hashable, Sendable {
    /// The descriptor's UUID.
    public var uuid: BluetoothUUID
    /// Its value; at most 512 octets.
    public var value: ByteBuffer
    /// Who may read it, and write it where it is dynamic.
    public var permissions: AttributePermissions
    /// Whether each read and write is asked of the application, by the handle of the descriptor.
    public var isDynamic: Bool

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

/// A characteristic. With a `value` it is static and the server answers reads by itself; without one every read and
/// write is asked of the application.
public struct GATTCharacteristicDefinition: Hashable, Sendable {
    /// The characteristic's UUID.
    public var uuid: BluetoothUUID
    /// The properties octet.
    public var properties: CharacteristicProperties
    /// Who may read and write the value.
    public var permissions: AttributePermissions
    /// The static value, at most 512 octets, or `nil`.
    public var value: ByteBuffer?
    /// What the link must offer for a subscription: to write the Client Characteristic Configuration, and for each
    /// value that is then notified or indicated.
    public var subscriptionSecurity: SecurityRequirement
    /// Whether a Client Characteristic Configuration belongs to it, where its properties call for one. Without one
    /// nobody can subscribe, against Vol 3, Part G, 3.3.3.3, and yet there are such devices. Then one may be among the
    /// ``descriptors``, for an application that decides on subscriptions itself.
    public var hasClientConfiguration: Bool
    /// Further descriptors, in order.
    public var descriptors: [GATTDescriptorDefinition]

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
    public var uuid: BluetoothUUID
    /// Primary or secondary.
    public var isPrimary: Bool
    /// The declaration handles of the services it includes, which are in the database already.
    public var includedServices: [AttributeHandle]
    /// The characteristics, in order.
    public var characteristics: [GATTCharacteristicDefinition]
    /// The handle of its declaration; `nil` for the next free one.
    public var handle: AttributeHandle?

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

/// The handles that the database gave to a service.
public struct GATTServiceHandles: Hashable, Sendable {
    /// The handles of one characteristic.
    public struct Characteristic: Hashable, Sendable {
        /// The handle of the value: the characteristic's name in every later call.
        public var value: AttributeHandle
        /// The handle of the Client Characteristic Configuration, where there is one.
        public var clientConfiguration: AttributeHandle?
        /// The handles of the application's descriptors, in order.
        public var descriptors: [AttributeHandle]

        /// Creates a record.
        public init(value: AttributeHandle, clientConfiguration: AttributeHandle?, descriptors: [AttributeHandle]) {
            self.value = value
            self.clientConfiguration = clientConfiguration
            self.descriptors = descriptors
        }
    }

    /// The declaration's handle to the service's last handle; `range.lowerBound` names the service in later calls.
    public var range: AttributeHandleRange
    /// The characteristics, in the order of the definition.
    public var characteristics: [Characteristic]

    /// Creates a record.
    public init(range: AttributeHandleRange, characteristics: [Characteristic]) {
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
