// The Database Hash (Vol 3, Part G, 7.3).

public import BluetoothTypes
public import NIOCore

/// Reads the Database Hash of the server: 16 octets that are the same while its database is.
public struct ReadDatabaseHash: GATTRequestProcedure {
    /// Creates the procedure.
    package init() {}

    /// Asks for the hash by its type.
    public mutating func begin(mtu: Int) -> GATTStep<ByteBuffer> { .send(Self.request) }

    /// Takes the hash.
    public mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<ByteBuffer> {
        .succeed(try Self.hash(in: response))
    }

    /// The request: by type and among all handles, so that it is answered even to a client that is change-unaware, and
    /// makes it change-aware (2.5.2.1).
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
