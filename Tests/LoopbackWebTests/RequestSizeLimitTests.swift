import NIOCore
import NIOEmbedded
import Testing

@testable import LoopbackWeb

@Suite("The limit of octets of a connection")
struct RequestSizeLimitTests {
    @Test("closes after more than 98,304 octets, in any number of parts", arguments: [1, 3, 4_096])
    func connection(parts: Int) throws {
        for more in [0, 1] {
            let channel = EmbeddedChannel(handler: RequestSizeLimit())
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8088)).wait()
            for _ in 0..<parts { try channel.writeInbound(ByteBuffer(repeating: 0x41, count: 98_304 / parts)) }
            #expect(channel.isActive)
            if more > 0 { try channel.writeInbound(ByteBuffer(repeating: 0x41, count: more)) }
            #expect(channel.isActive == (more == 0))
        }
    }

    @Test("passes on what is within the limit, and nothing else")
    func passedOn() throws {
        let channel = EmbeddedChannel(handler: RequestSizeLimit())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8088)).wait()
        try channel.writeInbound(ByteBuffer(repeating: 0x41, count: 98_303))
        try channel.writeInbound(ByteBuffer(repeating: 0x42, count: 1))
        try channel.writeInbound(ByteBuffer(repeating: 0x43, count: 1))
        #expect(try channel.readInbound(as: ByteBuffer.self)?.readableBytes == 98_303)
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "B"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
    }
}
