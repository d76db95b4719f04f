// What the server keeps for one client while it is connected: subscriptions, the request in progress, prepared writes,
// and what waits to be sent. It is the server half of the link's bearer.

import DequeModule
import NIOCore

extension GATTServer {
    /// The client's bits of Client Supported Features (Vol 3, Part G, 7.2).
    struct ClientFeatures: OptionSet, Hashable, Sendable {
        var rawValue: UInt8

        /// The client takes Database Out Of Sync errors.
        static let robustCaching = ClientFeatures(rawValue: 0x01)
        /// The client takes the enhanced ATT bearer, which this host does not have.
        static let enhancedBearer = ClientFeatures(rawValue: 0x02)
        /// The client takes several notifications in one PDU.
        static let multipleNotifications = ClientFeatures(rawValue: 0x04)
        /// The bits that mean something today; the others are ignored.
        static let known: ClientFeatures = [.robustCaching, .enhancedBearer, .multipleNotifications]
    }

    /// Whether the client knows of the database's last change (Vol 3, Part G, 2.5.2.1).
    enum Awareness: Hashable, Sendable {
        /// It does.
        case aware
        /// It does not.
        case unaware
        /// It does not, but its next request shows that it got the Database Out Of Sync error.
        case unawareErrorSent
        /// It does not, but its next request shows that it got the Database Hash.
        case unawareHashRead
    }

    /// What a client has subscribed to of one characteristic.
    struct Subscription: Hashable, Sendable {
        /// The handle of the characteristic's value.
        let characteristic: AttributeHandle
        /// Bit 0 for notifications, bit 1 for indications; never zero.
        var bits: UInt8
        /// What the link must offer before a value is sent.
        let security: SecurityRequirement

        /// Whether the client takes notifications.
        var notifies: Bool { self.bits & 0x01 != 0 }
    }

    /// The request of the client that is being worked on; ATT has one at a time (Vol 3, Part F, 3.3.2).
    enum Transaction: Sendable {
        /// None.
        case idle
        /// The application was asked for a value.
        case reading(sequence: UInt32, Reading)
        /// The application was given the value of a Write Request.
        case writing(sequence: UInt32, handle: AttributeHandle)
        /// The application was given prepared writes; those that the server keeps itself are applied with its consent.
        case executing(sequence: UInt32, handle: AttributeHandle, kept: [GATTWriteRequest.Part])
    }

    /// What the value that the application was asked for is needed for.
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

    /// The response to a request for several values in the making.
    struct Gathering: Sendable {
        /// The handles that are still to be read.
        var rest: ATTHandleList.Iterator
        /// The handle that was asked for last.
        var handle: AttributeHandle
        /// The request's opcode.
        let request: ATTOpcode
        /// The response so far.
        var response: ByteBuffer
    }

    /// The prepared writes of a client.
    struct PreparedWrites: Sendable {
        /// The writes in the order in which they came, parts that adjoin already joined.
        var parts: [GATTWriteRequest.Part] = []
        /// How many requests they came in.
        var count = 0
        /// The octets of their values.
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

        /// When the client must have confirmed.
        var deadline: NIODeadline? {
            switch self {
            case .none: nil
            case .application(_, _, let deadline), .serviceChanged(let deadline): deadline
            }
        }
    }

    /// Notifications that wait for the end of the driver's turn, to leave in one PDU.
    enum Batch: Sendable {
        /// None.
        case empty
        /// One, not written yet.
        case one(ServedClient.Value)
        /// Several of one owner, written already.
        case several(ByteBuffer, Transmission)
    }

    /// A connected client.
    struct ServedClient: Sendable {
        /// A value that is to be sent.
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
        /// Counts the requests that were handed to the application.
        var sequence: UInt32 = 0
        var prepared = PreparedWrites()
        var batch = Batch.empty
        var outstanding = Outstanding.none
        /// The application's indications that wait for the confirmation of an earlier one.
        var indications: Deque<Value> = []
        /// The range of a Service Changed indication that waits for the confirmation of an earlier one.
        var changedRange: AttributeHandleRange?
        /// Values that wait until the local client has the answer to its MTU request.
        var deferred: Deque<Value> = []
        /// The key with which the client signs commands; `nil` where it has distributed none.
        var signingKey: PeerSigningKey?

        /// Whether the client takes Database Out Of Sync errors and does not know of the last change.
        var isOutOfSync: Bool { self.awareness != .aware && self.features.contains(.robustCaching) }

        /// The index of a subscription; else where it belongs.
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

        /// The name of the next request to the application: the link above, the count below.
        mutating func nextRequestID(on link: LinkID) -> GATTRequestID {
            self.sequence &+= 1
            return GATTRequestID(link: link, sequence: self.sequence)
        }
    }
}
