import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Little-endian octets")
struct LittleEndianTests {
    @Test("integers of each width")
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

    @Test("a read that fails moves nothing")
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

    @Test("a seeded generator repeats itself and nothing else")
    func seeds() {
        var first = SeededGenerator(seed: 42)
        var second = SeededGenerator(seed: 42)
        var third = SeededGenerator(seed: 43)
        let words = (0..<10).map { _ in first.next() }
        #expect(words == (0..<10).map { _ in second.next() })
        #expect(words != (0..<10).map { _ in third.next() })
    }

    @Test("each number of octets read as each width, from each place")
    func walk() throws {
        let octets = ByteBuffer(hex: "01 82 03 84 05 86 07 88 09 8A")
        func note<Value>(_ name: String, _ bytes: ByteBuffer, _ read: (inout ByteBuffer) throws -> Value) {
            var bytes = bytes
            let result = Result { try read(&bytes) }
            RunRecord.note("\(name) \(result) \(bytes.readableBytes)")
        }
        for count in 0...10 {
            for start in 0...count {
                let bytes = try #require(octets.getSlice(at: start, length: count - start))
                note("8", bytes) { try $0.readLittleEndian("a", as: UInt8.self) }
                note("16", bytes) { try $0.readLittleEndian("b", as: Int16.self) }
                note("24", bytes) { try $0.readUInt24("c") }
                note("32", bytes) { try $0.readLittleEndian("d", as: UInt32.self) }
                note("64", bytes) { try $0.readLittleEndian("e", as: UInt64.self) }
                for length in -1...4 { note("\(length)", bytes) { try $0.readOctets(length, "f").hex } }
                note("end", bytes) { try $0.requireEnd("g") }
            }
        }
        for count in 0...16 {
            var bytes = ByteBuffer(repeating: 0xEE, count: 20)
            let written = bytes.setOctets(0x0807_0605_0403_0201, 0x100F_0E0D_0C0B_0A09, count: count, at: 2)
            RunRecord.note("\(count) \(written) \(bytes.hex)")
        }
        for number in [0, 1, 0xFFFF, 0x1_0000, 0xFF_FFFF, 0x100_0000, .max] as [UInt32] {
            var bytes = ByteBuffer()
            bytes.writeUInt24(number)
            RunRecord.note("\(number) \(bytes.hex)")
        }
        var generator = SeededGenerator(seed: 0)
        for _ in 0..<50 { RunRecord.note("\(generator.next())") }
    }
}
