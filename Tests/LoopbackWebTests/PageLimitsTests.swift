// The limits of a page as the documentation has them, each at its exact edge: the octets of a connection, of a body, of
// a field and of all fields, and how many streams there may be.

import Fixtures
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("The limits of a page on loopback, as numbers")
struct PageLimitsTests {
    @Test("A connection may send 98,304 octets, in any number of parts", arguments: [1, 3, 4_096])
    func connection(parts: Int) throws {
        for more in [0, 1] {
            let channel = EmbeddedChannel(handler: OctetLimit())
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8088)).wait()
            for _ in 0..<parts { try channel.writeInbound(ByteBuffer(repeating: 0x41, count: 98_304 / parts)) }
            #expect(channel.isActive)
            if more > 0 { try channel.writeInbound(ByteBuffer(repeating: 0x41, count: more)) }
            #expect(channel.isActive == (more == 0))
        }
    }

    @Test("What goes beyond the limit of a connection is not passed on, and what is within it is, whole")
    func passedOn() throws {
        let channel = EmbeddedChannel(handler: OctetLimit())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8088)).wait()
        try channel.writeInbound(ByteBuffer(repeating: 0x41, count: 98_303))
        try channel.writeInbound(ByteBuffer(repeating: 0x42, count: 1))
        try channel.writeInbound(ByteBuffer(repeating: 0x43, count: 1))
        #expect(try channel.readInbound(as: ByteBuffer.self)?.readableBytes == 98_303)
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "B"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
    }

    @Test("A body may have 8,192 octets, in any number of parts", arguments: [8_192, 8_193])
    func body(count: Int) throws {
        for parts in [1, 2] {
            let connection = try Connection { request, respond in
                #expect(request.intent == .post(Array(repeating: 0x20, count: 8_192)))
                respond(.content(type: "text/plain", []))
            }
            try connection.head(.POST, "do")
            if parts > 1 { try connection.body(1) }
            try connection.body(count - parts + 1)
            try connection.end()
            #expect(try connection.written().status == (count == 8_192 ? .ok : .payloadTooLarge))
        }
    }

    @Test("Thirty-two streams are sent at a time, and one more is refused in words")
    func streams() throws {
        let topics = EventTopics()
        var connections: [Connection] = []
        func stream() throws -> (status: HTTPResponseStatus?, fields: HTTPHeaders, text: String) {
            let connection = try Connection(topics: topics) { $1(.events(topic: "en")) }
            try connection.head(.GET, "events/en")
            try connection.end()
            connections.append(connection)
            return try connection.written()
        }
        for _ in 0..<32 { #expect(try stream().status == .ok) }
        let (status, fields, text) = try stream()
        #expect(status == .serviceUnavailable && text == "Too many pages are open.\n")
        #expect(fields["Content-Type"] == ["text/plain; charset=utf-8"] && connections.count == 33)
        // The one that was refused takes no place of a stream.
        connections[32].channel.embeddedEventLoop.run()
        #expect(try stream().status == .serviceUnavailable)
    }

    @Test("With a stream that its reader has closed, its beats and documents end")
    func endedStream() throws {
        let topics = EventTopics()
        let connection = try Connection(topics: topics) { $1(.events(topic: "en")) }
        try connection.head(.GET, "events/en")
        try connection.end()
        _ = try connection.written()
        try connection.channel.close().wait()
        connection.channel.embeddedEventLoop.run()
        #expect(topics.connectionCount == 0)
        topics.publish(["en": "1"])
        connection.advance(by: .seconds(60))
        #expect(try connection.written().text.isEmpty)
    }
}
