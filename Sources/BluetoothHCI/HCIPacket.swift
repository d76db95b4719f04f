// One HCI packet with its H4 type octet in front (Vol 4, Part A, 2). The same octets travel over a socket, into a
// capture file and between a host and a virtual controller in one process, so a packet is written once and parsed in
// place.

public import NIOCore

/// An HCI packet: the H4 type octet and what follows it.
public struct HCIPacket: Hashable, Sendable {
    /// The H4 packet type (Vol 4, Part A, 2).
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public var rawValue: UInt8
        @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A command from the host.
        package static let command = Kind(rawValue: 0x01)
        /// Data of an asynchronous connection, in both directions.
        public static let aclData = Kind(rawValue: 0x02)
        /// Voice data, unused in Bluetooth LE.
        package static let synchronousData = Kind(rawValue: 0x03)
        /// An event from the controller.
        public static let event = Kind(rawValue: 0x04)
        package static let isochronousData = Kind(rawValue: 0x05)
    }

    /// Type 0, which is not used, if the buffer is empty.
    public let kind: Kind
    /// All octets, the type octet first.
    public var bytes: ByteBuffer

    /// Wraps complete H4 octets; `bytes` holds at least the type octet.
    @inlinable
    public init(h4 bytes: ByteBuffer) {
        self.init(Kind(rawValue: bytes.getInteger(at: bytes.readerIndex) ?? 0), h4: bytes)
    }

    /// Wraps complete H4 octets whose type is already known.
    @inlinable
    public init(_ kind: Kind, h4 bytes: ByteBuffer) {
        (self.kind, self.bytes) = (kind, bytes)
    }

    /// The octets after the type octet; shares storage.
    @inlinable
    package var payload: ByteBuffer {
        var copy = self.bytes
        copy.moveReaderIndex(forwardBy: min(1, copy.readableBytes))
        return copy
    }
}

extension HCIPacket {
    /// Whether the packet is an advertising report, legacy or extended (Vol 4, Part E, 7.7.65.2 and 7.7.65.13).
    package var isAdvertisingReport: Bool {
        let start = self.bytes.readerIndex
        guard self.bytes.getInteger(at: start, as: UInt16.self) == 0x043E,
            let subevent: UInt8 = self.bytes.getInteger(at: start + 3)
        else { return false }
        return subevent == 0x02 || subevent == 0x0D
    }
}
