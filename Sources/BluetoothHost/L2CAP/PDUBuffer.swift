// Room in front of a PDU for the headers of the layers below, so that a packet is written once: ATT writes its octets,
// L2CAP and HCI then put their headers in front without moving them.

package import NIOCore

/// The layout of outgoing PDUs.
package enum PDUBuffer {
    /// The headroom in octets: H4 type (1), ACL data header (4), L2CAP basic header (4).
    package static let headroom = 9
    /// The headroom of a value that is sent in its own ATT PDU: the same, plus the opcode (1) and the handle (2).
    package static let valueHeadroom = 12

    /// An empty buffer with headroom and a capacity of `capacity` octets.
    ///
    /// A value that is passed to ``LEHost`` with ``valueHeadroom``, and without another owner, is not copied.
    @inlinable
    package static func make(capacity: Int, headroom: Int = Self.headroom) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: headroom + capacity)
        bytes.moveWriterIndex(to: headroom)
        bytes.moveReaderIndex(to: headroom)
        return bytes
    }
}
