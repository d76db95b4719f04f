// What the clients of a ServerWalk send: PDUs that mostly make sense, about attributes that are there or just beside.

import BluetoothTypes
import NIOCore

@testable import BluetoothHost

extension ServerWalk {
    /// The next PDU of a client.
    mutating func pdu(_ place: Int, _ mtu: Int) -> ByteBuffer {
        var bytes = ByteBuffer()
        let opcode: UInt8 = self.one(of: [
            0x02, 0x04, 0x06, 0x06, 0x08, 0x08, 0x0A, 0x0A, 0x0C, 0x0C, 0x0E, 0x10, 0x12, 0x12, 0x12, 0x12, 0x12, 0x16,
            0x16, 0x16, 0x18, 0x18, 0x1E, 0x1E, 0x20, 0x52, 0x52, 0xD2, 0x00,
        ])
        bytes.writeInteger(opcode == 0 ? UInt8(self.number(0...255)) : opcode)
        switch opcode {
        case 0x02: bytes.writeLittleEndian(UInt16(self.one(of: [0, 22, 23, 24, 48, 100, 185, 186, 517, 518, 0xFFFF])))
        case 0x04, 0x06, 0x08, 0x10: self.writeSearch(opcode, into: &bytes)
        case 0x0A: bytes.writeLittleEndian(self.handle())
        case 0x0C:
            bytes.writeLittleEndian(self.handle())
            bytes.writeLittleEndian(UInt16(self.isOne(in: 2) ? self.length(mtu) : self.one(of: [0, 59, 60, 61, 70])))
        case 0x0E, 0x20:
            for _ in 0..<self.number(1...6) { bytes.writeLittleEndian(self.handle { $0.access.contains(.read) }) }
            while self.isOne(in: 12) == false, bytes.readableBytes < 5 { bytes.writeLittleEndian(self.handle()) }
        case 0x12: self.writeValue(mtu, into: &bytes)
        case 0x52:
            bytes.writeLittleEndian(self.handle { $0.access.contains(.writeCommand) })
            bytes.writeImmutableBuffer(self.value(mtu))
        case 0xD2: self.writeSigned(place, mtu, into: &bytes)
        case 0x16:
            bytes.writeLittleEndian(self.handle { $0.access.contains(.write) })
            let offset = self.isOne(in: 2) ? self.number(0...4) : self.length(mtu)
            bytes.writeLittleEndian(UInt16(offset))
            bytes.writeImmutableBuffer(self.isOne(in: 2) ? octets(self.number(0...4)) : self.value(mtu))
        case 0x18: bytes.writeInteger(UInt8(self.one(of: [1, 1, 1, 0, 2])))
        case 0x1E: if self.isOne(in: 12) { bytes.writeInteger(UInt8(0)) }
        default: bytes.writeImmutableBuffer(self.value(mtu))
        }
        switch self.number(0...39) {
        case 0: bytes.moveWriterIndex(to: max(bytes.readerIndex, bytes.writerIndex - 1))
        case 1: bytes.writeInteger(UInt8(0))
        default: break
        }
        return bytes
    }

    private mutating func writeSearch(_ opcode: UInt8, into bytes: inout ByteBuffer) {
        let start = self.isOne(in: 2) ? 1 : self.handle()
        bytes.writeLittleEndian(start)
        bytes.writeLittleEndian(self.isOne(in: 2) ? 0xFFFF : self.isOne(in: 3) ? start : self.handle())
        guard opcode != 0x04 else { return }
        let attribute = self.one(of: self.server.server.database.attributes)
        let declarations: [BluetoothUUID] = [0x2800, 0x2801, 0x2802, 0x2803, 0x2902, 0x2B2A, 0x2B29, 0x2901, 0xA001]
        let type = self.isOne(in: 2) ? attribute.type : self.one(of: declarations)
        switch (opcode, type.shortValue) {
        case (0x06, let short): bytes.writeLittleEndian(short ?? 0)
        case (0x08, nil), (0x10, nil): type.encode(into: &bytes)
        // The same type with 128 bits.
        case (_, let short?) where self.isOne(in: 8):
            bytes.writeImmutableBuffer(hex("FB 34 9B 5F 80 00 00 80 00 10 00 00"))
            bytes.writeLittleEndian(short)
            bytes.writeLittleEndian(UInt16(0))
        case (_, let short?): bytes.writeLittleEndian(short)
        default: break
        }
        guard opcode == 0x06 else { return }
        switch (attribute.content, self.number(0...3)) {
        case (.fixed(let value), 0...1): bytes.writeImmutableBuffer(value)
        case (_, 2): bytes.writeLittleEndian(UInt16(self.number(0...3)))
        default: bytes.writeImmutableBuffer(octets(self.number(0...4)))
        }
    }

    private mutating func writeValue(_ mtu: Int, into bytes: inout ByteBuffer) {
        switch self.number(0...5) {
        case 0...2:
            bytes.writeLittleEndian(self.handle(where: Self.isConfiguration))
            bytes.writeLittleEndian(UInt16(self.one(of: [0, 1, 1, 1, 2, 2, 3, 5, 0x0101])))
            if self.isOne(in: 12) { bytes.writeInteger(UInt8(0)) }
        case 3 where self.isOne(in: 3):
            bytes.writeLittleEndian(self.handle { $0.shortType == GATTAttributeType.clientSupportedFeatures })
            bytes.writeInteger(UInt8(self.one(of: [0, 1, 4, 5, 7, 0xF8])))
            if self.isOne(in: 3) { bytes.writeImmutableBuffer(self.value(mtu)) }
        default:
            bytes.writeLittleEndian(self.handle { $0.access.contains(.write) })
            bytes.writeImmutableBuffer(self.value(mtu))
        }
    }

    private mutating func writeSigned(_ place: Int, _ mtu: Int, into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(self.handle { $0.access.contains(.signedWrite) })
        bytes.writeImmutableBuffer(octets(self.isOne(in: 2) ? 2 : max(0, mtu - 15 + self.number(-1...1))))
        let key = self.isOne(in: 8) ? Octets16.zero : Self.key
        DataSignature(of: bytes, counter: self.nextCounter(of: place), key: key).encode(into: &bytes)
    }
}
