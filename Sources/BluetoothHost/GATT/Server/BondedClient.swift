// What a server remembers of a client from one connection to the next where the two are bonded
// (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2).

import BluetoothTypes
import NIOCore

/// The memory of a bonded client.
struct BondedClient: Hashable, Sendable {
    /// One Client Characteristic Configuration that is not zero.
    struct Configuration: Hashable, Sendable {
        /// The handle of the characteristic's value.
        var characteristic: AttributeHandle
        /// The characteristic's UUID: a handle means nothing once another characteristic lives there.
        var uuid: BluetoothUUID
        /// Bit 0 for notifications, bit 1 for indications.
        var bits: UInt8
    }

    /// The configurations, in ascending order of their handles.
    var configurations: [Configuration]
    /// The Client Supported Features.
    var features: UInt8
    /// The hash of the database that the client knows; `nil` where it knew of an unseen change.
    var databaseHash: ByteBuffer?
}
