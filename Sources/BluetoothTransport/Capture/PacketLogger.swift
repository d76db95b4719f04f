// The capture format of Apple's PacketLogger (`.pklg`), as far as it is known from its files: there is no header, and
// each record is a length, the time in seconds and microseconds since 1970, an octet with its kind, and its content.
// The length counts what follows it. Numbers are in network order in older files, otherwise in little-endian order; no
// length reaches 65,536, so the first four octets show which.

import BluetoothTypes
import NIOCore

/// Parses a file of Apple's PacketLogger, record by record.
///
/// Skips records that are not HCI packets, such as notes and log lines of the system.
struct PacketLoggerReader: CaptureFormatReader {
    /// The kinds of records that are HCI packets.
    private static let kinds: [UInt8: CapturedKind] = [
        0x00: .command, 0x01: .event, 0x02: .sentACLData, 0x03: .receivedACLData,
    ]
    /// Other kinds: voice, link manager, log lines.
    private static let otherKinds: Set<UInt8> = [
        0x08, 0x09, 0x0A, 0x0B, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE,
    ]
    /// The size of the time, which the length includes.
    private static let timeLength = 8
    private static let longest = 65_535

    var bytes: ByteBuffer
    private let endianness: Endianness

    /// Parses the header of a file.
    ///
    /// - Throws: `MalformedBytes` if its first record does not fit.
    init(_ bytes: ByteBuffer) throws(MalformedBytes) {
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

    /// Whether the octets may be a file of this format.
    static func isBeginning(_ bytes: ByteBuffer) -> Bool {
        guard let length: UInt32 = bytes.getInteger(at: bytes.readerIndex) else { return true }
        return [length, length.byteSwapped].contains { $0 >= Self.timeLength && $0 <= Self.longest }
    }

    /// The number of octets that `init` checks.
    static let beginningLength = 13

    /// The length of the content, and the time.
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
    mutating func next() throws(MalformedBytes) -> BTSnoop.Record? {
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
