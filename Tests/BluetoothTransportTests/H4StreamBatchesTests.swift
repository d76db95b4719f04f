// An H4 stream between its turns: what is sent while a batch is delivered waits for the end of the batch, and what the
// other end does not take is counted to its limit.

import BluetoothHCI
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("H4 stream: batches, and what waits")
struct H4StreamBatchesTests {
    private static let event: [UInt8] = [0x04, 0x10, 0x01, 0x42]
    private static let command: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    /// Answers each packet with two commands, by themselves or together.
    private final class Answering: HCIChannelReceiver {
        let isTogether: Bool

        init(isTogether: Bool) { self.isTogether = isTogether }

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            func send() { for _ in 0..<2 { channel.send(HCIPacket(H4StreamBatchesTests.command)) } }
            if self.isTogether { channel.sendTogether { send() } } else { send() }
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) {}

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {}
    }

    @Test("What is sent while a batch is delivered leaves when it has ended, as one write", arguments: [true, false])
    func batch(isTogether: Bool) throws {
        let fixture = try H4ChannelTests.Fixture(starts: false)
        let answering = Answering(isTogether: isTogether)
        fixture.channel.start(receiver: answering)
        fixture.embedded.embeddedEventLoop.run()
        for _ in 0..<2 {
            for _ in 0..<2 {
                fixture.embedded.pipeline.syncOperations.fireChannelRead(NIOAny(ByteBuffer(bytes: Self.event)))
                // A turn of the loop is not the end of the batch.
                fixture.embedded.embeddedEventLoop.run()
                #expect(try fixture.written() == [])
            }
            fixture.embedded.pipeline.fireChannelReadComplete()
            #expect(try fixture.written() == [Array([[UInt8]](repeating: Self.command, count: 4).joined())])
        }
        withExtendedLifetime(answering) {}
    }

    /// Keeps what is written, as a socket does that takes nothing.
    private final class Keeping: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func flush(context: ChannelHandlerContext) {}
    }

    @Test(
        "A connection that takes nothing ends when as much waits as the limit says, and not one octet before",
        arguments: [(24, false, false), (25, false, true), (26, false, true), (26, true, false)]
    )
    func unsentLimit(count: Int, isWritable: Bool, isEnded: Bool) throws {
        let embedded = EmbeddedChannel()
        try embedded.pipeline.syncOperations.addHandler(Keeping())
        let stream = H4Stream(receivingFrom: .host, on: embedded.embeddedEventLoop, unsentLimit: 25)
        try embedded.pipeline.syncOperations.addHandler(stream)
        let channel = H4Channel(channel: embedded, stream: stream)
        let recorder = Recorder()
        try embedded.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
        channel.start(receiver: recorder)
        embedded.embeddedEventLoop.run()
        embedded.isWritable = isWritable
        // Twelve octets, and the rest.
        for length in [7, count - 17] {
            channel.send(HCIPacket([0x02, 0x40, 0x00, UInt8(length), 0] + [UInt8](repeating: 7, count: length)))
            embedded.embeddedEventLoop.run()
            if length == 7 { #expect(recorder.closeReason == nil) }
        }
        #expect(recorder.closeReason == (isEnded ? "the host does not read what is sent to it" : nil))
        #expect(embedded.isActive != isEnded)
        withExtendedLifetime(channel) {}
    }
}
