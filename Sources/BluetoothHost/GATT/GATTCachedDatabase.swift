// The identification of a server's database that a client stores, so that on the next link a single read validates its
// whole cache (Vol 3, Part G, 2.5.2 and 7.3).

package import NIOCore

/// The identification of a cached database, and the handles for configuring caching.
///
/// The Database Hash covers every declaration with its handle, so these handles are valid while the hash is the same.
public struct GATTCachedDatabase: Hashable, Sendable {
    /// The 16 octets of the Database Hash.
    package var databaseHash: ByteBuffer
    /// The value handle of Service Changed.
    package var serviceChanged: AttributeHandle?
    /// The Client Characteristic Configuration of Service Changed, if the server let this client subscribe.
    package var serviceChangedConfiguration: AttributeHandle?
    /// The value handle of Client Supported Features, if the server accepted this client's.
    package var clientSupportedFeatures: AttributeHandle?

    /// Creates a record.
    package init(
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

/// The result of validating a cached database.
public enum GATTDatabaseValidation: Hashable, Sendable {
    /// The database is the cached one.
    case unchanged(GATTCachedDatabase)
    /// Nothing was cached, or the database has changed to the one in the payload.
    case changed(GATTCachedDatabase)
    /// The server has no readable Database Hash: nothing can be cached beyond the link.
    case noDatabaseHash

    /// The identification of the current database; `nil` if there is none.
    package var database: GATTCachedDatabase? {
        switch self {
        case .unchanged(let database), .changed(let database): database
        case .noDatabaseHash: nil
        }
    }
}

/// The caching characteristics of a server, all optional.
struct GATTServerCaching: Hashable, Sendable {
    /// The value handle of Service Changed.
    var serviceChanged: AttributeHandle?
    /// The Client Characteristic Configuration of Service Changed, if the server accepted the subscription.
    var serviceChangedConfiguration: AttributeHandle?
    /// The value handle of Client Supported Features, if the server accepted this client's.
    var clientSupportedFeatures: AttributeHandle?
    /// The 16 octets of the Database Hash.
    var databaseHash: ByteBuffer?

    /// The identification to store for the next link; `nil` for a server without a hash.
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
