// A browser's connection in virtual time, with a reader that accepts output when its test wants it to.

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

/// Keeps the output until the other end accepts it.
final class SlowReader: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart
    var isSlow = false
    private var waiting: [(NIOAny, EventLoopPromise<Void>?)] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isSlow else { return context.write(data, promise: promise) }
        waiting.append((data, promise))
    }

    func take(_ channel: EmbeddedChannel) throws {
        let context = try channel.pipeline.syncOperations.context(handler: self)
        isSlow = false
        for (data, promise) in waiting { context.write(data, promise: promise) }
        waiting = []
        context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        waiting.forEach { $0.1?.fail(ChannelError.ioOnClosedChannel) }
        context.close(mode: mode, promise: promise)
    }
}

/// A connection, and the server behind it.
struct Connection {
    static let secret = "abcdefghijklmnop"

    let channel: EmbeddedChannel
    let topics: EventTopics
    let reader = SlowReader()

    init(topics: EventTopics = EventTopics(), respond: @escaping ConnectionHandler.Responder) throws {
        let token = try #require(AccessToken(Self.secret))
        self.topics = topics
        channel = EmbeddedChannel()
        let handler = ConnectionHandler(
            check: RequestCheck(port: 8088, token: token),
            topics: topics,
            respond: respond
        )
        try channel.pipeline.syncOperations.addHandlers([reader, handler])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8088)).wait()
    }

    func send(_ head: HTTPRequestHead) throws { try channel.writeInbound(HTTPServerRequestPart.head(head)) }

    func head(_ method: HTTPMethod = .GET, _ path: String = "") throws {
        let fields = [
            ("Host", "localhost:8088"), ("Origin", "http://localhost:8088"), ("Content-Type", "application/json"),
            ("Accept-Language", "de"),
        ]
        let head = HTTPRequestHead(
            version: .http1_1,
            method: method,
            uri: "/\(Self.secret)/\(path)",
            headers: HTTPHeaders(fields)
        )
        try channel.writeInbound(HTTPServerRequestPart.head(head))
    }

    func body(_ count: Int) throws {
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(repeating: 0x20, count: count)))
    }

    func end() throws {
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.embeddedEventLoop.run()
    }

    /// The status and the text of the output since the last call.
    func written() throws -> (status: HTTPResponseStatus?, fields: HTTPHeaders, text: String) {
        var (status, fields, text): (HTTPResponseStatus?, HTTPHeaders, String) = (nil, [:], "")
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            switch part {
            case .head(let head): (status, fields) = (head.status, head.headers)
            case .body(.byteBuffer(let buffer)): text += String(buffer: buffer)
            case .body, .end: break
            }
        }
        return (status, fields, text)
    }

    func advance(by time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
}
