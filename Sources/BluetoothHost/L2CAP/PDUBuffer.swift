// Room in front of a PDU for the headers of the layers below, so that a packet is written once: ATT writes its octets,
// L2CAP and HCI then put their headers before them without moving a byte.

public import NIOCore

/// How outgoing PDUs are laid out.
public enum PDUBuffer {
    /// The octets in front: H4 type (1), ACL data header (4), L2CAP basic header (4).
    public static let headroom = 9

    /// A buffer with an empty readable part behind the headroom, and room for `capacity` octets.
    @inlinable
    public static func make(capacity: Int) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: self.headroom + capacity)
        bytes.moveWriterIndex(to: self.headroom)
        bytes.moveReaderIndex(to: self.headroom)
        return bytes
    }
}
