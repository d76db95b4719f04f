import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("The streams of a page")
struct EventTopicsTests {
    private func stream(_ topics: EventTopics, _ topic: String = "en") throws -> Connection {
        let connection = try Connection(topics: topics) { $1(.events(topic: topic)) }
        try connection.head(.GET, "events/\(topic)")
        try connection.end()
        return connection
    }

    @Test("sends each document once with its number, and the newest one to a new stream")
    func documents() throws {
        let topics = EventTopics()
        func stream(_ topic: String) throws -> Connection { try self.stream(topics, topic) }
        let first = try stream("en")
        #expect(try first.written().text.isEmpty && topics["en"] == nil)
        topics.publish(["en": "1", "de": "eins"])
        let (second, third) = (try stream("en"), try stream("de"))
        #expect(try first.written().text == "event: state\nid: 1\ndata: 1\n\n")
        #expect(try second.written().text == "event: state\nid: 1\ndata: 1\n\n")
        #expect(try third.written().text == "event: state\nid: 1\ndata: eins\n\n")
        topics.publish(["en": "2"])
        topics.publish([:])
        #expect(topics["en"]?.version == 2 && topics["de"]?.version == 1)
        #expect(try first.written().text == "event: state\nid: 2\ndata: 2\n\n")
        #expect(try second.written().text == "event: state\nid: 2\ndata: 2\n\n")
        #expect(try third.written().text.isEmpty)
        // The same text again is a new document.
        topics.publish(["de": "eins"])
        #expect(try third.written().text == "event: state\nid: 2\ndata: eins\n\n")
        // A stream that has ended is sent nothing.
        try second.channel.close().wait()
        second.channel.embeddedEventLoop.run()
        topics.publish(["en": "3"])
        #expect(try first.written().text == "event: state\nid: 3\ndata: 3\n\n")
        second.advance(by: .seconds(60))
        #expect(try second.written().text.isEmpty)
        #expect(topics.connectionCount == 2)
    }

    @Test("sends a slow reader the newest document, and skips those before")
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

    @Test("sends a beat every five seconds, and closes if nothing is read for half a minute")
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

    @Test("gives a reader another half minute whenever it has read, and names its document in the beats")
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

    @Test("serves thirty-two streams, and refuses one more")
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
        // The refused one does not count.
        connections[32].channel.embeddedEventLoop.run()
        #expect(try stream().status == .serviceUnavailable)
        // The end of a stream makes room.
        try connections[3].channel.close().wait()
        connections[3].channel.embeddedEventLoop.run()
        #expect(try stream().status == .ok)
    }
}
