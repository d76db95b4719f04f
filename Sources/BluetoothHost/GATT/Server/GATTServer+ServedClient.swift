// The server's state for one connected client: subscriptions, the request in progress, prepared writes, and waiting
// values. It is the server half of the link's bearer.

import DequeModule
import NIOCore

extension GATTServer {
    /// The client's bits of Client Supported Features (Vol 3, Part G, 7.2).
    struct ClientFeatures: OptionSet, Hashable, Sendable {
        var rawValue: UInt8

        /// The client supports Database Out Of Sync errors.
        static let robustCaching = ClientFeatures(rawValue: 0x01)
        /// The client supports the enhanced ATT bearer, which this host does not have.
        static let enhancedBearer = ClientFeatures(rawValue: 0x02)
        /// The client supports several notifications in one PDU.
        static let multipleNotifications = ClientFeatures(rawValue: 0x04)
        /// The defined bits; the others are ignored.
        static let known: ClientFeatures = [.robustCaching, .enhancedBearer, .multipleNotifications]
    }

    /// Whether the client knows of the database's last change (Vol 3, Part G, 2.5.2.1).
    enum Awareness: Hashable, Sendable {
        /// It is change-aware.
        case aware
        /// It is change-unaware.
        case unaware
        /// It is change-unaware, but its next request proves that it has received the Database Out Of Sync error.
        case unawareErrorSent
        /// It is change-unaware, but its next request proves that it has received the Database Hash.
        case unawareHashRead
    }

    /// A client's subscription to one characteristic.
    struct Subscription: Hashable, Sendable {
        /// The handle of the characteristic's value.
        let characteristic: AttributeHandle
        /// Bit 0 for notifications, bit 1 for indications; never zero.
        var bits: UInt8
        /// The required security for sending a value.
        let security: SecurityRequirement

        /// Whether the client has subscribed to notifications.
        var notifies: Bool { self.bits & 0x01 != 0 }
    }

    /// The client's request in progress; ATT has one at a time (Vol 3, Part F, 3.3.2).
    enum Transaction: Sendable {
        /// None.
        case idle
        /// The application was asked for a value.
        case reading(sequence: UInt32, Reading)
        /// The application has the value of a Write Request; `kept` is one that the server stores if it accepts.
        case writing(sequence: UInt32, handle: AttributeHandle, kept: ByteBuffer?)
        /// The application has prepared writes; those to values that the server stores are applied if it accepts.
        case executing(sequence: UInt32, handle: AttributeHandle, kept: [GATTWriteRequest.Part])
    }

    /// The purpose of the value for which the application was asked.
    enum Reading: Sendable {
        /// Read.
        case value(AttributeHandle)
        /// Read Blob.
        case blob(AttributeHandle)
        /// Read By Type.
        case byType(AttributeHandle)
        /// Read Multiple or Read Multiple Variable.
        case several(Gathering)
    }

    /// The unfinished response to a request for several values.
    struct Gathering: Sendable {
        /// The handles that have not been read yet.
        var rest: ATTHandleList.Iterator
        /// The handle in progress.
        var handle: AttributeHandle
        /// The request's opcode.
        let request: ATTOpcode
        /// The response so far.
        var response: ByteBuffer
    }

    /// The prepared writes of a client.
    struct PreparedWrites: Sendable {
        /// The writes in order of arrival, with adjoining parts joined.
        var parts: [GATTWriteRequest.Part] = []
        /// The number of their requests.
        var count = 0
        /// The total length of their values.
        var octets = 0
    }

    /// An indication that waits for its confirmation.
    enum Outstanding: Hashable, Sendable {
        /// None.
        case none
        /// One of the application's.
        case application(AttributeHandle, TransmitToken, deadline: NIODeadline)
        /// Service Changed.
        case serviceChanged(deadline: NIODeadline)

        /// The deadline for the confirmation.
        var deadline: NIODeadline? {
            switch self {
            case .none: nil
            case .application(_, _, let deadline), .serviceChanged(let deadline): deadline
            }
        }
    }

    /// Notifications that wait for the end of the driver's turn, to be sent in one PDU.
    enum Batch: Sendable {
        /// None.
        case empty
        /// One, not encoded yet.
        case one(ServedClient.Value)
        /// Several of one owner, already encoded.
        case several(ByteBuffer, Transmission)
    }

    /// A connected client.
    struct ServedClient: Sendable {
        /// A value to send.
        struct Value: Sendable {
            let handle: AttributeHandle
            let value: ByteBuffer
            let token: TransmitToken
        }

        var features: ClientFeatures = []
        var awareness = Awareness.aware
        /// In ascending order of the handles.
        var subscriptions: [Subscription] = []
        var transaction = Transaction.idle
        /// The number of requests to the application.
        var sequence: UInt32 = 0
        var prepared = PreparedWrites()
        var batch = Batch.empty
        var outstanding = Outstanding.none
        /// The application's indications that wait for an earlier one to be confirmed.
        var indications: Deque<Value> = []
        /// The range of a Service Changed indication that waits for an earlier one to be confirmed.
        var changedRange: AttributeHandleRange?
        /// Values that wait for the end of the local client's MTU exchange.
        var deferred: Deque<Value> = []
        /// The key with which the client signs commands; `nil` if it has distributed none.
        var signingKey: PeerSigningKey?

        /// Whether the client supports Database Out Of Sync errors and is change-unaware.
        var isOutOfSync: Bool { self.awareness != .aware && self.features.contains(.robustCaching) }

        /// The index of a subscription, or its insertion point.
        func place(ofSubscription characteristic: AttributeHandle) -> (index: Int, isPresent: Bool) {
            var low = 0
            var high = self.subscriptions.count
            while low < high {
                let middle = (low + high) / 2
                let handle = self.subscriptions[middle].characteristic
                if handle == characteristic { return (middle, true) }
                if handle < characteristic { low = middle + 1 } else { high = middle }
            }
            return (low, false)
        }

        /// The bits of a Client Characteristic Configuration.
        func configuration(of characteristic: AttributeHandle) -> UInt8 {
            let (index, isPresent) = self.place(ofSubscription: characteristic)
            return isPresent ? self.subscriptions[index].bits : 0
        }

        /// The identifier of the next request to the application.
        mutating func nextRequestID(on link: LinkID) -> GATTRequestID {
            self.sequence &+= 1
            return GATTRequestID(link: link, sequence: self.sequence)
        }
    }
}
