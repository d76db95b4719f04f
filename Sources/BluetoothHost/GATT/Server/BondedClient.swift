// What a server keeps of a client from one connection to the next where the two are bonded
// (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2).

public import BluetoothTypes
public import NIOCore

/// What is kept of a bonded client.
///
/// It belongs to the bond: it is stored under the peer's identity address, and removed with the bond. A Service
/// Changed indication that the client has not confirmed needs no place here: it is owed as long as ``databaseHash`` is
/// not that of the database.
public struct BondedClient: Hashable, Sendable {
    /// One Client Characteristic Configuration that is not zero.
    public struct Configuration: Hashable, Sendable {
        /// The handle of the characteristic's value.
        public var characteristic: AttributeHandle
        /// The characteristic's UUID: a handle means nothing once another characteristic lives there.
        public var uuid: BluetoothUUID
        /// Bit 0 for notifications, bit 1 for indications.
        public var bits: UInt8

        /// Creates a record.
        public init(characteristic: AttributeHandle, uuid: BluetoothUUID, bits: UInt8) {
            self.characteristic = characteristic
            self.uuid = uuid
            self.bits = bits
        }
    }

    /// The configurations, in ascending order of their handles.
    public var configurations: [Configuration]
    /// The Client Supported Features.
    public var features: UInt8
    /// The hash of the database that the client knows, 16 octets; `nil` where there was a change that it did not know
    /// of.
    public var databaseHash: ByteBuffer?

    /// Creates a record.
    public init(configurations: [Configuration], features: UInt8, databaseHash: ByteBuffer?) {
        self.configurations = configurations
        self.features = features
        self.databaseHash = databaseHash
    }
}
