// A remote device: its link, the connections of this device's apps that share it, and what is known of its server.

import BluetoothHost
import BluetoothTypes

/// A device that an app wants a link with, or has one with.
final class Peer {
    /// The address by which it is known: its identity address, once it is bonded.
    var address: DeviceAddress
    /// The link, and the connections that share it.
    @exclusivity(unchecked) var connections = PeerLink<PeripheralConnection>()
    /// The server at the other end of the link.
    @exclusivity(unchecked) var server = RemoteServer()

    init(address: DeviceAddress) { self.address = address }

    /// The link, while it can be used.
    var link: LinkID? { self.connections.id }
}

/// The state of the server at the other end of a link, until the link ends.
struct RemoteServer {
    /// Which database the server has.
    enum Identity {
        /// It was not asked: the peer opened the link.
        case unknown
        /// The host validates what is cached of the database, or finds out what identifies it; once more if a change
        /// was reported meanwhile.
        case validating(mustRepeat: Bool)
        /// The one that its Database Hash identifies.
        case known
        /// It has no Database Hash, so nothing of its database outlasts the link.
        case noDatabaseHash

        /// Whether it is validated once more.
        var mustRepeat: Bool { if case .validating(mustRepeat: true) = self { true } else { false } }
    }

    /// How far what was discovered of the server is trusted.
    enum Trust {
        /// The server has said it on a link as secure as this one.
        case confirmed
        /// It has to be confirmed, since the link has become more secure, or the server does not know a handle; with
        /// what had to be confirmed before.
        case doubted(RemoteDatabase?)
        /// It is being confirmed.
        case confirming(RemoteDatabase)

        /// The part of the earlier discovery that is not confirmed yet.
        var unconfirmed: RemoteDatabase? {
            switch self {
            case .confirmed: nil
            case .doubted(let database): database
            case .confirming(let database): database
            }
        }
    }

    /// The limit of validations of a server's database on one link.
    ///
    /// The database of a server that reports changes without end is no longer cached. A server that reports a change in
    /// answer to the configuration of caching costs one more read of its hash.
    static let validationLimit = 16

    /// Whether it has left a request without an answer for 30 s, so that the host ends the link.
    var hasTimedOut = false
    /// The ATT MTU of the link, in octets.
    var mtu = ATT.defaultMTU
    var identity = Identity.unknown
    var validationCount = 0
    /// The identification of the database at its last validation.
    var validatedDatabase: GATTCachedDatabase?
    /// Whether the server has reported a change since.
    var hasReportedChange = false
    /// The server's attributes that any app has discovered.
    var database = RemoteDatabase()
    /// How secure the link is.
    var level = SecurityLevel.none
    var trust = Trust.confirmed
    /// The subscriptions, by the handle of the value.
    var subscriptions = HandleTable<Subscription<PeripheralConnection>>()
    /// The values that came before anybody subscribed.
    var earlyValues = EarlyValues()
    /// Services that were discovered, and reported as connection events.
    var reportedServices: [BluetoothUUID] = []
    /// Whether the GAP Device Name was asked for, or is about to be.
    var hasNameReader = false

    /// The database, if it is known to be the server's present one.
    var cachedDatabase: RemoteDatabase? {
        switch self.identity {
        case .known: self.database
        case .unknown, .validating, .noDatabaseHash: nil
        }
    }
}
