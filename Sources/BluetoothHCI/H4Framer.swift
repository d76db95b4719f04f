// Cuts a stream of octets into HCI packets by the H4 protocol (Vol 4, Part A). A stream brings packets joined and split
// in any way. Packets are slices of what came; only one that was split is copied together.
//
// An unknown type octet, or a length beyond the limit, means that sender and receiver are out of step. From then on no
// octet can be trusted until a reset: octets are discarded up to a Reset command (read from a host) or the Command
// Complete event of one (read from a controller), as Vol 4, Part A, 4 describes it for a serial line. The owner of a
// connection that can be closed should close it instead.

public import NIOCore

/// Why a stream of H4 octets could not be cut into packets.
public enum H4FramingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A packet began with an octet that is no packet type.
    case unknownPacketType(UInt8)
    /// A packet announced more octets of data than the framer takes.
    case tooLong(HCIPacket.Kind, length: Int)

    /// One line for a person.
    public var description: String {
        switch self {
        case .unknownPacketType(let octet): "\(hexadecimal(octet)) is not a packet type of HCI"
        case .tooLong(_, let length): "an HCI packet announces \(length) octets of data"
        }
    }
}

/// Cuts a stream of H4 octets into packets; it does no input or output itself.
public struct H4Framer: Sendable {
    /// Who sends the stream.
    public enum Sender: Hashable, Sendable {
        /// A host: commands and data.
        case host
        /// A controller: events and data.
        case controller
    }

    /// Who sends the stream.
    public let sender: Sender
    /// The longest data of an ACL or isochronous packet, in octets behind its header.
    public let maximumDataLength: Int
    /// Whether synchronization is lost, and octets are discarded up to a reset.
    public private(set) var isResynchronizing: Bool

    /// Whether what chips on a serial line say beside H4 is skipped.
    private let skipsVendorOctets: Bool
    private var rest = ByteBuffer()
    // Whether `rest` is this framer's own memory, which no packet shares, so that it can grow in place.
    private var ownsRest = false

    /// Creates a framer.
    ///
    /// - Parameters:
    ///   - sender: Which side sends the stream: it decides which packets may come.
    ///   - maximumDataLength: The longest ACL data packet that is taken, in octets of data.
    ///   - isInStep: Whether the stream begins with a packet. Where it may begin with anything, as on a serial line,
    ///   all
    ///     is discarded up to a reset.
    ///   - skipsVendorOctets: Whether what chips on a serial line say between packets is skipped: the sleep protocols of
    ///     Texas Instruments (HCILL, 0x30 to 0x33) and Qualcomm (IBS, 0xFC to 0xFE), and Broadcom's diagnostics (0x07 and
    ///     63 octets).
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

    /// The octets that wait for the rest of their packet.
    public var pendingOctetCount: Int { self.rest.readableBytes }

    /// Takes octets as they come.
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

    /// The next whole packet; `nil` until more octets come.
    ///
    /// - Throws: an error, once, where the place in the stream was lost. Asking again looks for a reset.
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

    /// The kind of the packet at the beginning of the rest, and the count of its octets, as soon as its header is
    /// there.
    private func packetOctetCount() throws(H4FramingError) -> (HCIPacket.Kind, Int)? {
        guard let (kind, headerOctetCount, length) = self.rest.withUnsafeReadableBytes(Self.header) else { return nil }
        guard headerOctetCount > 0 else { throw .unknownPacketType(kind.rawValue) }
        guard let length else { return nil }
        // The length of data has two octets, and is limited; others have one.
        guard length <= self.maximumDataLength || headerOctetCount < 5 else { throw .tooLong(kind, length: length) }
        return (kind, headerOctetCount + length)
    }

    /// What the header at the beginning of `octets` says: the kind of its packet, how many octets a header of that kind
    /// has, none where there is no such kind, and the octets behind it; `nil` for what is not there yet.
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

    /// Skips what is no packet; `false` if more of it is to come.
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

    /// Discards octets up to a reset, or all but the last few that could be its beginning.
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
