// Room in front of a PDU for the headers of the layers below, so that a packet is written once: ATT writes its octets,
// L2CAP and HCI then put their headers before them without moving a byte.

public import NIOCore

/// How outgoing PDUs are laid out.
public enum PDUBuffer {
    /// The octets in front: H4 type (1), ACL data header (4), L2CAP basic header (4).
    public static let headroom = 9
    /// The octets in front of a value that is sent in an ATT PDU of its own: those, the opcode (1), the handle (2).
    public static let valueHeadroom = 12

    /// A buffer with an empty readable part behind the headroom, and room for `capacity` octets.
    ///
    /// A value that is passed to ``LEHost`` with ``valueHeadroom`` in front, and with no other owner, is not copied.
    @inlinable
    public static func make(capacity: Int, headroom: Int = Self.headroom) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: headroom + capacity)
        bytes.moveWriterIndex(to: headroom)
        bytes.moveReaderIndex(to: headroom)
        return bytes
    }
}
