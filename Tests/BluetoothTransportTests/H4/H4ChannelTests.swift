import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("H4 channel")
struct H4ChannelTests {
    static let fromController: [[UInt8]] = [
        [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00],
        [0x02, 0x40, 0x20, 0x05, 0x00, 1, 0, 4, 0, 9],
        [0x04, 0xFF, 0x00],
        [0x05, 0x40, 0x00, 0x01, 0x00, 7],
        [0x03, 0x40, 0x00, 0x02, 7, 8],
    ]

    /// An H4 channel at one end of an embedded one.
    struct Fixture {
        let embedded = EmbeddedChannel()
        let channel: H4Channel
        let recorder: Recorder

        init(
            receivingFrom sender: H4Framer.Sender = .controller,
            starts: Bool = true,
            answer: @escaping @Sendable (HCIPacket) -> [HCIPacket] = { _ in [] }
        ) throws {
            self.channel = try H4Channel.adopt(self.embedded, receivingFrom: sender)
            self.recorder = Recorder(answer: answer)
            try self.embedded.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
            if starts {
                self.channel.start(receiver: self.recorder)
                self.embedded.embeddedEventLoop.run()
            }
        }

        func receive(_ octets: some Sequence<UInt8>) throws {
            try self.embedded.writeInbound(ByteBuffer(bytes: octets))
        }

        /// The writes since the last call.
        func written() throws -> [[UInt8]] {
            var writes: [[UInt8]] = []
            while let buffer = try self.embedded.readOutbound(as: ByteBuffer.self) {
                writes.append(Array(buffer.readableBytesView))
            }
            return writes
        }
    }

    @Test("delivers the same packets however a stream is split in two reads; each read is one batch")
    func splits() throws {
        let stream = Array(Self.fromController.joined())
        for split in 0...stream.count {
            let fixture = try Fixture()
            try fixture.receive(stream[..<split])
            try fixture.receive(stream[split...])
            #expect(fixture.recorder.packets == Self.fromController)
            // A batch ends only if packets were delivered, and never before them.
            let batches = fixture.recorder.seen.value.split(separator: .endOfBatch, omittingEmptySubsequences: false)
            #expect(batches.last?.isEmpty == true)
            #expect(batches.dropLast().allSatisfy { !$0.isEmpty })
            #expect(batches.count <= 3)
        }
    }

    @Test("writes packets that are sent together immediately")
    func together() throws {
        let fixture = try Fixture()
        let packet = HCIPacket(h4: ByteBuffer(bytes: [0x01, 0x03, 0x0C, 0x00]))
        fixture.channel.sendTogether {
            fixture.channel.send(packet)
            fixture.channel.sendTogether { fixture.channel.send(packet) }
            #expect((try? fixture.written()) == [])
        }
        #expect(try fixture.written() == [[0x01, 0x03, 0x0C, 0x00, 0x01, 0x03, 0x0C, 0x00]])
        // No turn is scheduled, and a packet that is sent by itself has its own.
        fixture.embedded.embeddedEventLoop.run()
        #expect(try fixture.written() == [])
        fixture.channel.send(packet)
        #expect(try fixture.written() == [])
        fixture.embedded.embeddedEventLoop.run()
        #expect(try fixture.written() == [[0x01, 0x03, 0x0C, 0x00]])
    }

    @Test("delivers packets and the end of a connection from before the start in a later turn")
    func heldAndClosed() throws {
        let fixture = try Fixture(starts: false)
        try fixture.receive(Self.fromController.joined())
        _ = try? fixture.embedded.finish()
        fixture.channel.start(receiver: fixture.recorder)
        #expect(fixture.recorder.seen.value.isEmpty)
        fixture.embedded.embeddedEventLoop.run()
        let expected = Self.fromController.map { Seen.packet($0) } + [.endOfBatch]
        #expect(fixture.recorder.seen.value == expected + [.close("the controller closed the connection")])
    }

    @Test("reports the end of the connection once, with one line", arguments: [false, true])
    func closed(isInsidePacket: Bool) throws {
        let fixture = try Fixture()
        try fixture.receive(Self.fromController[0] + (isInsidePacket ? Self.fromController[1].dropLast() : []))
        _ = try? fixture.embedded.finish()
        fixture.channel.send(HCIPacket([0x01, 0x03, 0x0C, 0x00]))
        fixture.embedded.embeddedEventLoop.run()
        let reason = "the controller closed the connection" + (isInsidePacket ? " in the middle of a packet" : "")
        #expect(fixture.recorder.seen.value == [.packet(Self.fromController[0]), .endOfBatch, .close(reason)])
    }

    @Test("names an error of the system")
    func broken() throws {
        let fixture = try Fixture()
        fixture.embedded.pipeline.fireErrorCaught(IOError(errnoCode: 104, reason: "read"))
        fixture.embedded.embeddedEventLoop.run()
        #expect(fixture.recorder.closeReason == "the connection to the controller broke: Connection reset by peer")
    }

    @Test(
        "ends the connection at a packet that only a host may send",
        arguments: [[0x00], [0x01, 0x03, 0x0C, 0x00], [0xFF], Array("HTTP/1.1 400".utf8)] as [[UInt8]]
    )
    func hostileController(octets: [UInt8]) throws {
        let fixture = try Fixture()
        try fixture.receive(Self.fromController[0] + octets)
        let seen = fixture.recorder.seen.value
        #expect(seen.prefix(2) == [.packet(Self.fromController[0]), .endOfBatch])
        #expect(seen.count == 3)
        #expect(fixture.recorder.closeReason?.contains("the controller sent") == true)
        #expect(!fixture.embedded.isActive)
        // Nothing more is sent or delivered.
        fixture.channel.send(HCIPacket([0x01, 0x03, 0x0C, 0x00]))
        fixture.embedded.embeddedEventLoop.run()
        #expect(try fixture.written().isEmpty)
    }

    @Test("ends the connection at a packet that only a controller may send")
    func hostileHost() throws {
        let fixture = try Fixture(receivingFrom: .host)
        try fixture.receive([0x01, 0x03, 0x0C, 0x00, 0x04, 0x0E, 0x00])
        #expect(fixture.recorder.packets == [[0x01, 0x03, 0x0C, 0x00]])
        #expect(fixture.recorder.closeReason == "the host sent a packet that only the other side may send")
    }

    @Test("writes sent packets after closing, and delivers nothing more")
    func closing() throws {
        let fixture = try Fixture()
        fixture.channel.send(HCIPacket([0x01, 0x03, 0x0C, 0x00]))
        fixture.channel.close()
        #expect(try fixture.written() == [[0x01, 0x03, 0x0C, 0x00]])
        #expect(!fixture.embedded.isActive)
        fixture.embedded.embeddedEventLoop.run()
        #expect(fixture.recorder.seen.value.isEmpty)
    }

    @Test("is writable as long as the connection is")
    func writability() throws {
        let fixture = try Fixture()
        #expect(fixture.channel.isWritable)
        try fixture.embedded.close().wait()
        fixture.embedded.embeddedEventLoop.run()
        #expect(!fixture.channel.isWritable)
    }

    @Test("a receiver that closes the channel inside a batch gets nothing after that packet")
    func closingInsideBatch() throws {
        final class Closing: HCIChannelReceiver {
            var count = 0
            func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
                self.count += 1
                if self.count == 2 { channel.close() }
            }
            func channelDidFinishBatch(_ channel: any HCIChannel) { self.count += 100 }
            func channel(_ channel: any HCIChannel, didCloseBecause reason: String) { self.count += 1_000 }
        }
        let fixture = try Fixture(starts: false)
        let closing = Closing()
        fixture.channel.start(receiver: closing)
        fixture.embedded.embeddedEventLoop.run()
        try fixture.receive(Self.fromController.joined())
        fixture.embedded.embeddedEventLoop.run()
        #expect(closing.count == 2)
        #expect(!fixture.embedded.isActive)
    }

    @Test("a deallocated channel closes its connection")
    func released() throws {
        let embedded = EmbeddedChannel()
        try embedded.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
        var channel: H4Channel? = try H4Channel.adopt(embedded, receivingFrom: .controller)
        channel?.start(receiver: Recorder())
        embedded.embeddedEventLoop.run()
        #expect(embedded.isActive)
        channel = nil
        embedded.embeddedEventLoop.run()
        #expect(!embedded.isActive)
    }

    @Test("a channel looks up its peer once")
    func kept() throws {
        let embedded = EmbeddedChannel()
        embedded.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 80)
        let channel = try H4Channel.adopt(embedded, receivingFrom: .controller)
        #expect(channel.peer == .network("127.0.0.1:80"))
        embedded.remoteAddress = nil
        #expect(channel.peer == .network("127.0.0.1:80"))
    }
}
