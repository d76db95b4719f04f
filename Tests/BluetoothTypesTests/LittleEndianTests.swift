import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Little-endian octets")
struct LittleEndianTests {
    @Test("reads and writes integers of each width")
    func integers() throws {
        var bytes = ByteBuffer()
        bytes.writeLittleEndian(UInt16(0x0102))
        bytes.writeUInt24(0xFF03_0405)
        bytes.writeLittleEndian(Int32(-2))
        #expect(bytes.hex == "02 01 05 04 03 FE FF FF FF")
        #expect(try bytes.readLittleEndian("a", as: UInt16.self) == 0x0102)
        #expect(try bytes.readUInt24("b") == 0x030405)
        #expect(try bytes.readLittleEndian("c", as: Int32.self) == -2)
        #expect(throws: MalformedBytes(.truncated, "d")) { try bytes.readLittleEndian("d", as: UInt8.self) }
        try bytes.requireEnd("e")
    }

    @Test("a failed read consumes nothing")
    func failedReads() {
        var bytes = ByteBuffer(hex: "01 02")
        #expect(throws: MalformedBytes(.truncated, "a")) { try bytes.readUInt24("a") }
        #expect(throws: MalformedBytes(.truncated, "b")) { try bytes.readLittleEndian("b", as: UInt32.self) }
        #expect(throws: MalformedBytes(.truncated, "c")) { try bytes.readOctets(3, "c") }
        #expect(throws: MalformedBytes(.truncated, "d")) { try bytes.readOctets(-1, "d") }
        #expect(throws: MalformedBytes(.trailingBytes, "e")) { try bytes.requireEnd("e") }
        #expect(bytes.readableBytes == 2)
    }

    @Test("an error names its field")
    func descriptions() {
        #expect(MalformedBytes(.truncated, "Status").description == "Status: the bytes end too early")
        #expect(MalformedBytes(.invalid, "Status").description == "Status: the value is not allowed")
        #expect(MalformedBytes(.trailingBytes, "Status").description == "Status: bytes are left over")
    }

    @Test("reads a width only if all of its octets are there")
    func widths() throws {
        func left(_ count: Int, _ read: (inout ByteBuffer) throws -> UInt64) -> UInt64? {
            var bytes = ByteBuffer(bytes: [0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88].prefix(count))
            return try? read(&bytes)
        }
        for count in 0...8 {
            #expect(left(count) { try UInt64($0.readLittleEndian("a", as: UInt16.self)) } == (count < 2 ? nil : 0x8201))
            #expect(left(count) { try UInt64($0.readUInt24("b")) } == (count < 3 ? nil : 0x03_8201))
            #expect(
                left(count) { try $0.readLittleEndian("c", as: UInt64.self) }
                    == (count < 8 ? nil : 0x8807_8605_8403_8201)
            )
            #expect((left(count) { try UInt64($0.readOctets(3, "d").readableBytes) } == 3) == (count >= 3))
            #expect(
                (left(count) {
                    try $0.requireEnd("e")
                    return 0
                } != nil) == (count == 0)
            )
        }
    }
}
