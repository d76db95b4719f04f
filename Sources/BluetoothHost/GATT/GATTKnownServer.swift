// What a client keeps of a server, so that on the next link one read tells whether everything else that it keeps still
// holds (Vol 3, Part G, 2.5.2 and 7.3).

public import NIOCore

/// A server that a client has met before.
///
/// The Database Hash covers every declaration with its handle, so while it is the same, so are these handles.
public struct GATTKnownServer: Hashable, Sendable {
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
