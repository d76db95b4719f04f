// The GATT server of a host: one database for any number of clients. A machine without I/O and without a clock:
// `receive(_:on:now:into:)` takes a request with the bearer of its link, whose server half has the state of the client,
// and adds the resulting actions (Vol 3, Parts F and G).
//
//     a client's request ─▶ idle ── the server has the answer ──▶ idle
//                            └── the application is asked ──▶ reading, writing or executing ── it answers ──▶ idle
//
// idle: the client may send a request. reading, writing, executing: the application has been asked, and the client
// waits for its answer (Vol 3, Part F, 3.3.2).
//
// If a peer sends a second request before the answer to the first one, the bearer ends. Prepared writes, indications
// and deferred values are limited in number, or come from the application. Every malformed PDU is answered with an
// error, or ignored if it has no answer.
//
// Deadlines are passed in as `now`, for the limit of 30 s on each indication (Vol 3, Part F, 3.3.3).

import BluetoothTypes
import NIOCore

/// A GATT server.
struct GATTServer {
    /// The configuration of a server.
    struct Configuration: Sendable {
        /// The GAP Device Name, truncated to 248 octets of UTF-8.
        var deviceName = ""
        /// The GAP Appearance.
        var appearance: UInt16 = 0
        /// Whether the device uses privacy, and declares it (Vol 3, Part C, 12.4 and 12.5).
        var hasPrivacy = false
        /// The contents of the Generic Attribute service.
        var genericAttribute = GenericAttributeService.full
        /// The minimum encryption key size for protected attributes, 7 to 16 octets.
        var minimumKeySize = SecurityRequirement.keySizes.lowerBound
        /// The largest number of a client's Prepare Write Requests.
        var preparedWriteLimit = 128
        /// The largest total length of a client's prepared writes.
        var preparedOctetLimit = 8_192
        /// The largest number of waiting indications for a client.
        var indicationLimit = 256
    }

    /// The configuration.
    let configuration: Configuration
    /// The attributes.
    var database = GATTDatabase()
    /// The error that every discovery gets; `nil` for none.
    var discoveryError: ATTErrorCode?

    /// The handle of Central Address Resolution; `nil` without privacy.
    private let addressResolutionHandle: AttributeHandle?
    /// The handle of Service Changed; 0, which is not an attribute, if there is none.
    let serviceChangedHandle: AttributeHandle
    /// The last handle of the built-in services.
    private let lastBuiltInHandle: AttributeHandle

    /// Creates a server with the GAP and GATT services in its database.
    init(configuration: Configuration) {
        self.configuration = configuration
        var database = GATTDatabase()
        let access = database.addBuiltIn(
            BluetoothUUID(GATTAttributeType.genericAccessService),
            handleCount: configuration.hasPrivacy ? 9 : 5
        ) {
            $0.characteristic(
                BluetoothUUID(GATTAttributeType.deviceName),
                properties: .read,
                access: .read,
                content: .fixed(Self.deviceNameValue(configuration.deviceName))
            )
            $0.characteristic(
                BluetoothUUID(GATTAttributeType.appearance),
                properties: .read,
                access: .read,
                content: .fixed(ByteBuffer(integer: configuration.appearance, endianness: .little))
            )
            guard configuration.hasPrivacy else { return }
            $0.characteristic(
                BluetoothUUID(GATTAttributeType.centralAddressResolution),
                properties: .read,
                access: .read,
                content: .fixed(Self.addressResolutionValue(false))
            )
            // Zero: only private addresses once there is a bond. There is no other value.
            $0.characteristic(
                BluetoothUUID(GATTAttributeType.resolvablePrivateAddressOnly),
                properties: .read,
                access: .read,
                content: .fixed(ByteBuffer(bytes: [0]))
            )
        }
        let attribute = Self.addGenericAttribute(configuration.genericAttribute, to: &database)
        self.database = database
        self.addressResolutionHandle = configuration.hasPrivacy ? access.characteristics[2].value : nil
        self.serviceChangedHandle = attribute?.characteristics.first?.value ?? 0
        self.lastBuiltInHandle = (attribute ?? access).range.upperBound
    }

    /// Adds the Generic Attribute service (Vol 3, Part G, 7) with the configured contents.
    private static func addGenericAttribute(
        _ content: GenericAttributeService,
        to database: inout GATTDatabase
    ) -> GATTServiceHandles? {
        let handleCount: Int
        switch content {
        case .absent: return nil
        case .empty: handleCount = 1
        case .serviceChanged: handleCount = 4
        case .full: handleCount = 8
        }
        return database.addBuiltIn(
            BluetoothUUID(GATTAttributeType.genericAttributeService),
            handleCount: handleCount
        ) {
            guard content != .empty else { return }
            $0.characteristic(
                BluetoothUUID(GATTAttributeType.serviceChanged),
                properties: .indicate,
                access: [],
                content: .fixed(ByteBuffer())
            )
            guard content == .full else { return }
            $0.characteristic(
                BluetoothUUID(GATTAttributeType.clientSupportedFeatures),
                properties: [.read, .write],
                access: [.read, .write],
                content: .clientSupportedFeatures
            )
            $0.characteristic(
                BluetoothUUID(GATTAttributeType.databaseHash),
                properties: .read,
                access: .read,
                content: .databaseHash
            )
        }
    }

    /// The name's UTF-8, truncated to at most 248 octets at a character boundary (Vol 3, Part C, 12.1).
    private static func deviceNameValue(_ name: String) -> ByteBuffer {
        var name = Substring(name)
        while name.utf8.count > AdvertisingData.longestName { name.removeLast() }
        return ByteBuffer(substring: name)
    }

    private static func addressResolutionValue(_ isSupported: Bool) -> ByteBuffer {
        ByteBuffer(bytes: [isSupported ? 1 : 0])
    }

    /// Sets the value of Central Address Resolution, if it exists.
    mutating func setCentralAddressResolution(_ isSupported: Bool) {
        guard let handle = self.addressResolutionHandle else { return }
        self.database.setFixedValue(Self.addressResolutionValue(isSupported), of: handle)
    }

    // MARK: Services

    /// Adds a service.
    ///
    /// Call ``databaseChanged(in:on:now:into:)`` on each bearer afterwards.
    mutating func add(_ service: GATTServiceDefinition) throws(GATTDatabaseError) -> GATTServiceHandles {
        try self.database.add(service)
    }

    /// Removes the service whose declaration has `handle`; returns its handles.
    ///
    /// Built-in services and handles without a service are ignored. Call ``databaseChanged(in:on:now:into:)`` on each
    /// bearer afterwards.
    mutating func remove(_ handle: AttributeHandle) -> AttributeHandleRange? {
        handle > self.lastBuiltInHandle ? self.database.remove(handle) : nil
    }

    // MARK: End and time

    /// A link has ended.
    ///
    /// The client's subscriptions end, and waiting values are dropped.
    func close(_ bearer: inout ATTBearer, into actions: inout [ATTBearer.Action]) {
        bearer.dropNotifications(into: &actions)
        for subscription in bearer.server.subscriptions
        where subscription.characteristic != self.serviceChangedHandle {
            actions.append(.subscriptionChanged(subscription.characteristic, isSubscribed: false))
        }
        bearer.server.subscriptions = []
    }
}
