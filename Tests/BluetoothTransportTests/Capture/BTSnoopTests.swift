import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("btsnoop")
struct BTSnoopTests {
    static func time(_ microseconds: Int64) -> BTSnoop.Timestamp {
        BTSnoop.Timestamp(microsecondsSince1970: microseconds)
    }

    static let records: [BTSnoop.Record] = [
        .init(packet: HCIPacket([0x01, 0x03, 0x0C, 0x00]), direction: .toController, time: Self.time(0)),
        .init(
            packet: HCIPacket([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]),
            direction: .toHost,
            time: Self.time(1_700_000_000_123_456)
        ),
        .init(
            packet: HCIPacket([0x02, 0x40, 0x00, 0x00, 0x00]),
            direction: .toController,
            time: Self.time(-1),
            drops: 3
        ),
        .init(packet: HCIPacket([0x05, 0x40, 0x00, 0x00, 0x00]), direction: .toHost, time: Self.time(5)),
    ]

    func written() -> ByteBuffer {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        for record in Self.records {
            BTSnoopWriter.write(record.packet, record.direction, at: record.time, drops: record.drops, into: &bytes)
        }
        return bytes
    }

    func read(_ bytes: ByteBuffer) throws -> [BTSnoop.Record] {
        var reader = try BTSnoopReader(bytes)
        var records: [BTSnoop.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test("writes the octets of a file with one event at the beginning of the year 2000")
    func octets() {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        // 2000-01-01 00:00:00 UTC is 946,684,800 s after 1970-01-01, and has this number in the format.
        BTSnoopWriter.write(
            HCIPacket([0x04, 0xFF, 0x01, 0x07]),
            .toHost,
            at: Self.time(946_684_800_000_000),
            into: &bytes
        )
        let expected: [UInt8] =
            Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
            + [0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 0]
            + [0x00, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0x00]
            + [0x04, 0xFF, 0x01, 0x07]
        #expect(Array(bytes.readableBytesView) == expected)
    }

    @Test("writes direction and kind as flags")
    func flags() {
        for (octets, direction, flags) in [
            ([0x01, 0, 0, 0], .toController, 2), ([0x04, 0, 0], .toHost, 3), ([0x02, 0, 0, 0, 0], .toController, 0),
            ([0x02, 0, 0, 0, 0], .toHost, 1), ([0x05, 0, 0, 0, 0], .toHost, 1),
        ] as [([UInt8], BTSnoop.Direction, UInt32)] {
            var bytes = ByteBuffer()
            BTSnoopWriter.write(HCIPacket(octets), direction, at: Self.time(0), into: &bytes)
            #expect(bytes.getInteger(at: 8, as: UInt32.self) == flags)
        }
    }

    @Test("reads the records that it has written")
    func roundTrip() throws { #expect(try self.read(self.written()) == Self.records) }

    @Test("reads the complete records of a truncated file, then throws")
    func truncated() throws {
        let bytes = self.written()
        var ends = [16]
        for record in Self.records { ends.append(ends[ends.count - 1] + 24 + record.packet.bytes.readableBytes) }
        for length in 0..<bytes.readableBytes {
            let part = try #require(bytes.getSlice(at: 0, length: length))
            guard length >= 16 else {
                #expect(throws: MalformedBytes.self) { try BTSnoopReader(part) }
                continue
            }
            var reader = try BTSnoopReader(part)
            let whole = ends.count { $0 <= length } - 1
            for index in 0..<whole { #expect(try reader.next() == Self.records[index]) }
            if ends.contains(length) {
                #expect(try reader.next() == nil)
            } else {
                for _ in 0..<2 {
                    let error = #expect(throws: MalformedBytes.self) { try reader.next() }
                    #expect(error?.reason == .truncated)
                }
            }
        }
    }

    @Test("rejects another identification, version or data link")
    func foreign() {
        for index in 0..<16 {
            var bytes = self.written()
            bytes.setInteger(UInt8(0x77), at: index)
            #expect(throws: MalformedBytes.self) { try BTSnoopReader(bytes) }
        }
    }

    @Test(
        "D13: rejects a record without octets, or with more than its packet had",
        arguments: [(4, 4, true), (5, 4, true), (3, 4, false), (4, 0, false), (0, 0, false)] as [(UInt32, UInt32, Bool)]
    )
    func includedLength(original: UInt32, included: UInt32, isValid: Bool) throws {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        BTSnoopWriter.write(HCIPacket([0x01, 0x03, 0x0C, 0x00]), .toController, at: Self.time(0), into: &bytes)
        bytes.setInteger(original, at: 16)
        bytes.setInteger(included, at: 20)
        var reader = try BTSnoopReader(bytes)
        if isValid {
            #expect(try reader.next()?.packet == HCIPacket([0x01, 0x03, 0x0C, 0x00]))
        } else {
            let error = #expect(throws: MalformedBytes.self) { try reader.next() }
            #expect(error?.reason == .invalid)
        }
    }
}
