// Declarations of events: a type per event with its code and its parameters in wire order. The packet that a virtual
// controller sends and the parser of a host are derived from it (Vol 4, Part E, 5.4.4).

public import NIOCore

/// The parameters of an event.
package protocol HCIEventPayload: HCIParameters {
    static var code: HCIEventCode { get }
    /// The subevent code; `nil` for other events than LE Meta.
    static var leSubevent: LESubeventCode? { get }
    /// The event's name in the specification, without `HCI_` and with spaces: `LE PHY Update Complete`.
    static var name: String { get }
}

/// The parameters of an LE subevent (7.7.65).
package protocol LEEventPayload: HCIEventPayload {
    static var subevent: LESubeventCode { get }
}

extension LEEventPayload {
    package static var code: HCIEventCode { .leMeta }
    package static var leSubevent: LESubeventCode? { self.subevent }
}

extension HCIEventPayload {
    package static var leSubevent: LESubeventCode? { nil }

    /// The whole packet, H4 type octet first.
    package func packet(allocator: ByteBufferAllocator = ByteBufferAllocator()) -> HCIPacket {
        HCIPacket.event(Self.code, Self.leSubevent, allocator: allocator) { self.encode(into: &$0) }
    }
}

extension HCIPacket {
    /// An event packet; `write` adds the parameters.
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
