// Captures of Apple's PacketLogger, octet by octet, and which of the formats a file has.

import BluetoothHCI
import BluetoothTransport
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("CaptureReader and PacketLoggerReader")
struct CaptureReaderTests {
    /// A command, an event, data in both directions, and a note in between.
    private static let bigEndian = """
        0000000C 6553F100 00000001 00 03 0C 00
        0000000D 6553F100 000F423F FC 4E 6F 74 65
        0000000F 6553F101 00000002 01 0E 04 01 03 0C 00
        0000000E 6553F101 00000003 02 40 00 01 00 AA
        0000000E 6553F101 00000004 03 40 20 01 00 BB
        """
    private static let littleEndian = """
        0C000000 00F15365 01000000 00 03 0C 00
        0F000000 01F15365 02000000 01 0E 04 01 03 0C 00
        """

    private static func octets(_ text: String) -> ByteBuffer {
        let digits = text.filter { !$0.isWhitespace }
        var bytes = ByteBuffer()
        var rest = digits[...]
        while let octet = UInt8(rest.prefix(2), radix: 16) {
            bytes.writeInteger(octet)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    @Test("Records become packets with direction and time, and others are passed over")
    func bigEndian() throws {
        let records = try CaptureReader.records(of: Self.octets(Self.bigEndian))
        #expect(records.map(\.packet.kind) == [.command, .event, .aclData, .aclData])
        #expect(records.map(\.direction) == [.toController, .toHost, .toController, .toHost])
        #expect(
            records.map(\.time.microsecondsSince1970) == [
                1_700_000_000_000_001, 1_700_000_001_000_002, 1_700_000_001_000_003, 1_700_000_001_000_004,
            ]
        )
        #expect(records[1].packet.bytes == Self.octets("04 0E 04 01 03 0C 00"))
        #expect(records[2].packet.bytes == Self.octets("02 40 00 01 00 AA"))
    }

    @Test("The first octets say in which order numbers are")
    func littleEndian() throws {
        let records = try CaptureReader.records(of: Self.octets(Self.littleEndian))
        #expect(records.map(\.packet.kind) == [.command, .event])
        #expect(records[0].time.microsecondsSince1970 == 1_700_000_000_000_001)
    }

    @Test("Of a file of Linux's monitor, the packets of the adapter with data are read")
    func linuxMonitor() throws {
        let time = "00E03AB44A676001"
        let records = try CaptureReader.records(
            of: Self.octets(
                """
                6274736E6F6F7000 00000001 000007D1
                00000003 00000003 00000002 00000000 \(time) 03 0C 00
                00000010 00000010 00010000 00000000 \(time) 00000000000000000000000000000000
                00000003 00000003 00010002 00000000 \(time) 01 0C 00
                00000006 00000006 00010003 00000000 \(time) 0E 04 01 01 0C 00
                00000005 00000005 00010004 00000000 \(time) 40 00 01 00 AA
                00000005 00000005 00010005 00000000 \(time) 40 20 01 00 BB
                """
            )
        )
        #expect(records.map(\.packet.kind) == [.command, .event, .aclData, .aclData])
        #expect(records.map(\.direction) == [.toController, .toHost, .toController, .toHost])
        #expect(records[0].packet.bytes == Self.octets("01 01 0C 00"))
        #expect(records[0].time.microsecondsSince1970 == 946_684_800_000_001)
    }

    @Test("A file that ends inside a record, or has an impossible length, says where", arguments: [true, false])
    func broken(isCut: Bool) throws {
        var bytes = Self.octets(Self.bigEndian)
        if isCut {
            bytes = try #require(bytes.getSlice(at: 0, length: bytes.readableBytes - 2))
        } else {
            bytes.setInteger(UInt32(0x7FFF_FFFF), at: 16)
        }
        let error = #expect(throws: CaptureError.self) { try CaptureReader.records(of: bytes) }
        #expect(
            error?.description
                == (isCut
                    ? "the capture ends inside a record, behind 3 packets"
                    : "the capture is damaged behind 1 packets: Record Length: the value is not allowed")
        )
    }

    @Test("A first record is of a kind that PacketLogger writes; of no other file are its octets taken")
    func kinds() throws {
        let known = Set<UInt8>([0, 1, 2, 3, 8, 9, 0x0A, 0x0B] + (0xF7...0xFE))
        for kind in UInt8.min...UInt8.max {
            for length in ["0000000A", "0A000000"] {
                var bytes = Self.octets(length + "00000000 00000000")
                bytes.writeBytes([kind, 0])
                let isRead = (try? PacketLoggerReader(bytes)) != nil
                #expect(isRead == known.contains(kind), "\(kind)")
            }
        }
        // A record of nothing has no kind, and what follows it is not looked at.
        #expect((try? PacketLoggerReader(Self.octets("00000008 00000000 00000000"))) != nil)
        #expect((try? PacketLoggerReader(Self.octets("00000008 00000000 00000000 0000000A"))) != nil)
    }

    @Test("A record counts its time and 65,535 octets at most, and no second has more than a million microseconds")
    func limits() throws {
        func isRead(_ length: String, microseconds: String = "00000000") -> Bool {
            (try? PacketLoggerReader(Self.octets(length + "00000000" + microseconds + "00"))) != nil
        }
        #expect(isRead("00000008") && !isRead("00000007"))
        #expect(isRead("0000FFFF") && !isRead("00010001"))
        #expect(isRead("08000000") && !isRead("07000000") && isRead("FFFF0000"))
        #expect(!isRead("00000000"))
        #expect(isRead("00000009", microseconds: "000F423F") && !isRead("00000009", microseconds: "000F4240"))
        #expect((try? PacketLoggerReader(Self.octets("000000"))) == nil)
        #expect((try? PacketLoggerReader(Self.octets("00000009 00000000 000000"))) == nil)
    }

    @Test("Random octets are refused or read, and never trap")
    func random() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            var bytes = Self.octets(Bool.random(using: &generator) ? Self.bigEndian : Self.littleEndian)
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                bytes.setInteger(
                    UInt8.random(in: 0...255, using: &generator),
                    at: Int.random(in: 0..<bytes.readableBytes, using: &generator)
                )
            }
            _ = try? CaptureReader.records(of: bytes)
        }
    }
}
