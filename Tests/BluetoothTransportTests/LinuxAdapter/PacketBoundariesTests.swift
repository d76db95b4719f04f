import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("Packet boundaries")
struct PacketBoundariesTests {
    private static let packets: [[UInt8]] = [
        [0x01, 0x03, 0x0C, 0x00], [0x02, 0x40, 0x00, 0x02, 0x00, 1, 2], [0x03, 0x40, 0x00, 0x01, 7],
        [0x05, 0x40, 0x00, 0x00, 0x00], [0x01, 0x01, 0x20, 0x01, 9], [0x04, 0x10, 0x01, 0x42],
    ]

    private func channel(writeQueueLimit: Int = 1024) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(PacketBoundaries(writeQueueLimit: writeQueueLimit))
        return channel
    }

    private func written(_ channel: EmbeddedChannel) throws -> [[UInt8]] {
        var writes: [[UInt8]] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            // An empty write only tells when a packet was taken.
            if buffer.readableBytes > 0 { writes.append(Array(buffer.readableBytesView)) }
        }
        return writes
    }

    @Test("writes single packets for pieces of every size, with a flush after each piece or after all")
    func pieces() throws {
        let stream = Array(Self.packets.joined())
        for size in 1...stream.count {
            for flushesEach in [true, false] {
                let channel = try self.channel()
                var writes: [[UInt8]] = []
                for start in stride(from: 0, to: stream.count, by: size) {
                    channel.write(ByteBuffer(bytes: stream[start..<min(start + size, stream.count)]), promise: nil)
                    if flushesEach {
                        channel.flush()
                        writes += try self.written(channel)
                    }
                }
                if !flushesEach { #expect(try self.written(channel).isEmpty) }
                channel.flush()
                writes += try self.written(channel)
                #expect(writes == Self.packets, "pieces of \(size)")
                _ = try? channel.finish()
            }
        }
    }

    @Test("ends the channel only beyond the limit")
    func limit() throws {
        for count in [9, 10, 11] {
            let channel = try self.channel(writeQueueLimit: 10)
            // An incomplete packet.
            channel.write(
                ByteBuffer(bytes: [0x02, 0x40, 0x00, 200, 0] + [UInt8](repeating: 1, count: count - 5)),
                promise: nil
            )
            channel.flush()
            channel.write(ByteBuffer(bytes: [UInt8](repeating: 2, count: 205 - count)), promise: nil)
            channel.flush()
            #expect(try self.written(channel).count == (count > 10 ? 0 : 1), "\(count)")
            _ = try? channel.finish()
        }
    }

    @Test("writes a packet that the system takes immediately with one write", arguments: [1, 2, 5])
    func taken(count: Int) throws {
        let packet: [UInt8] = [0x02, 0x40, 0x00, 0x02, 0x00, 1, 2]
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(PacketBoundaries(writeQueueLimit: 1024))
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
