// What a client does on a new link with a server that it has met before (Vol 3, Part G, 2.5.2 and 7): it reads the
// Database Hash. Where that is the one it knows, nothing has to be discovered; it only says again what a server forgets
// of a client without a bond when the link ends: the subscription to Service Changed (3.3.3.3) and the Client Supported
// Features (7.2). Without these the server would not tell of a change during this link.

import BluetoothTypes
import NIOCore

/// Reads the Database Hash.
struct GATTDatabaseHashRead: GATTClientProcedure {
    init() {}

    mutating func begin(mtu: Int) -> GATTClientStep { .send(Self.request) }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        .succeed(.value(try Self.hash(in: response)))
    }

    /// The request: by type and among all handles, so that it is answered even while the server holds that this client
    /// does not know the database, and tells the server that now it does (2.5.2.1).
    static var request: ATTReadByTypeRequest {
        ATTReadByTypeRequest(start: 0x0001, end: 0xFFFF, type: BluetoothUUID(GATTAttributeType.databaseHash))
    }

    /// The 16 octets in a response.
    static func hash(in response: ByteBuffer) throws(MalformedBytes) -> ByteBuffer {
        var list = try ATTReadByTypeResponse(parsing: response).list.makeIterator()
        guard let (_, hash) = list.next(), hash.readableBytes == 16 else {
            throw MalformedBytes(.invalid, "Database Hash")
        }
        return hash
    }
}

/// Subscribes to Service Changed and writes the Client Supported Features where they are known to be.
///
/// What the server refuses is left out.
struct GATTCachingResumption: GATTClientProcedure {
    private enum Phase: Sendable {
        case subscribing
        case writingFeatures
    }

    private let server: GATTKnownServer
    private var found: GATTClient.ServerCaching
    private var phase = Phase.subscribing

    init(_ server: GATTKnownServer) {
        self.server = server
        self.found = GATTClient.ServerCaching(serviceChanged: server.serviceChanged, databaseHash: server.databaseHash)
    }

    mutating func begin(mtu: Int) -> GATTClientStep {
        guard let handle = self.server.serviceChangedConfiguration else { return self.writeFeatures() }
        self.phase = .subscribing
        return .send(ATTWriteRequest(handle: handle, value: GATTCachingSetup.subscription))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        _ = try ATTWriteResponse(parsing: response)
        switch self.phase {
        case .subscribing:
            self.found.serviceChangedConfiguration = self.server.serviceChangedConfiguration
            return self.writeFeatures()
        case .writingFeatures:
            self.found.clientSupportedFeatures = self.server.clientSupportedFeatures
            return .succeed(.caching(self.found))
        }
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        switch self.phase {
        case .subscribing: self.writeFeatures()
        case .writingFeatures: .succeed(.caching(self.found))
        }
    }

    private mutating func writeFeatures() -> GATTClientStep {
        guard let handle = self.server.clientSupportedFeatures else { return .succeed(.caching(self.found)) }
        self.phase = .writingFeatures
        return .send(ATTWriteRequest(handle: handle, value: GATTCachingSetup.features))
    }
}
