// Captures of btsnoop, of the Linux monitor and of PacketLogger.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("CaptureReader and PacketLoggerReader")
struct CaptureReaderTests {
    /// A command, an event, data in both directions, and a note among them.
    private static let bigEndian = """
        0000000C 6553F100 00000001 00 03 0C 00
        0000000D 6553F100 000F423F FC 4E 6F 74 65
        0000000F 6553F101 00000002 01 0E 04 01 03 0C 00
        0000000E 6553F101 00000003 02 40 00 01 00 AA
        0000000E 6553F101 00000004 03 40 20 01 00 BB
        """

    private static func octets(_ text: String) -> ByteBuffer { ByteBuffer(hex: text) }

    @Test("skips records that are not packets")
    func notes() throws {
        let records = try CaptureReader.content(of: Self.octets(Self.bigEndian)).records
        #expect(records.map(\.packet.kind) == [.command, .event, .aclData, .aclData])
        #expect(
            records.map(\.time.microsecondsSince1970) == [
                1_700_000_000_000_001, 1_700_000_001_000_002, 1_700_000_001_000_003, 1_700_000_001_000_004,
            ]
        )
        // After an empty first record comes the length of the next one, which is not a kind.
        let empty = Self.octets("08000000 00F15365 01000000 0C000000 00F15365 02000000 00 03 0C 00")
        #expect(try CaptureReader.content(of: empty).records.map(\.packet) == [HCIPacket([0x01, 0x03, 0x0C, 0x00])])
    }

    /// A record of Linux's monitor for an adapter.
    private static func record(_ adapter: UInt16, _ kind: UInt16, _ content: String, drops: UInt32 = 0) -> ByteBuffer {
        let content = Self.octets(content)
        var bytes = ByteBuffer()
        let length = UInt32(content.readableBytes)
        bytes.writeMultipleIntegers(length, length, adapter, kind, drops, Int64(0x00E0_3AB4_4A67_6001))
        bytes.writeImmutableBuffer(content)
        return bytes
    }

    private static func monitor(_ records: ByteBuffer...) throws -> [BTSnoop.Record] {
        var bytes = Self.octets("6274736E6F6F7000 00000001 000007D1")
        for record in records { bytes.writeImmutableBuffer(record) }
        return try CaptureReader.content(of: bytes).records
    }

    @Test("of several adapters, reads the one with the most data, else with the most records, else the first")
    func monitorAdapters() throws {
        let (command, event) = (Self.record(0, 2, "03 0C 00"), Self.record(1, 3, "0E 04 01 03 0C 00"))
        // One packet of data, in either direction, counts more than all commands.
        for kind in [4, 5] as [UInt16] {
            let data = Self.record(1, kind, "40 00 01 00 AA")
            #expect(try Self.monitor(command, command, command, data).map(\.packet.kind) == [.aclData])
        }
        // A data packet without octets counts as any other record.
        let records = try Self.monitor(command, command, Self.record(1, 4, ""), event)
        #expect(records.map(\.packet.kind) == [.command, .command])
        #expect(try Self.monitor(command, event, event).map(\.packet.kind) == [.event, .event])
        #expect(try Self.monitor(event, command).map(\.packet.kind) == [.command])
        #expect(try Self.monitor(Self.record(7, 2, "03 0C 00", drops: 5)).map(\.drops) == [5])
        // Kinds 0 and 1 report that an adapter was added or removed.
        #expect(try Self.monitor(Self.record(0, 0, "00 00"), Self.record(0, 1, ""), command).count == 1)
        #expect(try Self.monitor().isEmpty)
    }

    @Test("reads a shortened record of Linux's monitor, and rejects one longer than its packet")
    func monitorLengths() throws {
        for (original, isValid) in [(4, true), (3, true), (2, false)] as [(UInt32, Bool)] {
            var bytes = Self.record(0, 2, "03 0C 00")
            bytes.setInteger(original, at: 0)
            #expect(((try? Self.monitor(bytes)) != nil) == isValid, "\(original)")
        }
    }

    @Test("rejects a file with the cause in its header")
    func refused() {
        func failure(_ octets: String) -> String? {
            do {
                _ = try CaptureReader.content(of: Self.octets(octets))
                return nil
            } catch {
                return error.description
            }
        }
        #expect(failure("") == "the capture is empty")
        #expect(failure("6274736E6F6F7000 00000001 000003EA") == nil)
        #expect(failure("6274736E6F6F7000 00000001 000007D1") == nil)
        for other in ["00000002 000007D1", "00000001 000007D2", "00000002 000003EA", "00000001 000003E9"] {
            #expect(failure("6274736E6F6F7000 " + other)?.hasPrefix("this is a btsnoop file of another kind: ") == true)
        }
        #expect(failure("6274736E6F6F7001 00000001 000003EA")?.hasPrefix("this is no capture: ") == true)
    }

    @Test("reports the position of an invalid length")
    func broken() throws {
        var bytes = Self.octets(Self.bigEndian)
        bytes.setInteger(UInt32(0x7FFF_FFFF), at: 16)
        let error = #expect(throws: CaptureError.self) { try CaptureReader.content(of: bytes) }
        #expect(
            error?.description == "the capture is damaged after 1 packet: Record Length: the value is not allowed"
        )
    }

    @Test("accepts a first record of the kinds that PacketLogger writes, and no other file")
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
        // An empty record has no kind, and what follows it is not checked.
        #expect((try? PacketLoggerReader(Self.octets("00000008 00000000 00000000"))) != nil)
        #expect((try? PacketLoggerReader(Self.octets("00000008 00000000 00000000 0000000A"))) != nil)
    }

    @Test(
        "the length of a record includes its time and is at most 65,535, and its microseconds are less than a million"
    )
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
}
