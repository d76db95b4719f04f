// The GATT server of a host: one database, any number of clients. A machine without I/O and without a clock: requests
// come in through `receive(_:on:now:into:)`, and what is to be done goes out as actions (Vol 3, Parts F and G).

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
        /// The largest PDU that the server takes, 23 to 517 octets.
        var mtu = ATT.maximumMTU
        /// The shortest encryption key that protected attributes are content with, 7 to 16 octets.
        var minimumKeySize = 7
        /// How many Prepare Write Requests a client can have waiting.
        var preparedWriteLimit = 128
        /// How many octets a client's prepared writes can hold.
        var preparedOctetLimit = 8_192
        /// How many indications can wait for a client's confirmations.
        var indicationLimit = 256
    }

    /// Why a link is of no more use.
    enum BearerFailure: Hashable, Sendable {
        /// An indication was not confirmed within 30 s (Vol 3, Part F, 3.3.3).
        case indicationTimeout
        /// The client sent a request before its last one was answered (Vol 3, Part F, 3.3.2).
        case requestWhilePending
    }

    /// What the driver does for the server.
    enum Action: Sendable {
        /// Sends a PDU; says whose notifications it carries, which most PDUs do not.
        case send(LinkID, ByteBuffer, Transmission?)
        /// Asks the application for a value.
        case read(GATTReadRequest)
        /// Hands values to the application.
        case write(GATTWriteRequest)
        /// A client began or ceased to be told of a characteristic's value.
        case subscriptionChanged(LinkID, AttributeHandle, isSubscribed: Bool)
        /// The link's ATT MTU is another one.
        case mtuChanged(LinkID, Int)
        /// The client has confirmed an indication of the application.
        case indicationConfirmed(LinkID, AttributeHandle, TransmitToken)
        /// Notifications or indications that will not be sent or confirmed.
        case notificationsDropped(LinkID, Transmission)
        /// The bearer is dead: the link must be ended.
        case bearerFailed(LinkID, BearerFailure)

        /// Takes the action out of where it is kept.
        ///
        /// A PDU in it then has one owner, so that the layers below write their headers into its headroom.
        @inline(__always)
        mutating func take() -> Action {
            let action = consume self
            self = .notificationsDropped(LinkID(rawValue: 0), Transmission(token: .standard, count: 0))
            return action
        }
    }

    /// What the server was made with.
    let configuration: Configuration
    /// The attributes.
    var database = GATTDatabase()
    /// The connected clients, in ascending order of their names.
    var links: [Client] = []
    /// The links that have a batch of notifications, in the order in which it began.
    var batchedLinks: [LinkID] = []
    /// When ``advance(to:into:)`` is due; it may find that it came too early.
    private(set) var nextDeadline: NIODeadline?

    /// The handle of the Device Name.
    let deviceNameHandle: AttributeHandle
    /// The handle of Service Changed.
    let serviceChangedHandle: AttributeHandle

    /// Creates a server with the GAP and GATT services in its database.
    init(configuration: Configuration) {
        self.configuration = configuration
        var database = GATTDatabase()
        let access = database.addBuiltIn(BluetoothUUID(GATTAttributeType.genericAccessService), handleCount: 5) {
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
        }
        let attribute = database.addBuiltIn(BluetoothUUID(GATTAttributeType.genericAttributeService), handleCount: 8) {
            $0.characteristic(
                BluetoothUUID(GATTAttributeType.serviceChanged),
                properties: .indicate,
                access: [],
                content: .fixed(ByteBuffer())
            )
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
        self.database = database
        self.deviceNameHandle = access.characteristics[0].value
        self.serviceChangedHandle = attribute.characteristics[0].value
    }

    /// The name's UTF-8, cut to 248 octets between characters (Vol 3, Part C, 12.1).
    private static func deviceNameValue(_ name: String) -> ByteBuffer {
        var name = Substring(name)
        while name.utf8.count > 248 { name.removeLast() }
        return ByteBuffer(substring: name)
    }

    /// Changes the GAP Device Name.
    mutating func setDeviceName(_ name: String) {
        self.database.setFixedValue(Self.deviceNameValue(name), of: self.deviceNameHandle)
    }

    // MARK: Services

    /// Adds a service and tells the connected clients.
    mutating func add(
        _ service: GATTServiceDefinition,
        now: NIODeadline,
        into actions: inout [Action]
    ) throws(GATTDatabaseError) -> GATTServiceHandles {
        let handles = try self.database.add(service)
        self.databaseChanged(in: handles.range, now: now, into: &actions)
        return handles
    }

    /// Removes the service whose declaration has `handle` and tells the connected clients.
    ///
    /// The built-in services and handles of no service are left alone.
    mutating func remove(_ handle: AttributeHandle, now: NIODeadline, into actions: inout [Action]) {
        guard handle > self.serviceChangedHandle, let range = self.database.remove(handle) else { return }
        self.databaseChanged(in: range, now: now, into: &actions)
    }

    // MARK: Links

    /// A link is there.
    mutating func linkOpened(_ link: LinkID) {
        let place = self.place(of: link)
        guard !place.isPresent else { return }
        self.links.insert(Client(id: link), at: place.index)
    }

    /// A link has ended.
    ///
    /// Its client's subscriptions end with it, and so does what waited to be sent.
    mutating func linkClosed(_ link: LinkID, into actions: inout [Action]) {
        guard let index = self.index(of: link) else { return }
        self.dropNotifications(at: index, into: &actions)
        let subscriptions = self.links.remove(at: index).subscriptions
        self.batchedLinks.removeAll { $0 == link }
        for subscription in subscriptions where subscription.characteristic != self.serviceChangedHandle {
            actions.append(.subscriptionChanged(link, subscription.characteristic, isSubscribed: false))
        }
    }

    /// The link's MTU was exchanged by the client half of this host.
    mutating func setMTU(_ mtu: Int, of link: LinkID, into actions: inout [Action]) {
        guard let index = self.index(of: link) else { return }
        self.flushBatch(at: index, into: &actions)
        self.links[index].mtu = max(ATT.defaultMTU, min(mtu, ATT.maximumMTU))
    }

    /// The ATT MTU of a link; 23 where the link is unknown.
    func mtu(of link: LinkID) -> Int {
        self.index(of: link).map { self.links[$0].mtu } ?? ATT.defaultMTU
    }

    /// The link's encryption changed.
    mutating func setSecurity(_ security: GATTLinkSecurity, of link: LinkID) {
        guard let index = self.index(of: link) else { return }
        self.links[index].security = security
    }

    /// Where a link is in the list, else where it belongs.
    private func place(of link: LinkID) -> (index: Int, isPresent: Bool) {
        var low = 0
        var high = self.links.count
        while low < high {
            let middle = (low + high) / 2
            let id = self.links[middle].id
            if id == link { return (middle, true) }
            if id.rawValue < link.rawValue { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// The index of a link.
    func index(of link: LinkID) -> Int? {
        let place = self.place(of: link)
        return place.isPresent ? place.index : nil
    }

    // MARK: Time

    /// Does what is due: links whose client did not confirm an indication in time have failed.
    mutating func advance(to now: NIODeadline, into actions: inout [Action]) {
        guard let due = self.nextDeadline, due <= now else { return }
        self.nextDeadline = nil
        for index in self.links.indices {
            guard !self.links[index].hasFailed, let deadline = self.links[index].outstanding.deadline else { continue }
            if deadline <= now {
                self.fail(.indicationTimeout, at: index, into: &actions)
            } else {
                self.wake(at: deadline)
            }
        }
    }

    /// Makes sure that ``advance(to:into:)`` is called at `deadline`.
    ///
    /// One timer serves all links: it is armed for the earliest indication, and when it fires it looks for the next.
    mutating func wake(at deadline: NIODeadline) {
        if let next = self.nextDeadline, next <= deadline { return }
        self.nextDeadline = deadline
    }

    /// Gives a bearer up.
    mutating func fail(_ reason: BearerFailure, at index: Int, into actions: inout [Action]) {
        self.dropNotifications(at: index, into: &actions)
        self.links[index].hasFailed = true
        self.links[index].transaction = .idle
        self.links[index].prepared = PreparedWrites()
        actions.append(.bearerFailed(self.links[index].id, reason))
    }
}
