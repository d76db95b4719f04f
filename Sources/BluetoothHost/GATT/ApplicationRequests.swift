// What the GATT server asks of the application: values that it does not hold itself. Each request is answered once,
// through its identifier; the client waits until then (Vol 3, Part F, 3.3.2).

public import NIOCore

/// Names a request until it is answered.
public struct GATTRequestID: Hashable, Sendable {
    /// A number that the server never gives twice.
    public var rawValue: UInt64

    /// An identifier from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The link above, the link's count below.
    init(link: LinkID, sequence: UInt32) { self.rawValue = UInt64(link.rawValue) << 32 | UInt64(sequence) }

    /// The link of the client that asked.
    var link: LinkID { LinkID(rawValue: UInt32(truncatingIfNeeded: self.rawValue >> 32)) }

    /// The number of the request on its link.
    var sequence: UInt32 { UInt32(truncatingIfNeeded: self.rawValue) }
}

/// A client reads a characteristic without a static value.
public struct GATTReadRequest: Hashable, Sendable {
    /// What to answer to.
    public var id: GATTRequestID
    /// The client's link.
    public var link: LinkID
    /// The characteristic's value handle.
    public var handle: AttributeHandle
    /// The octet at which the answer starts; above zero for a long read.
    public var offset: Int

    /// Creates a request.
    public init(id: GATTRequestID, link: LinkID, handle: AttributeHandle, offset: Int) {
        self.id = id
        self.link = link
        self.handle = handle
        self.offset = offset
    }
}

/// A client writes one value, or executes several prepared writes at once: all of them or none.
public struct GATTWriteRequest: Hashable, Sendable {
    /// One value.
    public struct Part: Hashable, Sendable {
        /// The characteristic's value handle.
        public var handle: AttributeHandle
        /// The octet at which the value goes.
        public var offset: Int
        /// The octets.
        public var value: ByteBuffer

        /// Creates a part.
        public init(handle: AttributeHandle, offset: Int, value: ByteBuffer) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }
    }

    /// What to answer to; `nil` for a Write Command, which has no answer.
    public var id: GATTRequestID?
    /// The client's link.
    public var link: LinkID
    /// The values, in the order in which they came; adjoining prepared writes to one attribute are joined.
    public var parts: [Part]
    /// How many octets the values have together.
    package var octetCount: Int { self.parts.reduce(0) { $0 + $1.value.readableBytes } }

    /// Creates a request.
    public init(id: GATTRequestID?, link: LinkID, parts: [Part]) {
        self.id = id
        self.link = link
        self.parts = parts
    }
}
