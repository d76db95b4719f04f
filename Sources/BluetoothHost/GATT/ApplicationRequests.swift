// The GATT server's requests to the application, for values that it does not store itself. Each request is answered
// once, by its identifier; the client waits until then (Vol 3, Part F, 3.3.2).

public import NIOCore

/// The identifier of a request until it is answered.
public struct GATTRequestID: Hashable, Sendable {
    /// A number that the server never reuses.
    package var rawValue: UInt64

    /// Creates an identifier.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The link in the upper half, its counter in the lower half.
    init(link: LinkID, sequence: UInt32) { self.rawValue = UInt64(link.rawValue) << 32 | UInt64(sequence) }

    /// The link of the client.
    var link: LinkID { LinkID(rawValue: UInt32(truncatingIfNeeded: self.rawValue >> 32)) }

    /// The number of the request on its link.
    var sequence: UInt32 { UInt32(truncatingIfNeeded: self.rawValue) }
}

/// A client reads a characteristic without a static value.
public struct GATTReadRequest: Hashable, Sendable {
    /// The identifier for the answer.
    public var id: GATTRequestID
    /// The client's link.
    package var link: LinkID
    /// The characteristic's value handle.
    package var handle: AttributeHandle
    /// The offset of the answer; above zero for a long read.
    package var offset: Int

    /// Creates a request.
    package init(id: GATTRequestID, link: LinkID, handle: AttributeHandle, offset: Int) {
        self.id = id
        self.link = link
        self.handle = handle
        self.offset = offset
    }
}

/// A client writes one value, or executes several prepared writes: all of them or none.
public struct GATTWriteRequest: Hashable, Sendable {
    /// One value.
    public struct Part: Hashable, Sendable {
        /// The characteristic's value handle.
        package var handle: AttributeHandle
        /// The offset of the value.
        package var offset: Int
        /// The value.
        public var value: ByteBuffer

        /// Creates a part.
        package init(handle: AttributeHandle, offset: Int, value: ByteBuffer) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }
    }

    /// The identifier for the answer; `nil` for a Write Command, which has no answer.
    public var id: GATTRequestID?
    /// The client's link.
    package var link: LinkID
    /// The values, in order of arrival; adjoining prepared writes to one attribute are joined.
    public var parts: [Part]
    /// The total length of the values in octets.
    package var octetCount: Int { self.parts.reduce(0) { $0 + $1.value.readableBytes } }

    /// Creates a request.
    package init(id: GATTRequestID?, link: LinkID, parts: [Part]) {
        self.id = id
        self.link = link
        self.parts = parts
    }
}
