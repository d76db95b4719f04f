// pcap files and pcapng files, which Wireshark, tshark and tcpdump write (draft-ietf-opsawg-pcap, -pcapng), with HCI
// packets of three link types: H4 with and without a direction (201, 187), and Linux's monitor (254). Numbers are in
// the byte order of the machine that wrote the file, which a magic number shows.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// Parses a pcap or pcapng file, record by record.
struct PacketFileReader: CaptureFormatReader {
    /// The link type of an interface, which says what its frames are.
    private enum LinkType: UInt16, Sendable {
        case h4 = 187
        case h4WithDirection = 201
        case linuxMonitor = 254
    }

    /// The source of frames.
    private struct Interface: Sendable {
        /// `nil` if its frames are not HCI packets.
        var linkType: LinkType?
        var unitsPerSecond: UInt64 = 1_000_000
    }

    private enum Layout: Sendable {
        case pcap(Endianness, Interface)
        case pcapng(Endianness, [Interface])
    }

    private struct Frame {
        var interface: Interface
        var units: UInt64
        var originalLength: Int
        var content: ByteBuffer
    }

    static let pcapHeaderLength = 24
    private static let blockHeaderLength = 12
    private static let longestBlock = 1 << 24
    private static let interfaceLimit = 4_096

    /// Whether the octets begin with a magic number; `nil` if there are too few.
    static func isBeginning(_ bytes: ByteBuffer) -> Bool? {
        guard let magic: UInt32 = bytes.getInteger(at: bytes.readerIndex) else { return nil }
        return [0xA1B2_C3D4, 0xD4C3_B2A1, 0xA1B2_3C4D, 0x4D3C_B2A1, Self.sectionHeader].contains(magic)
    }

    private static let sectionHeader: UInt32 = 0x0A0D_0D0A

    var bytes: ByteBuffer
    private var layout: Layout
    private var choice = MonitoredAdapters()
    /// The direction of the last first fragment of each connection handle, for frames without a direction.
    private var directions: [UInt16: BTSnoop.Direction] = [:]

    /// Parses a complete pcap header; a pcapng file has its header in blocks.
    init(_ bytes: ByteBuffer) throws(MalformedBytes) {
        self.bytes = bytes
        let magic: UInt32 = bytes.getInteger(at: bytes.readerIndex) ?? 0
        if magic == Self.sectionHeader {
            self.layout = .pcapng(.big, [])
            return
        }
        let endianness: Endianness = magic >> 24 == 0xA1 ? .big : .little
        var header = try self.bytes.readOctets(Self.pcapHeaderLength, "File Header")
        let isNanoseconds = [0xA1B2_3C4D, 0x4D3C_B2A1].contains(magic)
        header.moveReaderIndex(forwardBy: 20)
        let linkType: UInt32 = header.readInteger(endianness: endianness) ?? 0
        guard let type = LinkType(rawValue: UInt16(truncatingIfNeeded: linkType)) else {
            throw MalformedBytes(.invalid, "Link Type")
        }
        self.layout = .pcap(
            endianness,
            Interface(linkType: type, unitsPerSecond: isNanoseconds ? 1_000_000_000 : 1_000_000)
        )
    }

    /// Chooses the adapter from the complete records so far, if the file has several.
    mutating func reachEnd() {
        guard self.choice.chosen == nil else { return }
        var copy = self
        while let frame = ((try? copy.nextFrame()) ?? nil) {
            guard frame.interface.linkType == .linuxMonitor else { continue }
            var content = frame.content
            guard let (adapter, kind) = content.readMultipleIntegers(as: (UInt16, UInt16).self) else { continue }
            self.choice.count(adapter, kind, content.readableBytes)
        }
        self.choice.choose()
    }

    /// The next HCI packet; `nil` at the end.
    ///
    /// - Throws: `MalformedBytes`, `truncated` if the file ends inside a record.
    mutating func next() throws(MalformedBytes) -> BTSnoop.Record? {
        while true {
            let (bytes, layout) = (self.bytes, self.layout)
            guard let frame = try self.nextFrame() else { return nil }
            guard let linkType = frame.interface.linkType else { continue }
            if linkType == .linuxMonitor, self.choice.chosen == nil {
                // Read it again once the adapter is chosen.
                (self.bytes, self.layout) = (bytes, layout)
                return nil
            }
            if let record = self.record(of: frame, linkType) { return record }
        }
    }

    private mutating func record(of frame: Frame, _ linkType: LinkType) -> BTSnoop.Record? {
        let (seconds, units) = frame.units.quotientAndRemainder(dividingBy: frame.interface.unitsPerSecond)
        let scaled = units.multipliedFullWidth(by: 1_000_000)
        let microseconds = frame.interface.unitsPerSecond.dividingFullWidth(scaled).quotient
        let time = BTSnoop.Timestamp(
            microsecondsSince1970: Int64(truncatingIfNeeded: seconds &* 1_000_000 &+ microseconds)
        )
        let missing = max(0, frame.originalLength - frame.content.readableBytes)
        var content = frame.content
        var record: BTSnoop.Record
        switch linkType {
        case .linuxMonitor:
            guard let (adapter, number) = content.readMultipleIntegers(as: (UInt16, UInt16).self),
                adapter == self.choice.chosen, let kind = LinuxMonitorReader.kinds[number]
            else { return nil }
            record = kind.record(of: content, at: time)
        case .h4WithDirection:
            guard let direction: UInt32 = content.readInteger(), content.readableBytes > 0 else { return nil }
            record = BTSnoop.Record(
                packet: HCIPacket(h4: content),
                direction: direction & 1 == 0 ? .toController : .toHost,
                time: time
            )
        case .h4:
            guard content.readableBytes > 0 else { return nil }
            record = BTSnoop.Record(packet: HCIPacket(h4: content), direction: self.direction(of: content), time: time)
        }
        record.missingOctetCount = missing
        return record
    }

    /// Infers the direction of a packet: a first fragment to the host has another flag than one to an LE
    /// controller (Vol 4, Part E, 5.4.2), and continuations have the same direction.
    private mutating func direction(of packet: ByteBuffer) -> BTSnoop.Direction {
        let start = packet.readerIndex
        switch HCIPacket(h4: packet).kind {
        case .command: return .toController
        case .event: return .toHost
        default:
            guard let field: UInt16 = packet.getInteger(at: start + 1, endianness: .little) else { return .toHost }
            let handle = field & 0x0FFF
            switch field >> 12 & 0b11 {
            case 0b00: self.directions[handle] = .toController
            case 0b10: self.directions[handle] = .toHost
            default: break
            }
            return self.directions[handle] ?? .toHost
        }
    }

    // MARK: Frames

    private mutating func nextFrame() throws(MalformedBytes) -> Frame? {
        switch self.layout {
        case .pcap(let endianness, let interface): try self.nextRecord(endianness, interface)
        case .pcapng(let endianness, let interfaces): try self.nextBlock(endianness, interfaces)
        }
    }

    private mutating func nextRecord(
        _ endianness: Endianness,
        _ interface: Interface
    ) throws(MalformedBytes) -> Frame? {
        guard self.bytes.readableBytes > 0 else { return nil }
        var rest = self.bytes
        guard
            let (seconds, units, kept, original) = rest.readMultipleIntegers(
                endianness: endianness,
                as: (UInt32, UInt32, UInt32, UInt32).self
            )
        else { throw MalformedBytes(.truncated, "Packet Record") }
        guard kept <= Self.longestBlock, units < interface.unitsPerSecond else {
            throw MalformedBytes(.invalid, "Captured Packet Length")
        }
        let content = try rest.readOctets(Int(kept), "Packet Data")
        self.bytes = rest
        return Frame(
            interface: interface,
            units: UInt64(seconds) * interface.unitsPerSecond + UInt64(units),
            originalLength: Int(original),
            content: content
        )
    }

    private mutating func nextBlock(
        _ known: Endianness,
        _ interfaces: [Interface]
    ) throws(MalformedBytes) -> Frame? {
        var (endianness, interfaces) = (known, interfaces)
        while self.bytes.readableBytes > 0 {
            var rest = self.bytes
            let start = rest.readerIndex
            let isSection = rest.getInteger(at: start, as: UInt32.self) == Self.sectionHeader
            if isSection {
                guard let order: UInt32 = rest.getInteger(at: start + 8) else {
                    throw MalformedBytes(.truncated, "Section Header Block")
                }
                guard [0x1A2B_3C4D, 0x4D3C_2B1A].contains(order) else {
                    throw MalformedBytes(.invalid, "Byte-Order Magic")
                }
                endianness = order == 0x1A2B_3C4D ? .big : .little
                interfaces = []
            }
            guard let (type, length) = rest.readMultipleIntegers(endianness: endianness, as: (UInt32, UInt32).self)
            else { throw MalformedBytes(.truncated, "Block Header") }
            guard length >= Self.blockHeaderLength, length % 4 == 0, length <= Self.longestBlock else {
                throw MalformedBytes(.invalid, "Block Total Length")
            }
            var body = try rest.readOctets(Int(length) - 8, "Block Body")
            body = body.getSlice(at: body.readerIndex, length: body.readableBytes - 4) ?? ByteBuffer()
            self.bytes = rest
            switch type {
            case 1 where interfaces.count < Self.interfaceLimit:
                interfaces.append(Self.interface(body, endianness))
            case 6:
                if let frame = Self.frame(body, endianness, interfaces) {
                    self.layout = .pcapng(endianness, interfaces)
                    return frame
                }
            default: break
            }
            self.layout = .pcapng(endianness, interfaces)
        }
        return nil
    }

    /// An Interface Description Block.
    private static func interface(_ body: ByteBuffer, _ endianness: Endianness) -> Interface {
        var body = body
        var interface = Interface()
        interface.linkType = body.readInteger(endianness: endianness, as: UInt16.self).flatMap(LinkType.init)
        body.moveReaderIndex(forwardBy: min(6, body.readableBytes))
        while let (code, length) = body.readMultipleIntegers(endianness: endianness, as: (UInt16, UInt16).self),
            code != 0, var value = body.readSlice(length: Int(length))
        {
            body.moveReaderIndex(forwardBy: min(body.readableBytes, (4 - Int(length) % 4) % 4))
            // if_tsresol: a negative power of 10, or of 2 if the highest bit is set.
            guard code == 9, let resolution: UInt8 = value.readInteger() else { continue }
            let (base, exponent): (UInt64, UInt8) = resolution & 0x80 == 0 ? (10, resolution) : (2, resolution & 0x7F)
            guard exponent <= (base == 10 ? 19 : 63) else { continue }
            interface.unitsPerSecond = (0..<exponent).reduce(1) { power, _ in power * base }
        }
        return interface
    }

    /// An Enhanced Packet Block.
    private static func frame(_ body: ByteBuffer, _ endianness: Endianness, _ interfaces: [Interface]) -> Frame? {
        var body = body
        guard
            let (number, high, low, kept, original) = body.readMultipleIntegers(
                endianness: endianness,
                as: (UInt32, UInt32, UInt32, UInt32, UInt32).self
            ), number < interfaces.count, let content = body.readSlice(length: Int(kept))
        else { return nil }
        return Frame(
            interface: interfaces[Int(number)],
            units: UInt64(high) << 32 | UInt64(low),
            originalLength: Int(original),
            content: content
        )
    }
}
