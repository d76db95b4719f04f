// ACL data packets (Vol 4, Part E, 5.4.2): two octets with the handle and two pairs of flags, two octets of length, and
// a fragment of an L2CAP PDU. They are the bulk of all traffic, so the header is read in place, and written into the
// space in front of the payload.

public import BluetoothTypes
public import NIOCore

/// The header of an ACL data packet.
public struct ACLDataHeader: Hashable, Sendable {
    /// The position of a fragment in its L2CAP PDU (`Packet_Boundary_Flag`).
    public enum Boundary: UInt8, Hashable, Sendable {
        /// The first fragment, from a host to a controller.
        case firstNonFlushable = 0b00
        /// A further fragment.
        case continuing = 0b01
        /// The first fragment, from a controller to a host.
        case firstFlushable = 0b10
        /// A complete PDU; not used on LE links.
        case complete = 0b11

        /// Whether an L2CAP PDU begins here.
        @inlinable
        package var isFirst: Bool { self != .continuing }
    }

    /// The size of an H4 type octet and an ACL data header.
    public static let octetCountWithType = 5

    public var handle: ConnectionHandle
    public var boundary: Boundary
    /// `Broadcast_Flag`; 0 on LE links.
    public var broadcast: UInt8
    /// The octets after the header.
    public var length: Int

    @inlinable
    public init(handle: ConnectionHandle, boundary: Boundary, broadcast: UInt8 = 0, length: Int) {
        (self.handle, self.boundary, self.broadcast, self.length) = (handle, boundary, broadcast, length)
    }

    /// Reads the header of an ACL data packet in place.
    ///
    /// - Throws: `MalformedBytes` if the packet is of another kind, or its length does not match.
    @inlinable
    public init(_ packet: HCIPacket) throws(MalformedBytes) {
        let start = packet.bytes.readerIndex
        guard packet.kind == .aclData else { throw MalformedBytes(.invalid, "Packet type") }
        guard let word: UInt32 = packet.bytes.getInteger(at: start + 1, endianness: .little) else {
            throw MalformedBytes(.truncated, "ACL data header")
        }
        self.init(word: word)
        let available = packet.bytes.readableBytes - Self.octetCountWithType
        guard self.length <= available else { throw MalformedBytes(.truncated, "ACL data") }
        guard self.length == available else { throw MalformedBytes(.trailingBytes, "ACL data") }
    }

    /// A header from its octets as a little-endian word.
    @inlinable
    package init(word: UInt32) {
        self.handle = ConnectionHandle(rawValue: UInt16(truncatingIfNeeded: word))
        switch word >> 12 & 0b11 {
        case 0b00: self.boundary = .firstNonFlushable
        case 0b01: self.boundary = .continuing
        case 0b10: self.boundary = .firstFlushable
        default: self.boundary = .complete
        }
        self.broadcast = UInt8(truncatingIfNeeded: word >> 14 & 0b11)
        self.length = Int(word >> 16)
    }

    @inlinable
    var word: UInt32 {
        UInt32(self.handle.rawValue) | UInt32(self.boundary.rawValue) << 12 | UInt32(self.broadcast & 0b11) << 14
            | UInt32(truncatingIfNeeded: self.length) << 16
    }

    /// The H4 type octet and the header as a little-endian word.
    @inlinable
    package var octetsWithType: UInt64 { UInt64(HCIPacket.Kind.aclData.rawValue) | UInt64(self.word) << 8 }

    /// Appends the H4 type octet and the header to `bytes`.
    @inlinable
    package func encodeWithType(into bytes: inout ByteBuffer) {
        bytes.moveWriterIndex(forwardBy: bytes.setBytes(of: self, at: bytes.writerIndex))
    }
}

extension HCIPacket {
    /// The header and the fragment of an ACL data packet; the fragment shares the packet's storage.
    @inlinable
    public func aclData() throws(MalformedBytes) -> (header: ACLDataHeader, fragment: ByteBuffer) {
        let header = try ACLDataHeader(self)
        var fragment = self.bytes
        fragment.moveReaderIndex(forwardBy: ACLDataHeader.octetCountWithType)
        return (header, fragment)
    }

    /// An ACL data packet with a copy of `fragment`.
    @inlinable
    package static func aclData(
        handle: ConnectionHandle,
        boundary: ACLDataHeader.Boundary,
        fragment: ByteBuffer,
        allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) -> HCIPacket {
        let length = fragment.readableBytes
        var bytes = allocator.buffer(capacity: ACLDataHeader.octetCountWithType + length)
        ACLDataHeader(handle: handle, boundary: boundary, length: length).encodeWithType(into: &bytes)
        bytes.writeImmutableBuffer(fragment)
        return HCIPacket(h4: bytes)
    }
}

extension ByteBuffer {
    /// Sets an H4 type octet and an ACL data header.
    @inlinable
    @discardableResult
    mutating func setBytes(of header: ACLDataHeader, at index: Int) -> Int {
        self.setOctets(header.octetsWithType, count: ACLDataHeader.octetCountWithType, at: index)
    }

    /// Puts an H4 type octet and an ACL data header in front of the readable octets, where space must be reserved.
    ///
    /// - Parameter length: The length of the fragment; `nil` for all readable octets.
    @inlinable
    package mutating func prependACLDataHeader(
        handle: ConnectionHandle,
        boundary: ACLDataHeader.Boundary,
        length: Int? = nil
    ) {
        let start = self.readerIndex - ACLDataHeader.octetCountWithType
        precondition(start >= 0, "an ACL data header needs five octets of space")
        let header = ACLDataHeader(handle: handle, boundary: boundary, length: length ?? self.readableBytes)
        precondition(header.length <= 0xFFFF, "an ACL data packet has at most 65,535 octets")
        self.setBytes(of: header, at: start)
        self.moveReaderIndex(to: start)
    }
}
