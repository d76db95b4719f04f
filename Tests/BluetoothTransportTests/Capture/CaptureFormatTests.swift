// The same packets in each format, in pieces and truncated anywhere.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothTransport

/// A capture format, with a file of four packets, in both byte orders if the format has them.
enum CaptureFileKind: CaseIterable {
    case btsnoop, linuxMonitor, packetLogger, packetLoggerLittleEndian, pcap, pcapLittleEndian, pcapWithoutDirection
    case pcapOfMonitor, pcapng, pcapngLittleEndian

    static let packets: [(octets: [UInt8], isReceived: Bool)] = [
        ([0x01, 0x03, 0x0C, 0x00], false), ([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], true),
        ([0x02, 0x40, 0x00, 0x01, 0x00, 0xAA], false), ([0x02, 0x40, 0x20, 0x01, 0x00, 0xBB], true),
    ]
    /// 14 November 2023, in seconds; each packet is a second and a microsecond later.
    static let start: UInt32 = 1_700_000_000

    private var endianness: Endianness {
        switch self {
        case .packetLoggerLittleEndian, .pcapLittleEndian, .pcapngLittleEndian: .little
        default: .big
        }
    }

    /// The header of a file.
    var header: [UInt8] {
        var bytes = ByteBuffer()
        switch self {
        case .btsnoop: BTSnoopWriter.writeFileHeader(into: &bytes)
        case .linuxMonitor: bytes.writeBytes(Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 7, 0xD1])
        case .packetLogger, .packetLoggerLittleEndian: break
        case .pcap, .pcapLittleEndian, .pcapWithoutDirection, .pcapOfMonitor:
            let linkType: UInt32 = self == .pcapWithoutDirection ? 187 : self == .pcapOfMonitor ? 254 : 201
            bytes.writeInteger(UInt32(0xA1B2_C3D4), endianness: self.endianness)
            bytes.writeMultipleIntegers(UInt16(2), UInt16(4), endianness: self.endianness)
            for value in [0, 0, 65_535, linkType] { bytes.writeInteger(value, endianness: self.endianness) }
        case .pcapng, .pcapngLittleEndian:
            let order = self.endianness
            for value: UInt32 in [0x0A0D_0D0A, 28, 0x1A2B_3C4D] { bytes.writeInteger(value, endianness: order) }
            bytes.writeMultipleIntegers(UInt16(1), UInt16(0), endianness: order)
            bytes.writeInteger(Int64(-1), endianness: order)
            bytes.writeInteger(UInt32(28), endianness: order)
            // An Ethernet interface, whose frames are not packets, then one of HCI with times in nanoseconds.
            for (linkType, resolution) in [(1, 6), (201, 9)] as [(UInt16, UInt8)] {
                for value: UInt32 in [1, 32] { bytes.writeInteger(value, endianness: order) }
                bytes.writeMultipleIntegers(linkType, UInt16(0), endianness: order)
                bytes.writeInteger(UInt32(0), endianness: order)
                bytes.writeMultipleIntegers(UInt16(9), UInt16(1), endianness: order)
                bytes.writeBytes([resolution, 0, 0, 0])
                bytes.writeMultipleIntegers(UInt16(0), UInt16(0), endianness: order)
                bytes.writeInteger(UInt32(32), endianness: order)
            }
            bytes.writeBytes(Self.block([0xFF, 0xFF, 0xFF], interface: 0, nanoseconds: 0, order))
        }
        return Array(bytes.readableBytesView)
    }

    private static func block(
        _ content: [UInt8],
        interface: UInt32,
        nanoseconds: UInt64,
        _ order: Endianness
    ) -> [UInt8] {
        var bytes = ByteBuffer()
        let padded = (content.count + 3) / 4 * 4
        for value: UInt32 in [6, UInt32(32 + padded), interface] { bytes.writeInteger(value, endianness: order) }
        bytes.writeInteger(UInt32(nanoseconds >> 32), endianness: order)
        bytes.writeInteger(UInt32(truncatingIfNeeded: nanoseconds), endianness: order)
        for _ in 0..<2 { bytes.writeInteger(UInt32(content.count), endianness: order) }
        bytes.writeBytes(content + [UInt8](repeating: 0, count: padded - content.count))
        bytes.writeInteger(UInt32(32 + padded), endianness: order)
        return Array(bytes.readableBytesView)
    }

    /// The records of the packets.
    var records: [[UInt8]] {
        Self.packets.enumerated().map { index, packet in
            let seconds = Self.start + UInt32(index)
            let micros = UInt32(index)
            let monitorKind: UInt16 = packet.octets[0] == 1 ? 2 : packet.octets[0] == 4 ? 3 : packet.isReceived ? 5 : 4
            var bytes = ByteBuffer()
            switch self {
            case .btsnoop:
                BTSnoopWriter.write(
                    HCIPacket(h4: ByteBuffer(bytes: packet.octets)),
                    packet.isReceived ? .toHost : .toController,
                    at: BTSnoop.Timestamp(microsecondsSince1970: Int64(seconds) * 1_000_000 + Int64(micros)),
                    into: &bytes
                )
            case .linuxMonitor:
                let length = UInt32(packet.octets.count - 1)
                bytes.writeMultipleIntegers(length, length, UInt16(0), monitorKind, UInt32(0))
                bytes.writeInteger(Int64(seconds) * 1_000_000 + Int64(micros) + BTSnoop.epoch)
                bytes.writeBytes(packet.octets.dropFirst())
            case .packetLogger, .packetLoggerLittleEndian:
                let kind: UInt8 = packet.octets[0] == 1 ? 0 : packet.octets[0] == 4 ? 1 : packet.isReceived ? 3 : 2
                let length = UInt32(packet.octets.count + 8)
                for value in [length, seconds, micros] { bytes.writeInteger(value, endianness: self.endianness) }
                bytes.writeBytes([kind] + packet.octets.dropFirst())
            case .pcap, .pcapLittleEndian, .pcapWithoutDirection, .pcapOfMonitor:
                let content =
                    switch self {
                    case .pcapWithoutDirection: packet.octets
                    case .pcapOfMonitor: [0, 0, 0, UInt8(monitorKind)] + packet.octets.dropFirst()
                    default: [0, 0, 0, packet.isReceived ? 1 : 0] + packet.octets
                    }
                for value in [seconds, micros, UInt32(content.count), UInt32(content.count)] {
                    bytes.writeInteger(value, endianness: self.endianness)
                }
                bytes.writeBytes(content)
            case .pcapng, .pcapngLittleEndian:
                let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(micros) * 1_000
                let content = [0, 0, 0, packet.isReceived ? 1 : 0] + packet.octets
                bytes.writeBytes(Self.block(content, interface: 1, nanoseconds: nanoseconds, self.endianness))
            }
            return Array(bytes.readableBytesView)
        }
    }

    var octets: [UInt8] { self.header + self.records.joined() }
}

@Suite("Capture formats")
struct CaptureFormatTests {
    private static func expect(_ records: [BTSnoop.Record], first count: Int, _ note: String) {
        #expect(records.count == count, "\(note)")
        for (index, (record, packet)) in zip(records, CaptureFileKind.packets).enumerated() {
            #expect(Array(record.packet.bytes.readableBytesView) == packet.octets, "\(note)")
            #expect(record.direction == (packet.isReceived ? .toHost : .toController), "\(note)")
            let time = Int64(CaptureFileKind.start) * 1_000_000 + Int64(index) * 1_000_001
            #expect(record.time.microsecondsSince1970 == time, "\(note)")
        }
    }

    @Test("have the same packets, directions and times", arguments: CaptureFileKind.allCases)
    func whole(kind: CaptureFileKind) throws {
        let content = try CaptureReader.content(of: ByteBuffer(bytes: kind.octets))
        Self.expect(content.records, first: 4, "whole")
        #expect(content.cut == nil)
    }

    @Test(
        "give the complete records before any truncation of the last one, with a message",
        arguments: CaptureFileKind.allCases
    )
    func cut(kind: CaptureFileKind) throws {
        let octets = kind.octets
        let last = try #require(kind.records.last).count
        for length in (octets.count - last)..<octets.count {
            let content = try CaptureReader.content(of: ByteBuffer(bytes: octets.prefix(length)))
            Self.expect(content.records, first: 3, "\(length)")
            let isInside = length > octets.count - last
            #expect(content.cut == (isInside ? "the capture ends inside a record, after 3 packets" : nil), "\(length)")
        }
    }

    @Test("are parsed in pieces of any size, as the file grows", arguments: CaptureFileKind.allCases)
    func pieces(kind: CaptureFileKind) throws {
        for size in [1, 2, 7, 40, 1_000] {
            var reader = CaptureReader()
            var records: [BTSnoop.Record] = []
            var rest = kind.octets[...]
            while !rest.isEmpty {
                reader.append(ByteBuffer(bytes: rest.prefix(size)))
                rest = rest.dropFirst(size)
                while let record = try reader.next() { records.append(record) }
            }
            try reader.reachEnd()
            while let record = try reader.next() { records.append(record) }
            Self.expect(records, first: 4, "\(size)")
            #expect(reader.cut == nil)
        }
    }

    @Test("never trap when damaged", arguments: CaptureFileKind.allCases)
    func damage(kind: CaptureFileKind) {
        let octets = kind.octets
        for place in octets.indices {
            for value: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                var damaged = octets
                damaged[place] = value
                _ = try? CaptureReader.content(of: ByteBuffer(bytes: damaged))
            }
        }
    }

    @Test("may repeat the header in a stream, as with each adapter of a process that writes into a pipe")
    func anew() throws {
        let octets = CaptureFileKind.btsnoop.octets
        let content = try CaptureReader.content(of: ByteBuffer(bytes: octets + octets))
        #expect(content.records.count == 8 && content.cut == nil)
    }

    @Test("are named if they have no HCI packets, and may have a truncated header")
    func others() throws {
        var ethernet = CaptureFileKind.pcap.octets
        ethernet[23] = 1
        let error = #expect(throws: CaptureError.self) { try CaptureReader.content(of: ByteBuffer(bytes: ethernet)) }
        #expect(error?.description == "this is a pcap file without HCI packets: Link Type: the value is not allowed")
        for kind in [CaptureFileKind.btsnoop, .linuxMonitor, .pcap, .pcapng] {
            let content = try CaptureReader.content(of: ByteBuffer(bytes: kind.octets.prefix(15)))
            #expect(content.records.isEmpty && content.cut == "the capture ends inside a record, after 0 packets")
        }
    }

    @Test("report how much of a packet was cut off")
    func kept() throws {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        bytes.writeMultipleIntegers(UInt32(64), UInt32(2), UInt32(1), UInt32(0), BTSnoop.epoch)
        bytes.writeBytes([0x04, 0x0E])
        #expect(try CaptureReader.content(of: bytes).records.map(\.missingOctetCount) == [62])
    }
}
