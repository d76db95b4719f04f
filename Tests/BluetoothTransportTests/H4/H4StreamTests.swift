// Batches, limits, and the pipeline around a stream.

import BluetoothHCI
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("H4 stream")
struct H4StreamTests {
    private static let event: [UInt8] = [0x04, 0x10, 0x01, 0x42]
    private static let command: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    /// Answers each packet with two commands, separately or together.
    private final class Answering: HCIChannelReceiver {
        let isTogether: Bool

        init(isTogether: Bool) { self.isTogether = isTogether }

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            func send() { for _ in 0..<2 { channel.send(HCIPacket(H4StreamTests.command)) } }
            if self.isTogether { channel.sendTogether { send() } } else { send() }
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) {}

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {}
    }

    @Test("writes answers to a batch together at its end", arguments: [true, false])
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

    /// Keeps all writes, as a socket whose peer does not read.
    private final class Keeping: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func flush(context: ChannelHandlerContext) {}
    }

    @Test(
        "ends a connection whose peer does not read exactly at the limit",
        arguments: [(24, false, false), (25, false, true), (26, false, true), (26, true, false)]
    )
    func writeQueueLimit(count: Int, isWritable: Bool, isEnded: Bool) throws {
        let embedded = EmbeddedChannel()
        try embedded.pipeline.syncOperations.addHandler(Keeping())
        let stream = H4Stream(receivingFrom: .host, on: embedded.embeddedEventLoop, writeQueueLimit: 25)
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

    @Test(
        "writes the packets of one turn in chunks of 32 KiB",
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

    /// Counts the reads at the head of the pipeline.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var count = 0

        func read(context: ChannelHandlerContext) {
            self.count += 1
            context.read()
        }
    }

    @Test("a read from before the start happens once after it, if there was one", arguments: 0...2)
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

    /// Answers each packet, sends packets together at the end of a batch, and records what was written at the close.
    private final class AnsweringAtEnd: HCIChannelReceiver {
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

    @Test("writes packets from the end of a batch before an invalid packet ends the connection")
    func sentAtTheEnd() throws {
        let fixture = try H4ChannelTests.Fixture(starts: false)
        let answering = AnsweringAtEnd(fixture.embedded)
        fixture.channel.start(receiver: answering)
        fixture.embedded.embeddedEventLoop.run()
        // An event, and a command, which a controller must not send.
        try fixture.receive([0x04, 0xFF, 0x00, 0x01, 0x03, 0x0C, 0x00])
        #expect(answering.left == [[0x01, 0x01, 0x10, 0x00, 0x01, 0x02, 0x10, 0x00]])
        #expect(!fixture.embedded.isActive)
    }

    /// The handler after the stream.
    private final class NextHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var events: [String] = []

        func channelActive(context: ChannelHandlerContext) { self.events.append("active") }
        func channelInactive(context: ChannelHandlerContext) { self.events.append("inactive") }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.events.append("read") }
        func channelReadComplete(context: ChannelHandlerContext) { self.events.append("read complete") }
        func channelWritabilityChanged(context: ChannelHandlerContext) { self.events.append("writability") }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { self.events.append("error") }
    }

    /// A stream with a handler after it, on an embedded channel.
    private struct PipelineFixture {
        let embedded = EmbeddedChannel()
        let channel: H4Channel
        let next = NextHandler()
        let recorder = Recorder()

        init(starts: Bool) throws {
            self.channel = try H4Channel.adopt(self.embedded, receivingFrom: .controller)
            try self.embedded.pipeline.syncOperations.addHandler(self.next)
            try self.embedded.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
            if starts { self.channel.start(receiver: self.recorder) }
            self.embedded.embeddedEventLoop.run()
        }

        /// The events of the handler after the stream since the last call.
        func takeEvents() -> [String] {
            defer { self.next.events = [] }
            return self.next.events
        }
    }

    @Test(
        "passes each event of the connection to the next handler, but no octets",
        arguments: [true, false]
    )
    func events(isRunning: Bool) throws {
        let fixture = try PipelineFixture(starts: isRunning)
        #expect(fixture.takeEvents() == ["active"])
        try fixture.embedded.writeInbound(ByteBuffer(bytes: [0x04, 0x10, 0x01, 0x42]))
        #expect(fixture.takeEvents() == ["read complete"])
        #expect(fixture.recorder.packets == (isRunning ? [[0x04, 0x10, 0x01, 0x42]] : []))
        fixture.embedded.pipeline.fireChannelWritabilityChanged()
        #expect(fixture.takeEvents() == ["writability"])
        fixture.embedded.pipeline.fireChannelInactive()
        #expect(fixture.takeEvents().contains("inactive"))
        #expect((fixture.recorder.closeReason != nil) == isRunning)
    }

    @Test("passes on the end of the connection even after the stream was closed")
    func closedBefore() throws {
        let fixture = try PipelineFixture(starts: true)
        _ = fixture.takeEvents()
        fixture.channel.close()
        #expect(fixture.takeEvents() == ["inactive"])
        #expect(fixture.recorder.closeReason == nil && !fixture.embedded.isActive)
    }

    @Test("an error ends the connection, is reported as the reason, and is not passed on")
    func error() throws {
        let fixture = try PipelineFixture(starts: true)
        _ = fixture.takeEvents()
        fixture.embedded.pipeline.fireErrorCaught(ChannelError.connectTimeout(.seconds(2)))
        #expect(fixture.takeEvents().filter { $0 != "inactive" } == [])
        #expect(!fixture.embedded.isActive)
        #expect(fixture.recorder.seen.value.count(where: \.isClose) == 1)
    }

    @Test("reports once that a connection is active")
    func active() throws {
        let embedded = EmbeddedChannel()
        let stream = H4Stream(receivingFrom: .host, on: embedded.embeddedEventLoop)
        var count = 0
        stream.whenActive = { count += 1 }
        try embedded.pipeline.syncOperations.addHandler(stream)
        #expect(count == 0 && stream.whenActive != nil)
        for _ in 0..<2 {
            embedded.pipeline.fireChannelActive()
            #expect(count == 1 && stream.whenActive == nil)
        }
    }

    @Test("a stream that was removed from its pipeline releases its callback, and sends nothing")
    func removed() throws {
        let embedded = EmbeddedChannel()
        let stream = H4Stream(receivingFrom: .host, on: embedded.embeddedEventLoop)
        stream.whenActive = {}
        #expect(!stream.isWritable, "a stream outside a pipeline takes nothing")
        try embedded.pipeline.syncOperations.addHandler(stream)
        #expect(stream.isWritable)
        embedded.close(promise: nil)
        embedded.embeddedEventLoop.run()
        #expect(stream.whenActive == nil && !stream.isWritable)
        stream.send(ByteBuffer(bytes: [0x04, 0x10, 0x01, 0x42]))
        embedded.embeddedEventLoop.run()
        #expect(try embedded.readOutbound(as: ByteBuffer.self) == nil)
    }
}
