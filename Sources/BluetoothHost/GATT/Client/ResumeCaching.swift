// The values that a client writes again on a new link to a server whose database is the cached one (Vol 3, Part G,
// 2.5.2 and 7): a server forgets with the link, of a client without a bond, the subscription to Service Changed
// (3.3.3.3) and the Client Supported Features (7.2). Without these it would not report a change during this link.

import BluetoothTypes
import NIOCore

/// Subscribes to Service Changed and writes the Client Supported Features at their cached handles.
///
/// Refused writes are left out of the result.
struct ResumeCaching: GATTRequestProcedure {
    private enum Phase: Sendable {
        case subscribing
        case writingFeatures
    }

    private let cached: GATTCachedDatabase
    private var found: GATTServerCaching
    private var phase = Phase.subscribing

    init(_ cached: GATTCachedDatabase) {
        self.cached = cached
        self.found = GATTServerCaching(serviceChanged: cached.serviceChanged, databaseHash: cached.databaseHash)
    }

    var serviceChanged: AttributeHandle? { self.cached.serviceChanged }

    mutating func begin(mtu: Int) -> GATTStep<GATTServerCaching> {
        guard let handle = self.cached.serviceChangedConfiguration else { return self.writeFeatures() }
        self.phase = .subscribing
        return .send(ATTWriteRequest(handle: handle, value: ConfigureCaching.subscription))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<GATTServerCaching> {
        _ = try ATTWriteResponse(parsing: response)
        switch self.phase {
        case .subscribing:
            self.found.serviceChangedConfiguration = self.cached.serviceChangedConfiguration
            return self.writeFeatures()
        case .writingFeatures:
            self.found.clientSupportedFeatures = self.cached.clientSupportedFeatures
            return .succeed(self.found)
        }
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<GATTServerCaching> {
        switch self.phase {
        case .subscribing: self.writeFeatures()
        case .writingFeatures: .succeed(self.found)
        }
    }

    private mutating func writeFeatures() -> GATTStep<GATTServerCaching> {
        guard let handle = self.cached.clientSupportedFeatures else { return .succeed(self.found) }
        self.phase = .writingFeatures
        return .send(ATTWriteRequest(handle: handle, value: ConfigureCaching.features))
    }
}
