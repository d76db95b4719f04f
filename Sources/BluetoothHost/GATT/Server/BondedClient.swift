// The state of a bonded client that a server keeps from one connection to the next (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and
// 7.2).

public import BluetoothTypes
package import NIOCore

/// The stored state of a bonded client.
///
/// It belongs to the bond: store it under the peer's identity address, and remove it with the bond. An unconfirmed
/// Service Changed indication is not stored: it is due as long as `databaseHash` differs from that of the database.
public struct BondedClient: Hashable, Sendable {
    /// One Client Characteristic Configuration that is not zero.
    public struct Configuration: Hashable, Sendable {
        /// The handle of the characteristic's value.
        package var characteristic: AttributeHandle
        /// The characteristic's UUID, since another characteristic may reuse the handle.
        package var uuid: BluetoothUUID
        /// Bit 0 for notifications, bit 1 for indications.
        package var bits: UInt8

        /// Creates a record.
        public init(characteristic: AttributeHandle, uuid: BluetoothUUID, bits: UInt8) {
            self.characteristic = characteristic
            self.uuid = uuid
            self.bits = bits
        }
    }

    /// The configurations, in ascending order of their handles.
    package var configurations: [Configuration]
    /// The Client Supported Features.
    package var features: UInt8
    /// The hash of the database that the client knows, 16 octets; `nil` if it has missed a change.
    package var databaseHash: ByteBuffer?

    /// Creates a record.
    package init(configurations: [Configuration], features: UInt8, databaseHash: ByteBuffer?) {
        self.configurations = configurations
        self.features = features
        self.databaseHash = databaseHash
    }
}
