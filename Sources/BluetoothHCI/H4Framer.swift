// Splits a stream of octets into HCI packets by the H4 protocol (Vol 4, Part A). A stream may join and split packets in
// any way. Packets are slices of the received buffers; only a split packet is copied.
//
// An unknown type octet, or a length beyond the limit, means that synchronization is lost. From then on no octet can be
// trusted until a reset: octets are discarded up to a Reset command (read from a host) or the Command
// Complete event of one (read from a controller), as Vol 4, Part A, 4 describes it for a serial line. The owner of a
// connection that can be closed should close it instead.

public import NIOCore

/// Why a stream of H4 octets could not be split into packets.
public enum H4FramingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A packet began with an octet that is not a packet type.
    case unknownPacketType(UInt8)
    /// A packet's length exceeds the limit.
    case tooLong(HCIPacket.Kind, length: Int)

    /// One line for a person.
    public var description: String {
        switch self {
        case .unknownPacketType(let octet): "\(hexadecimal(octet)) is not a packet type of HCI"
        case .tooLong(_, let length): "an HCI packet announces \(length) octets of data"
        }
    }
}

/// Splits a stream of H4 octets into packets.
public struct H4Framer: Sendable {
    /// The sender of the stream.
    public enum Sender: Hashable, Sendable {
        /// A host: commands and data.
        case host
        /// A controller: events and data.
        case controller
    }

    /// The sender of the stream.
    package let sender: Sender
    /// The maximum payload of an ACL or isochronous packet, in octets.
    package let maximumDataLength: Int
    /// Whether synchronization is lost: octets are discarded up to a reset.
    package private(set) var isResynchronizing: Bool

    /// Whether vendor protocols between packets are skipped.
    private let skipsVendorOctets: Bool
    private var rest = ByteBuffer()
    // Whether `rest` is not shared with a packet, so that it can grow in place.
    private var ownsRest = false

    /// Creates a framer.
    ///
    /// - Parameters:
    ///   - sender: The sender of the stream, which decides how a reset looks.
    ///   - maximumDataLength: The maximum payload of an ACL data packet, in octets.
    ///   - isInStep: Whether the stream begins with a packet. If it may begin with anything, as on a serial line,
    ///     octets are discarded up to a reset.
    ///   - skipsVendorOctets: Whether vendor protocols of chips on a serial line are skipped between packets: the sleep
    ///     protocols of Texas Instruments (HCILL, 0x30 to 0x33) and Qualcomm (IBS, 0xFC to 0xFE), and Broadcom's
    ///     diagnostics (0x07 and 63 octets).
    public init(
        readingFrom sender: Sender,
        maximumDataLength: Int = 4096,
        isInStep: Bool = true,
        skipsVendorOctets: Bool = false
    ) {
        self.sender = sender
        self.skipsVendorOctets = skipsVendorOctets
        self.maximumDataLength = maximumDataLength
        self.isResynchronizing = !isInStep
    }

    /// The number of octets of an incomplete packet.
    package var pendingOctetCount: Int { self.rest.readableBytes }

    /// Adds received octets.
    public mutating func append(_ bytes: ByteBuffer) {
        guard self.rest.readableBytes > 0 else {
            self.rest = bytes
            self.ownsRest = false
            return
        }
        if !self.ownsRest {
            var joined = ByteBufferAllocator().buffer(capacity: self.rest.readableBytes + bytes.readableBytes)
            joined.writeImmutableBuffer(self.rest)
            self.rest = joined
            self.ownsRest = true
        }
        self.rest.writeImmutableBuffer(bytes)
    }

    /// The next packet; `nil` if it is incomplete.
    ///
    /// - Throws: once, if synchronization was lost. The next call looks for a reset.
    public mutating func next() throws(H4FramingError) -> HCIPacket? {
        if self.isResynchronizing {
            guard self.skipToReset() else { return nil }
            self.isResynchronizing = false
        }
        if self.skipsVendorOctets, !self.skipVendorOctets() { return nil }
        do {
            guard let (kind, count) = try self.packetOctetCount(), let bytes = self.rest.readSlice(length: count) else {
                return nil
            }
            self.ownsRest = false
            return HCIPacket(kind, h4: bytes)
        } catch {
            self.isResynchronizing = true
            throw error
        }
    }

    /// The kind and size of the next packet; `nil` if its header is incomplete.
    private func packetOctetCount() throws(H4FramingError) -> (HCIPacket.Kind, Int)? {
        guard let (kind, headerOctetCount, length) = self.rest.withUnsafeReadableBytes(Self.header) else { return nil }
        guard headerOctetCount > 0 else { throw .unknownPacketType(kind.rawValue) }
        guard let length else { return nil }
        // Data has a length of two octets, which is limited; other packets have one.
        guard length <= self.maximumDataLength || headerOctetCount < 5 else { throw .tooLong(kind, length: length) }
        return (kind, headerOctetCount + length)
    }

    /// Parses the header at the start of `octets`: the kind of packet, the size of its header, zero for an unknown
    /// kind, and the length of what follows. `nil` stands for what is incomplete.
    @inline(__always)
    private static func header(
        _ octets: UnsafeRawBufferPointer
    ) -> (kind: HCIPacket.Kind, octetCount: Int, length: Int?)? {
        guard let type = octets.first else { return nil }
        let kind = HCIPacket.Kind(rawValue: type)
        switch kind {
        case .aclData: return (kind, 5, octets.count > 4 ? Int(octets[3]) | Int(octets[4]) << 8 : nil)
        case .event: return (kind, 3, octets.count > 2 ? Int(octets[2]) : nil)
        case .command, .synchronousData: return (kind, 4, octets.count > 3 ? Int(octets[3]) : nil)
        // The length of isochronous data has 14 bits (Vol 4, Part E, 5.4.5).
        case .isochronousData: return (kind, 5, octets.count > 4 ? Int(octets[3]) | Int(octets[4] & 0x3F) << 8 : nil)
        default: return (kind, 0, nil)
        }
    }

    /// Skips vendor octets; `false` if more of them are to come.
    private mutating func skipVendorOctets() -> Bool {
        while let octet = self.rest.readableBytesView.first {
            switch octet {
            case 0x30...0x33, 0xFC...0xFE: self.rest.moveReaderIndex(forwardBy: 1)
            case 0x07:
                guard self.rest.readableBytes >= 64 else { return false }
                self.rest.moveReaderIndex(forwardBy: 64)
            default: return true
            }
        }
        return true
    }

    /// Discards octets up to a reset, except for a possible beginning of one.
    private mutating func skipToReset() -> Bool {
        // 01 03 0C 00, or 04 0E 04 with any number of command packets, then 03 0C.
        let pattern: [UInt8?] =
            switch self.sender {
            case .host: [0x01, 0x03, 0x0C, 0x00]
            case .controller: [0x04, 0x0E, 0x04, nil, 0x03, 0x0C]
            }
        let octets = self.rest.readableBytesView
        var place = octets.startIndex
        while place + pattern.count <= octets.endIndex {
            if zip(octets[place...], pattern).allSatisfy({ $1 == nil || $0 == $1 }) {
                self.rest.moveReaderIndex(to: place)
                return true
            }
            place += 1
        }
        self.rest.moveReaderIndex(to: place)
        return false
    }
}
