// How an event is declared: one type per event that knows its code and its parameters in wire order. From the
// declaration come the packet that a virtual controller sends and the parser that a host uses (Vol 4, Part E, 5.4.4).

public import NIOCore

/// The parameters of an event.
public protocol HCIEventPayload: HCIParameters {
    /// The event's number.
    static var code: HCIEventCode { get }
    /// The number inside the LE Meta event; `nil` for other events.
    static var leSubevent: LESubeventCode? { get }
    /// The event's name in the specification, without `HCI_` and with spaces: `LE PHY Update Complete`.
    static var name: String { get }
}

/// The parameters of an LE subevent (7.7.65).
public protocol LEEventPayload: HCIEventPayload {
    /// The subevent's number.
    static var subevent: LESubeventCode { get }
}

extension LEEventPayload {
    /// The LE Meta event.
    public static var code: HCIEventCode { .leMeta }
    /// The subevent's number.
    public static var leSubevent: LESubeventCode? { self.subevent }
}

extension HCIEventPayload {
    /// No LE subevent.
    public static var leSubevent: LESubeventCode? { nil }

    /// The whole packet, H4 type octet first.
    public func packet(allocator: ByteBufferAllocator = ByteBufferAllocator()) -> HCIPacket {
        HCIPacket.event(Self.code, Self.leSubevent, allocator: allocator) { self.encode(into: &$0) }
    }
}

extension HCIPacket {
    /// An event packet whose parameters `write` writes.
    @inlinable
    static func event(
        _ code: HCIEventCode,
        _ subevent: LESubeventCode?,
        capacity: Int = 64,
        allocator: ByteBufferAllocator,
        _ write: (inout ByteBuffer) -> Void
    ) -> HCIPacket {
        var bytes = allocator.buffer(capacity: capacity)
        // Type, code, a length to be set below, and the subevent, least significant octet first.
        let head = UInt32(HCIPacket.Kind.event.rawValue) | UInt32(code.rawValue) << 8
        bytes.writeInteger(head | UInt32(subevent?.rawValue ?? 0) << 24, endianness: .little)
        if subevent == nil { bytes.moveWriterIndex(to: bytes.writerIndex - 1) }
        write(&bytes)
        let length = bytes.readableBytes - 3
        precondition(length <= 255, "the parameters of an HCI event have at most 255 octets")
        bytes.setInteger(UInt8(length), at: bytes.readerIndex + 2)
        return HCIPacket(h4: bytes)
    }
}
