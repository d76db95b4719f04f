// The GATT server of a host: one database for any number of clients. A machine without I/O and without a clock:
// requests come in through `receive(_:on:now:into:)` with the bearer of the link, whose server half holds what the
// server keeps for the client at its other end, and what is to be done goes out as actions (Vol 3, Parts F and G).
//
//     a client's request ─▶ idle ── the server has the answer ──▶ idle
//                            └── the application is asked ──▶ reading, writing or executing ── it answers ──▶ idle
//
// idle: the client may send a request. reading, writing, executing: the application has been asked, and the client
// waits for its answer (Vol 3, Part F, 3.3.2).
//
// What a peer can do: a second request before the answer to the first one ends the bearer. Prepared writes, indications
// and deferred values have limits of number or are the application's own. Every PDU that is not well-formed is answered
// with an error, or ignored where it has no answer.
//
// Time comes in as `now`, for the limit of 30 s on each indication (Vol 3, Part F, 3.3.3).

import BluetoothTypes
import NIOCore

/// A GATT server.
struct GATTServer {
    /// What a server is made with.
    struct Configuration: Sendable {
        /// The GAP Device Name; cut to 248 octets of UTF-8.
        var deviceName = ""
        /// The GAP Appearance.
        var appearance: UInt16 = 0
        /// Whether the device hides itself, so that it says how (Vol 3, Part C, 12.4 and 12.5).
        var hasPrivacy = false
        /// What the Generic Attribute service has.
        var genericAttribute = GenericAttributeService.full
        /// The shortest encryption key that protected attributes are content with, 7 to 16 octets.
        var minimumKeySize = SecurityRequirement.keySizes.lowerBound
        /// How many Prepare Write Requests a client can have waiting.
        var preparedWriteLimit = 128
        /// How many octets a client's prepared writes can hold.
        var preparedOctetLimit = 8_192
        /// How many indications can wait for a client's confirmations.
        var indicationLimit = 256
    }

    /// What the server was made with.
    let configuration: Configuration
    /// The attributes.
    var database = GATTDatabase()

    /// The handle of Central Address Resolution; `nil` where the device does not hide itself.
    private let addressResolutionHandle: AttributeHandle?
    /// The handle of Service Changed; 0, which is no attribute, where there is none.
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
            // Zero: private addresses alone, as soon as there is a bond. There is no other value.
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

    /// Adds the Generic Attribute service (Vol 3, Part G, 7) with what the device has of it.
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

    /// The name's UTF-8, cut to 248 octets between characters (Vol 3, Part C, 12.1).
    private static func deviceNameValue(_ name: String) -> ByteBuffer {
        var name = Substring(name)
        while name.utf8.count > AdvertisingData.longestName { name.removeLast() }
        return ByteBuffer(substring: name)
    }

    private static func addressResolutionValue(_ isSupported: Bool) -> ByteBuffer {
        ByteBuffer(bytes: [isSupported ? 1 : 0])
    }

    /// Changes what Central Address Resolution says, where it is there.
    mutating func setCentralAddressResolution(_ isSupported: Bool) {
        guard let handle = self.addressResolutionHandle else { return }
        self.database.setFixedValue(Self.addressResolutionValue(isSupported), of: handle)
    }

    // MARK: Services

    /// Adds a service.
    ///
    /// The clients are to hear of it: ``databaseChanged(in:on:now:into:)`` on each bearer.
    mutating func add(_ service: GATTServiceDefinition) throws(GATTDatabaseError) -> GATTServiceHandles {
        try self.database.add(service)
    }

    /// Removes the service whose declaration has `handle`; returns its handles.
    ///
    /// The built-in services and handles of no service are left alone. The clients are to hear of it:
    /// ``databaseChanged(in:on:now:into:)`` on each bearer.
    mutating func remove(_ handle: AttributeHandle) -> AttributeHandleRange? {
        handle > self.lastBuiltInHandle ? self.database.remove(handle) : nil
    }

    // MARK: End and time

    /// A link has ended.
    ///
    /// Its client's subscriptions end with it, and so does what waited to be sent.
    func close(_ bearer: inout ATTBearer, into actions: inout [ATTBearer.Action]) {
        bearer.dropNotifications(into: &actions)
        for subscription in bearer.server.subscriptions
        where subscription.characteristic != self.serviceChangedHandle {
            actions.append(.subscriptionChanged(subscription.characteristic, isSubscribed: false))
        }
        bearer.server.subscriptions = []
    }
}
