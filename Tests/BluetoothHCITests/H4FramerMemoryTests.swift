// In whose memory the packets of a stream are: in that of the octets that came, where those are whole packets.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("Memory of packets of a stream")
struct H4FramerMemoryTests {
    private func address(_ bytes: ByteBuffer) -> UInt {
        bytes.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test("Whole packets that come together stay in the memory in which they came")
    func wholePackets() throws {
        var framer = H4Framer(readingFrom: .controller)
        for _ in 0..<2 {
            let bytes = ByteBuffer(hex: "04 10 01 42 02 40 20 01 00 07")
            framer.append(bytes)
            let first = try #require(try framer.next())
            let second = try #require(try framer.next())
            #expect(first.bytes.hex == "04 10 01 42" && second.bytes.hex == "02 40 20 01 00 07")
            #expect(self.address(first.bytes) == self.address(bytes))
            #expect(self.address(second.bytes) == self.address(bytes) + 4)
            #expect(try framer.next() == nil)
        }
    }

    @Test("A packet that comes in pieces behind a whole one is put together, and the whole one stays as it was")
    func pieces() throws {
        var framer = H4Framer(readingFrom: .controller)
        let bytes = ByteBuffer(hex: "04 10 01 42 02 40 20")
        framer.append(bytes)
        let first = try #require(try framer.next())
        #expect(self.address(first.bytes) == self.address(bytes))
        for octet in ["02", "00", "07"] {
            #expect(try framer.next() == nil)
            framer.append(ByteBuffer(hex: octet))
        }
        #expect(try framer.next() == nil)
        #expect(framer.pendingOctetCount == 6)
        framer.append(ByteBuffer(hex: "08 04 10 01 43"))
        #expect(try framer.next()?.bytes.hex == "02 40 20 02 00 07 08")
        #expect(try framer.next()?.bytes.hex == "04 10 01 43")
        #expect(first.bytes.hex == "04 10 01 42" && bytes.hex == "04 10 01 42 02 40 20")
    }
}
