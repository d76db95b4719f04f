// The common capture format of Bluetooth tools: a file of HCI packets with direction and time, which Wireshark, tshark
// and btmon open. Version 1 with data link type 1002: each packet begins with its H4 type octet. All numbers are in
// network order. The format extends the snoop format of RFC 1761; times count microseconds from the year 0.

public import BluetoothHCI
public import BluetoothTypes
public import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Constants of the format, and one captured packet.
public enum BTSnoop {
    /// The direction of a packet.
    public enum Direction: Hashable, Sendable {
        /// From the host to the controller.
        case toController
        /// From the controller to the host.
        case toHost
    }

    /// A time of day, to the microsecond.
    package struct Timestamp: Hashable, Comparable, Sendable {
        /// UTC; negative before 1970.
        package var microsecondsSince1970: Int64

        package init(microsecondsSince1970: Int64) { self.microsecondsSince1970 = microsecondsSince1970 }

        /// The current time.
        package static func now() -> Timestamp {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Timestamp(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
        }

        package static func < (left: Timestamp, right: Timestamp) -> Bool {
            left.microsecondsSince1970 < right.microsecondsSince1970
        }
    }

    /// A captured packet.
    public struct Record: Hashable, Sendable {
        public var packet: HCIPacket
        public var direction: Direction
        package var time: Timestamp
        /// The total number of packets lost before this one.
        package var drops: UInt32
        /// The number of octets cut off at the end of the packet.
        package var missingOctetCount = 0

        package init(packet: HCIPacket, direction: Direction, time: Timestamp, drops: UInt32 = 0) {
            (self.packet, self.direction, self.time, self.drops) = (packet, direction, time, drops)
        }
    }

    static let magic: StaticString = "btsnoop\0"
    static let version: UInt32 = 1
    static let h4DataLink: UInt32 = 1002
    /// Microseconds from the format's epoch to the beginning of 1970.
    ///
    /// The beginning of 2000 is 0x00E03AB44A676000 in the format, and 946,684,800 seconds after that of 1970.
    static let epoch: Int64 = 0x00E0_3AB4_4A67_6000 - 946_684_800_000_000

    /// Flag: the packet went to the host.
    static let toHostFlag: UInt32 = 0x01
    /// Flag: the packet is a command or an event, not data.
    static let commandOrEventFlag: UInt32 = 0x02

    /// A record of either data link type.
    struct Entry {
        var flags: UInt32
        var drops: UInt32
        var time: Timestamp
        var missingOctetCount: Int
        var content: ByteBuffer
    }

    /// The longest HCI packet has about 64 KiB; a greater length means that a record is damaged.
    private static let longestRecord = 1 << 20

    /// Reads a record; `nil` at the end.
    static func readEntry(_ bytes: inout ByteBuffer) throws(MalformedBytes) -> Entry? {
        guard bytes.readableBytes > 0 else { return nil }
        var rest = bytes
        guard
            let (original, included, flags, drops, time) = rest.readMultipleIntegers(
                as: (UInt32, UInt32, UInt32, UInt32, Int64).self
            )
        else { throw MalformedBytes(.truncated, "Packet Record") }
        guard included <= original, included <= Self.longestRecord else {
            throw MalformedBytes(.invalid, "Included Length")
        }
        let content = try rest.readOctets(Int(included), "Packet Data")
        bytes = rest
        return Entry(
            flags: flags,
            drops: drops,
            time: Timestamp(microsecondsSince1970: time &- Self.epoch),
            missingOctetCount: Int(original - included),
            content: content
        )
    }
}

/// Encodes records of the capture format.
public enum BTSnoopWriter {
    package static func writeFileHeader(into bytes: inout ByteBuffer) {
        bytes.writeStaticString(BTSnoop.magic)
        bytes.writeMultipleIntegers(BTSnoop.version, BTSnoop.h4DataLink)
    }

    package static func write(
        _ packet: HCIPacket,
        _ direction: BTSnoop.Direction,
        at time: BTSnoop.Timestamp,
        drops: UInt32 = 0,
        into bytes: inout ByteBuffer
    ) {
        let length = UInt32(truncatingIfNeeded: packet.bytes.readableBytes)
        var flags: UInt32 = direction == .toHost ? BTSnoop.toHostFlag : 0
        if packet.kind == .command || packet.kind == .event { flags |= BTSnoop.commandOrEventFlag }
        bytes.writeMultipleIntegers(length, length, flags, drops, time.microsecondsSince1970 &+ BTSnoop.epoch)
        bytes.writeImmutableBuffer(packet.bytes)
    }
}

/// Parses a file of the capture format, record by record.
public struct BTSnoopReader: CaptureFormatReader {
    var bytes: ByteBuffer

    /// Parses the header of a file.
    ///
    /// - Throws: `MalformedBytes` unless it is a file of version 1 with H4 packets.
    public init(_ bytes: ByteBuffer) throws(MalformedBytes) {
        self.bytes = bytes
        try self.readHeader()
    }

    private mutating func readHeader() throws(MalformedBytes) {
        var rest = self.bytes
        let magic = try rest.readOctets(8, "Identification Pattern")
        guard magic.readableBytesView.elementsEqual(BTSnoop.magic.octets) else {
            throw MalformedBytes(.invalid, "Identification Pattern")
        }
        guard let (version, dataLink) = rest.readMultipleIntegers(as: (UInt32, UInt32).self) else {
            throw MalformedBytes(.truncated, "Version Number")
        }
        guard version == BTSnoop.version else { throw MalformedBytes(.invalid, "Version Number") }
        guard dataLink == BTSnoop.h4DataLink else { throw MalformedBytes(.invalid, "Datalink Type") }
        self.bytes = rest
    }

    /// The next record; `nil` at the end.
    ///
    /// - Throws: `MalformedBytes`. A file whose writer was killed may end inside a record, which reads as `truncated`;
    ///   from then on every call throws.
    public mutating func next() throws(MalformedBytes) -> BTSnoop.Record? {
        // A process writes a header for each of its adapters, even into the same pipe.
        while self.bytes.readableBytesView.starts(with: BTSnoop.magic.octets) { try self.readHeader() }
        var rest = self.bytes
        guard let entry = try BTSnoop.readEntry(&rest) else { return nil }
        guard entry.content.readableBytes > 0 else { throw MalformedBytes(.invalid, "Included Length") }
        self.bytes = rest
        var record = BTSnoop.Record(
            packet: HCIPacket(h4: entry.content),
            direction: entry.flags & BTSnoop.toHostFlag != 0 ? .toHost : .toController,
            time: entry.time,
            drops: entry.drops
        )
        record.missingOctetCount = entry.missingOctetCount
        return record
    }
}

extension ByteBuffer {
    /// Adds octets of a capture; octets that were read are released.
    mutating func appendCapture(_ octets: ByteBuffer) {
        if self.readableBytes == 0 {
            self = octets
        } else {
            self.discardReadBytes()
            self.writeImmutableBuffer(octets)
        }
    }
}

extension StaticString {
    var octets: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: self.utf8Start, count: self.utf8CodeUnitCount)
    }
}
