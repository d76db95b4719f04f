// What goes into the GATT client and what comes out of it: procedures with their results, and what the driver has to do.

import BluetoothTypes
import NIOCore

extension GATTClient {
    /// Names a procedure until it is complete.
    struct ProcedureID: RawRepresentable, Hashable, Sendable {
        /// A number of the driver's making.
        var rawValue: UInt32

        /// An identifier from its number.
        init(rawValue: UInt32) { self.rawValue = rawValue }
    }

    /// A value with the handle that it belongs to.
    struct Value: Hashable, Sendable {
        /// The attribute.
        var handle: AttributeHandle
        /// The octets.
        var value: ByteBuffer

        init(handle: AttributeHandle, value: ByteBuffer) {
            self.handle = handle
            self.value = value
        }
    }

    /// What a client can ask of a server (Vol 3, Part G, 4.2).
    enum Procedure: Hashable, Sendable {
        /// Agrees on the ATT MTU (4.3.1); at most once in the life of a link, later ones tell what was agreed.
        case exchangeMTU(preferred: Int)
        /// All primary services (4.4.1), or those with one of `uuids`, in that order (4.4.2).
        case discoverServices(uuids: [BluetoothUUID]?)
        /// The services that a service includes (4.5.1).
        case discoverIncludedServices(AttributeHandleRange)
        /// The characteristics of a service (4.6.1); of those, with `uuids`, the ones named there.
        case discoverCharacteristics(AttributeHandleRange, uuids: [BluetoothUUID]?)
        /// The descriptors of a characteristic (4.7.1).
        case discoverDescriptors(GATTRemoteCharacteristic)
        /// A whole value or descriptor (4.8.1, 4.8.3, 4.12.1, 4.12.2).
        case read(AttributeHandle)
        /// A value or descriptor from an octet on (4.8.3).
        case readLong(AttributeHandle, offset: Int)
        /// The first values of a type in a range, as many as one response holds (4.8.2).
        case readByType(BluetoothUUID, AttributeHandleRange)
        /// Values of known lengths, joined (4.8.4); two handles at least.
        case readMultiple([AttributeHandle])
        /// Values of any length (4.8.5); two handles at least. What did not fit into the response is left out.
        case readMultipleVariable([AttributeHandle])
        /// A value or descriptor (4.9.3, 4.9.4, 4.12.3, 4.12.4).
        case write(AttributeHandle, ByteBuffer)
        /// Several values at once, each checked before (4.9.5).
        case writeReliably([Value])
        /// Prepares for changes of the server's database: subscribes to Service Changed, asks for robust caching and
        /// multiple notifications, reads the database hash (2.5.2, 7).
        case subscribeToServiceChanged
        /// The Database Hash of the server (7.3), wherever it stands.
        case readDatabaseHash
        /// What is left to do for a server whose hash is the known one: says again what the server has forgotten.
        case resumeCaching(GATTKnownServer)
    }

    /// What a procedure found.
    enum Output: Hashable, Sendable {
        /// A write took place.
        case done
        /// The ATT MTU in octets.
        case mtu(Int)
        /// Services, in the order of their handles; with a filter, in the order of the filter first.
        case services([GATTRemoteService])
        /// Characteristics, in the order of their handles.
        case characteristics([GATTRemoteCharacteristic])
        /// Descriptors, in the order of their handles.
        case descriptors([GATTRemoteDescriptor])
        /// A value, or several joined.
        case value(ByteBuffer)
        /// Values with their handles.
        case values([Value])
        /// How the server tells of changes.
        case caching(ServerCaching)
    }

    /// How a server tells of changes in its database; all of it is optional.
    struct ServerCaching: Hashable, Sendable {
        /// The value handle of Service Changed.
        var serviceChanged: AttributeHandle?
        /// The Client Characteristic Configuration of Service Changed, where it took the subscription.
        var serviceChangedConfiguration: AttributeHandle?
        /// The value handle of Client Supported Features, where it took this client's.
        var clientSupportedFeatures: AttributeHandle?
        /// The 16 octets of the Database Hash.
        var databaseHash: ByteBuffer?

        /// Whether Service Changed will be indicated.
        var isSubscribed: Bool { self.serviceChangedConfiguration != nil }
        /// Whether the server took the Client Supported Features.
        var acceptsClientFeatures: Bool { self.clientSupportedFeatures != nil }

        /// What to keep for the next link; nothing of a server without a hash.
        var knownServer: GATTKnownServer? {
            self.databaseHash.map { hash in
                GATTKnownServer(
                    databaseHash: hash,
                    serviceChanged: self.serviceChanged,
                    serviceChangedConfiguration: self.serviceChangedConfiguration,
                    clientSupportedFeatures: self.clientSupportedFeatures
                )
            }
        }
    }

    /// What the driver has to do, in this order.
    enum Action: Hashable, Sendable {
        /// Send this PDU.
        case send(ByteBuffer)
        /// Send this Write Command and tell when it has left.
        case sendCommand(ByteBuffer)
        /// The procedure has ended.
        case complete(ProcedureID, Result<Output, GATTError>)
        /// A notification came, or an indication whose confirmation was sent.
        case notification(AttributeHandle, ByteBuffer)
        /// The server's services in this range are not what they were.
        case servicesChanged(AttributeHandleRange)
        /// The server has said that its database is another one than this client knows (2.5.2.1).
        case databaseOutOfSync
        /// The ATT MTU changed by this client's exchange.
        case mtuChanged(Int)
        /// The server did not answer in time; ATT is over on this link (Vol 3, Part F, 3.3.3).
        case bearerFailed

        /// Takes the action out of its place in an array.
        ///
        /// A PDU in it then has one owner, so that the layers below write their headers into its headroom; with a second
        /// owner, the array, each header would cost a copy.
        @inline(__always)
        mutating func take() -> Action {
            let action = consume self
            self = .bearerFailed
            return action
        }
    }
}
