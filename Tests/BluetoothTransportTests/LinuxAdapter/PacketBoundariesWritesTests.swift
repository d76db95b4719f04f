// What a handler that keeps packets apart writes beside the packets: nothing, as long as the system takes each one at
// once.

import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("Packet boundaries: writes")
struct PacketBoundariesWritesTests {
    @Test("A packet that the system takes at once is one write, with nothing behind it", arguments: [1, 2, 5])
    func taken(count: Int) throws {
        let packet: [UInt8] = [0x02, 0x40, 0x00, 0x02, 0x00, 1, 2]
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(PacketBoundaries(unsentLimit: 1024))
        channel.write(ByteBuffer(bytes: [[UInt8]](repeating: packet, count: count).joined()), promise: nil)
        channel.flush()
        var writes: [[UInt8]] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            writes.append(Array(buffer.readableBytesView))
        }
        #expect(writes == [[UInt8]](repeating: packet, count: count))
        _ = try? channel.finish()
    }
}
