import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("ACL data")
struct ACLDataTests {
    @Test(
        "reads and writes a header with its flags",
        arguments: [
            ("02 FF 0E 00 00", 0xEFF, .firstNonFlushable, 0), ("02 FF 1E 00 00", 0xEFF, .continuing, 0),
            ("02 FF 2E 00 00", 0xEFF, .firstFlushable, 0), ("02 FF 3E 00 00", 0xEFF, .complete, 0),
            ("02 01 60 00 00", 1, .firstFlushable, 1), ("02 23 21 03 00 AA BB CC", 0x123, .firstFlushable, 0),
        ] as [(String, UInt16, ACLDataHeader.Boundary, UInt8)]
    )
    func headers(hex: String, handle: UInt16, boundary: ACLDataHeader.Boundary, broadcast: UInt8) throws {
        let packet = HCIPacket(h4: ByteBuffer(hex: hex))
        let (header, fragment) = try packet.aclData()
        #expect(header.handle.rawValue == handle && header.boundary == boundary && header.broadcast == broadcast)
        #expect(header.boundary.isFirst == (boundary != .continuing))
        #expect(header.length == fragment.readableBytes && hex.hasSuffix(fragment.hex))
        var bytes = ByteBuffer()
        header.encodeWithType(into: &bytes)
        #expect(bytes.hex == hex.prefix(14))
    }

    @Test("rejects a packet whose length does not match its octets")
    func malformed() {
        for hex in ["", "02", "02 23 21 03", "02 23 21 03 00 AA BB", "02 23 21 01 00 AA BB", "04 23 21 00 00"] {
            #expect(throws: MalformedBytes.self) { try HCIPacket(h4: ByteBuffer(hex: hex)).aclData() }
        }
    }

    @Test("writes a header into the space in front of the payload, without moving it")
    func prepend() throws {
        var bytes = ByteBufferAllocator().buffer(capacity: 64)
        bytes.moveWriterIndex(to: 9)
        bytes.moveReaderIndex(to: 9)
        bytes.writeBytes([0xAA, 0xBB, 0xCC])
        let before = bytes.storageCapacity
        bytes.prependACLDataHeader(handle: .init(rawValue: 0x123), boundary: .firstNonFlushable)
        #expect(bytes.hex == "02 23 01 03 00 AA BB CC")
        #expect(bytes.readerIndex == 4)
        #expect(bytes.storageCapacity == before)
        let copy = HCIPacket.aclData(
            handle: .init(rawValue: 0x123),
            boundary: .firstNonFlushable,
            fragment: ByteBuffer(hex: "AA BB CC")
        )
        #expect(copy.bytes == bytes)
        #expect(copy.description == "ACL Data handle=0x123 firstNonFlushable AABBCC")
    }

    @Test("respects an offset reader index")
    func offset() throws {
        var bytes = ByteBuffer(hex: "FF FF 02 23 21 01 00 AA")
        bytes.moveReaderIndex(forwardBy: 2)
        #expect(try HCIPacket(h4: bytes).aclData().fragment == ByteBuffer(hex: "AA"))
    }

    @Test("random octets never trap")
    func randomOctets() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &generator)
            var bytes = ByteBuffer(bytes: [0x02])
            bytes.writeBytes((0..<count).map { _ in UInt8.random(in: 0...8, using: &generator) })
            let result = Result { try HCIPacket(h4: bytes).aclData() }
            guard case .success(let (header, fragment)) = result else { continue }
            #expect(header.boundary.isFirst == (header.boundary != .continuing))
            #expect(header.length == fragment.readableBytes)
        }
    }
}
