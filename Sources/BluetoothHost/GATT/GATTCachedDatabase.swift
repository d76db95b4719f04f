// What a client keeps of a server's database, so that on the next link one read says whether everything else that it
// has cached still holds (Vol 3, Part G, 2.5.2 and 7.3).

public import NIOCore

/// What identifies the database that a client has cached, and where its server configures caching.
///
/// The Database Hash covers every declaration with its handle, so while it is the same, so are these handles.
public struct GATTCachedDatabase: Hashable, Sendable {
    /// The 16 octets of the Database Hash.
    public var databaseHash: ByteBuffer
    /// The value handle of Service Changed.
    public var serviceChanged: AttributeHandle?
    /// The Client Characteristic Configuration of Service Changed, where the server let this client subscribe.
    public var serviceChangedConfiguration: AttributeHandle?
    /// The value handle of Client Supported Features, where the server took this client's.
    public var clientSupportedFeatures: AttributeHandle?

    /// Creates a record.
    public init(
        databaseHash: ByteBuffer,
        serviceChanged: AttributeHandle? = nil,
        serviceChangedConfiguration: AttributeHandle? = nil,
        clientSupportedFeatures: AttributeHandle? = nil
    ) {
        self.databaseHash = databaseHash
        self.serviceChanged = serviceChanged
        self.serviceChangedConfiguration = serviceChangedConfiguration
        self.clientSupportedFeatures = clientSupportedFeatures
    }
}

/// Whether what a client has cached of a server's database holds.
public enum GATTDatabaseValidation: Hashable, Sendable {
    /// The database is the cached one.
    case unchanged(GATTCachedDatabase)
    /// Nothing was cached, or the database is another one now: the one that this describes.
    case changed(GATTCachedDatabase)
    /// The server has no Database Hash, or does not let it be read: nothing can be cached beyond the link.
    case noDatabaseHash

    /// What identifies the database that the server has now; `nil` where nothing does.
    public var database: GATTCachedDatabase? {
        switch self {
        case .unchanged(let database), .changed(let database): database
        case .noDatabaseHash: nil
        }
    }
}

/// How a server reports changes of its database; all of it is optional.
struct GATTServerCaching: Hashable, Sendable {
    /// The value handle of Service Changed.
    var serviceChanged: AttributeHandle?
    /// The Client Characteristic Configuration of Service Changed, where it took the subscription.
    var serviceChangedConfiguration: AttributeHandle?
    /// The value handle of Client Supported Features, where it took this client's.
    var clientSupportedFeatures: AttributeHandle?
    /// The 16 octets of the Database Hash.
    var databaseHash: ByteBuffer?

    /// What to keep for the next link; nothing of a server without a hash.
    var cachedDatabase: GATTCachedDatabase? {
        self.databaseHash.map { hash in
            GATTCachedDatabase(
                databaseHash: hash,
                serviceChanged: self.serviceChanged,
                serviceChangedConfiguration: self.serviceChangedConfiguration,
                clientSupportedFeatures: self.clientSupportedFeatures
            )
        }
    }
}
