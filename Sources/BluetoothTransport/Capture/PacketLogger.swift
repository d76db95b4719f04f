// The capture format of Apple's PacketLogger (`.pklg`), as far as it is known from its files: there is no header, and
// each record is a length, the time in seconds and microseconds since 1970, one octet that says what it is, and its
// content. The length counts what comes behind it. Numbers are in network order in older files and in little-endian
// order in those of processors that have it; no length reaches 65,536, so the first four octets say which.

public import BluetoothTypes
public import NIOCore

/// Reads a file of Apple's PacketLogger, record by record.
///
/// Records that are no HCI packets, such as notes and log lines of the system, are passed over.
public struct PacketLoggerReader: Sendable {
    /// The octet that says what a record is, where it is an HCI packet.
    private static let kinds: [UInt8: CapturedKind] = [
        0x00: .command, 0x01: .event, 0x02: .sentACLData, 0x03: .receivedACLData,
    ]
    /// The octet where it is none: voice, the link manager, log lines.
    private static let otherKinds: Set<UInt8> = [
        0x08, 0x09, 0x0A, 0x0B, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE,
    ]
    /// The time's octets, which the length counts.
    private static let timeLength = 8
    private static let longest = 65_535

    private var bytes: ByteBuffer
    private let endianness: Endianness

    /// Checks the beginning of a file.
    ///
    /// - Throws: `MalformedBytes` where its first record is none of this format.
    public init(_ bytes: ByteBuffer) throws(MalformedBytes) {
        self.bytes = bytes
        guard let first: UInt32 = bytes.getInteger(at: bytes.readerIndex) else {
            throw MalformedBytes(.truncated, "Record Length")
        }
        self.endianness = first & 0xFFFF == 0 ? .little : .big
        var rest = bytes
        let header = try Self.header(&rest, self.endianness)
        guard header.microseconds < 1_000_000 else { throw MalformedBytes(.invalid, "Record Time") }
        if header.length > 0, let kind: UInt8 = rest.getInteger(at: rest.readerIndex) {
            guard Self.kinds[kind] != nil || Self.otherKinds.contains(kind) else {
                throw MalformedBytes(.invalid, "Record Type")
            }
        }
    }

    /// Whether a file may begin like one of this format.
    static func isBeginning(_ bytes: ByteBuffer) -> Bool {
        guard let length: UInt32 = bytes.getInteger(at: bytes.readerIndex) else { return true }
        return [length, length.byteSwapped].contains { $0 >= Self.timeLength && $0 <= Self.longest }
    }

    /// The octets of the longest beginning that is checked.
    static let beginningLength = 13

    /// The octets that wait for the rest of their record.
    var pendingOctetCount: Int { self.bytes.readableBytes }

    /// Takes what follows.
    mutating func append(_ octets: ByteBuffer) { self.bytes.appendCapture(octets) }

    /// The length of what follows the time, and the time.
    private static func header(
        _ bytes: inout ByteBuffer,
        _ endianness: Endianness
    ) throws(MalformedBytes) -> (length: Int, seconds: UInt32, microseconds: UInt32) {
        guard
            let (length, seconds, microseconds) = bytes.readMultipleIntegers(
                endianness: endianness,
                as: (UInt32, UInt32, UInt32).self
            )
        else { throw MalformedBytes(.truncated, "Record Header") }
        guard length >= Self.timeLength, length <= Self.longest else { throw MalformedBytes(.invalid, "Record Length") }
        return (Int(length) - Self.timeLength, seconds, microseconds)
    }

    /// The next HCI packet; `nil` at the end.
    ///
    /// - Throws: `MalformedBytes`. A file whose writer was killed may end inside a record, which reads as `truncated`;
    ///   from then on every call throws.
    public mutating func next() throws(MalformedBytes) -> BTSnoop.Record? {
        while self.bytes.readableBytes > 0 {
            var rest = self.bytes
            let header = try Self.header(&rest, self.endianness)
            var content = try rest.readOctets(header.length, "Record Content")
            self.bytes = rest
            guard let octet: UInt8 = content.readInteger(), let kind = Self.kinds[octet] else { continue }
            let microseconds = Int64(header.seconds) * 1_000_000 + Int64(header.microseconds)
            return kind.record(of: content, at: BTSnoop.Timestamp(microsecondsSince1970: microseconds))
        }
        return nil
    }
}
