// The sizes of an H4 stream, and what it does at the two ends of its life: when reading begins, and what a receiver
// sends while the connection is ended.

import BluetoothHCI
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("H4 stream: sizes, begin and end")
struct H4StreamLimitsTests {
    @Test(
        "What is sent in one turn is handed over when it has 32 KiB, and nothing is written of an empty rest",
        arguments: [(4_095, [32_760]), (4_096, [32_768]), (4_097, [32_768, 8]), (8_193, [32_768, 32_768, 8])]
    )
    func chunks(packetCount: Int, sizes: [Int]) throws {
        let fixture = try H4ChannelTests.Fixture()
        for turn in 0..<2 {
            for _ in 0..<packetCount { fixture.channel.send(HCIPacket([0x02, 0x40, 0x00, 3, 0, 1, 2, 3])) }
            #expect(try fixture.written() == [], "turn \(turn)")
            fixture.embedded.embeddedEventLoop.run()
            #expect(try fixture.written().map(\.count) == sizes, "turn \(turn)")
        }
    }

    @Test("A connection takes nothing more from 64 KiB that wait on, and again from 32 KiB")
    func waterMark() {
        #expect(H4Channel.waterMark.low == 32_768)
        #expect(H4Channel.waterMark.high == 65_536)
        #expect(H4Stream.strayLimit == 16_384)
    }

    /// Counts how often reading is asked for, where the octets come in.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var count = 0

        func read(context: ChannelHandlerContext) {
            self.count += 1
            context.read()
        }
    }

    @Test("Reading that was asked for before the start begins behind it, once, and none that was not", arguments: 0...2)
    func reads(askedFor: Int) throws {
        let embedded = EmbeddedChannel()
        let counter = ReadCounter()
        try embedded.pipeline.syncOperations.addHandler(counter)
        let channel = try H4Channel.adopt(embedded, receivingFrom: .controller)
        try embedded.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
        for _ in 0..<askedFor { embedded.read() }
        #expect(counter.count == 0)
        let recorder = Recorder()
        channel.start(receiver: recorder)
        #expect(counter.count == 0)
        embedded.embeddedEventLoop.run()
        #expect(counter.count == min(askedFor, 1))
        embedded.read()
        #expect(counter.count == min(askedFor, 1) + 1)
        channel.close()
        embedded.read()
        #expect(counter.count == min(askedFor, 1) + 1)
    }

    /// Answers each packet, sends something together at the end of a batch, and looks at what has left when it closes.
    private final class Answering: HCIChannelReceiver {
        let embedded: EmbeddedChannel
        var left: [[UInt8]]?

        init(_ embedded: EmbeddedChannel) { self.embedded = embedded }

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            channel.send(HCIPacket([0x01, 0x01, 0x10, 0x00]))
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) {
            channel.sendTogether { channel.send(HCIPacket([0x01, 0x02, 0x10, 0x00])) }
        }

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
            var writes: [[UInt8]] = []
            while let buffer = (try? self.embedded.readOutbound(as: ByteBuffer.self)) ?? nil {
                writes.append(Array(buffer.readableBytesView))
            }
            self.left = writes
        }
    }

    @Test("What a receiver sends together at the end of a batch leaves before the connection ends for a wrong packet")
    func sentAtTheEnd() throws {
        let fixture = try H4ChannelTests.Fixture(starts: false)
        let answering = Answering(fixture.embedded)
        fixture.channel.start(receiver: answering)
        fixture.embedded.embeddedEventLoop.run()
        // An event, and a command, which no controller sends.
        try fixture.receive([0x04, 0xFF, 0x00, 0x01, 0x03, 0x0C, 0x00])
        #expect(answering.left == [[0x01, 0x01, 0x10, 0x00, 0x01, 0x02, 0x10, 0x00]])
        #expect(!fixture.embedded.isActive)
    }
}
