// A connection in virtual time: parts of a request go in, parts of an answer come out.

import Fixtures
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("A connection of a browser")
struct ConnectionHandlerTests {
    @Test("A request reaches the program, and its answer the browser, with what protects it")
    func answer() throws {
        let connection = try Connection { request, respond in
            #expect(request == WebRequest(intent: .post(Array("  ".utf8)), path: "do", languages: "de"))
            respond(.content(type: "text/plain", Array("done".utf8)))
        }
        try connection.head(.POST, "do")
        try connection.body(2)
        try connection.end()
        let (status, fields, text) = try connection.written()
        #expect(status == .ok && text == "done")
        #expect(fields["Content-Type"] == ["text/plain"] && fields["Content-Length"] == ["4"])
        #expect(fields["Cache-Control"] == ["no-store"] && fields["Referrer-Policy"] == ["no-referrer"])
        let policy = try #require(fields["Content-Security-Policy"].first)
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"))
        #expect(fields["Access-Control-Allow-Origin"].isEmpty)
    }

    @Test(
        "What makes no sense, and what is not there",
        arguments: [(.missing, 404), (.senseless, 400)] as [(WebResponse, UInt)]
    )
    func refusals(response: WebResponse, status: UInt) throws {
        let connection = try Connection { $1(response) }
        try connection.head()
        try connection.end()
        #expect(try connection.written().status?.code == status)
    }

    @Test("A body that is too long is refused, and never reaches the program")
    func tooLong() throws {
        let connection = try Connection { _, _ in Issue.record("the program was asked") }
        try connection.head(.POST, "do")
        try connection.body(ConnectionHandler.bodyLimit)
        #expect(try connection.written().status == nil)
        try connection.body(1)
        #expect(try connection.written().status == .payloadTooLarge)
        // The rest is not kept.
        try connection.body(100_000)
        try connection.end()
        #expect(try connection.written().status == nil)
    }

    @Test("Octets beyond the limit of a connection end it")
    func octets() throws {
        let channel = EmbeddedChannel(handler: OctetLimit())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8088)).wait()
        try channel.writeInbound(ByteBuffer(repeating: 0x41, count: OctetLimit.limit))
        #expect(channel.isActive)
        try channel.writeInbound(ByteBuffer(repeating: 0x41, count: 1))
        #expect(!channel.isActive)
    }

    @Test("A request that does not come, or not whole, is not waited for", arguments: [0, 1, 2])
    func slowRequest(parts: Int) throws {
        let connection = try Connection { _, _ in }
        if parts > 0 { try connection.head(.POST, "do") }
        if parts > 1 { try connection.body(10) }
        #expect(connection.topics.connectionCount == 1)
        connection.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(connection.channel.isActive)
        connection.advance(by: .nanoseconds(1))
        #expect(!connection.channel.isActive)
        #expect(connection.topics.connectionCount == 0)
    }

    @Test("A program that does not answer has ten seconds of its own")
    func slowAnswer() throws {
        let connection = try Connection { _, _ in }
        connection.advance(by: .seconds(9))
        try connection.head()
        try connection.end()
        connection.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(connection.channel.isActive)
        connection.advance(by: .nanoseconds(1))
        #expect(!connection.channel.isActive)
        #expect(try connection.written().status == nil)
    }

    @Test("What is not HTTP is told so as the first thing, and ends the connection later on")
    func ill() throws {
        let connection = try Connection { _, _ in }
        connection.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        let (status, fields, text) = try connection.written()
        #expect(status == .badRequest && text == "That is not HTTP.\n")
        #expect(fields["Content-Type"] == ["text/plain; charset=utf-8"] && fields["Connection"] == ["close"])
        let later = try Connection { _, _ in }
        try later.head(.POST, "do")
        later.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(try later.written().status == nil)
        #expect(!later.channel.isActive)
        let other = try Connection { _, _ in }
        other.channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        #expect(try other.written().status == nil)
        #expect(!other.channel.isActive)
    }

    @Test("Behind the first request nothing is heard, and a body without a head is nothing")
    func behind() throws {
        let connection = try Connection { request, respond in
            #expect(request.intent == .get && request.path == "")
            respond(.content(type: "text/plain", []))
        }
        try connection.body(2)
        try connection.end()
        #expect(try connection.written().status == nil)
        try connection.head()
        try connection.head(.POST, "do")
        try connection.end()
        #expect(try connection.written().status == .ok)
        try connection.head(.POST, "do")
        try connection.end()
        #expect(try connection.written().status == nil)
    }

    @Test("An address without its last slash leads to the one with it; a refusal has its status and its words")
    func refused() throws {
        func answer(_ uri: String) throws -> (status: HTTPResponseStatus?, fields: HTTPHeaders, text: String) {
            let connection = try Connection { _, _ in Issue.record("the program was asked") }
            let fields = HTTPHeaders([("Host", "localhost:8088")])
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: fields)
            try connection.channel.writeInbound(HTTPServerRequestPart.head(head))
            try connection.end()
            return try connection.written()
        }
        let (status, fields, text) = try answer("/" + Connection.secret)
        #expect(status == .permanentRedirect && fields["Location"] == ["/\(Connection.secret)/"] && text == "\n")
        #expect(try answer("/x/").status == .forbidden)
        #expect(try answer("/x/").text == RequestCheck.Refusal.token.words + "\n")
        #expect(try answer("*").status == .badRequest)
    }

    @Test("Sixty-four connections are served at a time")
    func connectionLimit() throws {
        let topics = EventTopics()
        let all = try (1..<64).map { _ in try Connection(topics: topics) { _, _ in } }
        #expect(topics.hasRoom && all.count == 63)
        let last = try Connection(topics: topics) { _, _ in }
        #expect(!topics.hasRoom)
        try last.channel.close().wait()
        last.channel.embeddedEventLoop.run()
        #expect(topics.hasRoom)
    }

    // MARK: Streams

    private func stream(_ topics: EventTopics = EventTopics()) throws -> Connection {
        let connection = try Connection(topics: topics) { $1(.events(topic: "en")) }
        try connection.head(.GET, "events/en")
        try connection.end()
        return connection
    }

    @Test("A stream begins with the newest document and gets each newer one; others' topics are not its own")
    func documents() throws {
        let topics = EventTopics()
        topics.publish(["en": "1", "de": "eins"])
        let connection = try stream(topics)
        let (status, fields, text) = try connection.written()
        #expect(status == .ok && fields["Content-Type"] == ["text/event-stream; charset=utf-8"])
        #expect(text == "event: state\nid: 1\ndata: 1\n\n")
        topics.publish(["de": "zwei"])
        #expect(try connection.written().text.isEmpty)
        topics.publish(["en": "2"])
        #expect(try connection.written().text == "event: state\nid: 2\ndata: 2\n\n")
    }

    @Test("A slow reader gets the newest document when it takes one, not those between")
    func slowReader() throws {
        let topics = EventTopics()
        let connection = try stream(topics)
        _ = try connection.written()
        connection.reader.isSlow = true
        for number in 1...1000 { topics.publish(["en": "\(number)"]) }
        #expect(try connection.written().text.isEmpty)
        try connection.reader.take(connection.channel)
        let documents = ["event: state\nid: 1\ndata: 1\n\n", "event: state\nid: 1000\ndata: 1000\n\n"]
        #expect(try connection.written().text == documents.joined())
    }

    @Test("A beat comes every five seconds; a reader that takes nothing for half a minute is left")
    func beats() throws {
        let topics = EventTopics()
        let connection = try stream(topics)
        _ = try connection.written()
        connection.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(try connection.written().text.isEmpty)
        connection.advance(by: .nanoseconds(1))
        #expect(try connection.written().text == "event: beat\ndata: 0\n\n")
        connection.advance(by: .seconds(5))
        #expect(try connection.written().text == "event: beat\ndata: 0\n\n")
        connection.reader.isSlow = true
        topics.publish(["en": "1"])
        connection.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(connection.channel.isActive)
        connection.advance(by: .nanoseconds(1))
        #expect(!connection.channel.isActive && topics.connectionCount == 0)
    }

    @Test("A reader that takes what there is has half a minute again, and its beats name what it has")
    func slowAgain() throws {
        let topics = EventTopics()
        let connection = try stream(topics)
        for number in 1...2 {
            connection.reader.isSlow = true
            topics.publish(["en": "x"])
            connection.advance(by: .seconds(25))
            _ = try connection.written()
            try connection.reader.take(connection.channel)
            #expect(try connection.written().text == "event: state\nid: \(number)\ndata: x\n\n")
            connection.advance(by: .seconds(5))
            #expect(try connection.written().text == "event: beat\ndata: \(number)\n\n")
        }
        #expect(connection.channel.isActive)
    }

    @Test("There is a limit to streams, which a stream that ends makes room under")
    func streamLimit() throws {
        let topics = EventTopics()
        let all = try (0..<EventTopics.streamLimit).map { _ in try stream(topics) }
        for connection in all { #expect(try connection.written().status == .ok) }
        #expect(try stream(topics).written().status == .serviceUnavailable)
        try all[3].channel.close().wait()
        all[3].channel.embeddedEventLoop.run()
        #expect(try stream(topics).written().status == .ok)
    }

    @Test("An answer that comes after the connection's end, or twice, is nothing")
    func late() throws {
        let connection = try Connection { _, respond in
            respond(.missing)
            respond(.senseless)
        }
        try connection.head()
        try connection.end()
        #expect(try connection.written().status == .notFound)
        #expect(try connection.written().status == nil)
        let closed = try Connection { _, _ in }
        try closed.head()
        try closed.end()
        try closed.channel.close().wait()
        closed.topics.publish(["en": "1"])
    }
}
