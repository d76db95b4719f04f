// The handler that keeps packets apart, on an embedded channel: what is written in pieces of every size leaves packet by
// packet, and only reads of one whole packet come in.

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

    /// Writes down the errors that the handler in front reports.
    private final class Errors: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        func errorCaught(context: ChannelHandlerContext, error: any Error) { RunRecord.note("error \(error)") }
    }

    private func channel(unsentLimit: Int = 1024) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(PacketBoundaries(unsentLimit: unsentLimit))
        try channel.pipeline.syncOperations.addHandler(Errors())
        return channel
    }

    private func written(_ channel: EmbeddedChannel) throws -> [[UInt8]] {
        var writes: [[UInt8]] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            // What only says when a packet has left is no packet.
            if buffer.readableBytes > 0 { writes.append(Array(buffer.readableBytesView)) }
        }
        return writes
    }

    @Test("packets in pieces of every size, with a flush behind each piece or behind all")
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

    @Test("random octets out and in")
    func walk() throws {
        var generator = SeededGenerator(seed: 77)
        for run in 0..<200 {
            let channel = try self.channel(unsentLimit: 20)
            for step in 0..<8 {
                var octets = Self.packets[Int.random(in: 0..<Self.packets.count, using: &generator)]
                switch Int.random(in: 0...5, using: &generator) {
                case 0: octets.removeLast(Int.random(in: 1...octets.count, using: &generator))
                case 1: octets += [UInt8](repeating: 0, count: Int.random(in: 1...3, using: &generator))
                case 2: octets[0] = UInt8.random(in: 0...6, using: &generator)
                case 3: octets = [0x02, 0x40, 0x00, 30, 0] + [UInt8](repeating: 1, count: 10)
                default: break
                }
                let isIn = Bool.random(using: &generator)
                if isIn {
                    _ = try? channel.writeInbound(ByteBuffer(bytes: octets))
                } else {
                    channel.write(ByteBuffer(bytes: octets), promise: nil)
                    if Bool.random(using: &generator) { channel.flush() }
                }
                while let buffer = try channel.readInbound(as: ByteBuffer.self) {
                    RunRecord.note("\(run) \(step) in \(buffer.hex)")
                }
                let writes = try self.written(channel)
                RunRecord.note("\(run) \(step) \(isIn) \(octets) out \(writes)")
            }
            _ = try? channel.finish()
        }
    }

    @Test("as much may wait as the limit says, and not one octet more")
    func limit() throws {
        for count in [9, 10, 11] {
            let channel = try self.channel(unsentLimit: 10)
            // A packet of which the rest is missing.
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
}
