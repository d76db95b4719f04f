import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Octets")
struct OctetsTests {
    @Test("writes sixteen octets in both orders")
    func sixteen() throws {
        let value = try #require(Octets16(mostSignificantFirst: (0..<16).map { UInt8($0) }))
        #expect(value.high == 0x0001_0203_0405_0607)
        #expect(value.low == 0x0809_0A0B_0C0D_0E0F)
        #expect(value.mostSignificantFirst == (0..<16).map { UInt8($0) })
        #expect(value.description == "000102030405060708090A0B0C0D0E0F")
        var bytes = ByteBuffer()
        value.encode(into: &bytes)
        #expect(bytes.hex == "0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00")
        #expect(try Octets16(parsing: &bytes, "Key") == value)
        #expect(throws: MalformedBytes(.truncated, "Key")) { try Octets16(parsing: &bytes, "Key") }
        #expect(Octets16(mostSignificantFirst: [1, 2, 3]) == nil)
    }

    @Test("writes thirty-two octets in both orders")
    func thirtyTwo() throws {
        let value = try #require(Octets32(mostSignificantFirst: (0..<32).map { UInt8($0) }))
        #expect(value.mostSignificantFirst == (0..<32).map { UInt8($0) })
        #expect(value.description.hasPrefix("00010203"))
        var bytes = ByteBuffer()
        value.encode(into: &bytes)
        #expect(Array(bytes.readableBytesView) == (0..<32).reversed().map { UInt8($0) })
        #expect(try Octets32(parsing: &bytes, "Key") == value)
        bytes = ByteBuffer(repeating: 0, count: 31)
        #expect(throws: MalformedBytes(.truncated, "Key")) { try Octets32(parsing: &bytes, "Key") }
        #expect(Octets32(mostSignificantFirst: Array(repeating: 0, count: 33)) == nil)
    }

    @Test("consumes nothing if an octet is missing")
    func truncated() {
        var bytes = ByteBuffer(repeating: 0, count: 15)
        #expect(throws: MalformedBytes(.truncated, "Key")) { try Octets16(parsing: &bytes, "Key") }
        #expect(bytes.readableBytes == 15)
        bytes = ByteBuffer(repeating: 0, count: 31)
        #expect(throws: MalformedBytes(.truncated, "Key")) { try Octets32(parsing: &bytes, "Key") }
        #expect(bytes.readableBytes == 31)
        for count in [15, 17] { #expect(Octets16(mostSignificantFirst: Array(repeating: 0, count: count)) == nil) }
        for count in [31, 33] { #expect(Octets32(mostSignificantFirst: Array(repeating: 0, count: count)) == nil) }
    }
}
