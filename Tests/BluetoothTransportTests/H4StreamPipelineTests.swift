// What the end of an H4 stream leaves to the other handlers of its pipeline: the events of the connection go on to the
// handler behind it, in every state of the stream, and an error of the connection ends it there.

import BluetoothHCI
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("H4 stream: the pipeline around it")
struct H4StreamPipelineTests {
    /// The handler behind the stream.
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

    /// A stream with a handler behind it, on an embedded channel.
    private struct Fixture {
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

        /// What reached the handler behind the stream since the last call.
        func takeEvents() -> [String] {
            defer { self.next.events = [] }
            return self.next.events
        }
    }

    @Test(
        "the handler behind the stream gets each event of the connection, and the octets never",
        arguments: [true, false]
    )
    func events(isRunning: Bool) throws {
        let fixture = try Fixture(starts: isRunning)
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

    @Test("the end of the connection goes on behind a stream that was closed before, too")
    func closedBefore() throws {
        let fixture = try Fixture(starts: true)
        _ = fixture.takeEvents()
        fixture.channel.close()
        #expect(fixture.takeEvents() == ["inactive"])
        #expect(fixture.recorder.closeReason == nil && !fixture.embedded.isActive)
    }

    @Test("an error ends the connection, is the reason that is reported, and goes no further")
    func error() throws {
        let fixture = try Fixture(starts: true)
        _ = fixture.takeEvents()
        fixture.embedded.pipeline.fireErrorCaught(ChannelError.connectTimeout(.seconds(2)))
        #expect(fixture.takeEvents().filter { $0 != "inactive" } == [])
        #expect(!fixture.embedded.isActive)
        #expect(fixture.recorder.seen.value.count(where: \.isClose) == 1)
    }

    @Test("a connection that becomes active twice tells that once")
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

    @Test("a stream that leaves its pipeline lets go of whom it would have told, and sends nothing")
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
