// What a browser and the program are told where something is refused: the status and the words of each refusal, why a
// page cannot be served, and the order in which the parts of a request are looked at.

import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("Refusals of a page on loopback")
struct PageRefusalTests {
    private static let secret = "abcdefghijklmnop"

    private static let refusals: [(RequestCheck.Refusal, UInt, String)] = [
        (.target, 400, "The target of a request is a path."),
        (.host, 421, "This page has another name: open the address that the program has printed."),
        (.origin, 403, "A page of another origin may not use this one."),
        (.token, 403, "The address needs its token: open the one that the program has printed."),
        (.method, 405, "A request is GET or POST."), (.contentType, 415, "What is posted is application/json."),
    ]

    @Test("Each refusal has its status and its words")
    func words() {
        for (refusal, status, words) in Self.refusals {
            #expect(refusal.status.code == status && refusal.words == words, "\(refusal)")
        }
    }

    @Test("Each refusal ends the connection as a text, with its status, before a body comes")
    func answers() throws {
        let right = [
            ("Host", "localhost:8088"), ("Origin", "http://localhost:8088"), ("Content-Type", "application/json"),
        ]
        func answer(_ method: HTTPMethod, _ uri: String, without name: String? = nil) throws -> Connection {
            let connection = try Connection { _, _ in Issue.record("the program was asked") }
            let fields = HTTPHeaders(right.filter { $0.0 != name })
            try connection.send(HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: fields))
            return connection
        }
        let page = "/\(Self.secret)/"
        let connections = [
            try answer(.POST, "*"), try answer(.POST, page, without: "Host"),
            try answer(.POST, page, without: "Origin"), try answer(.POST, "/x/"), try answer(.PUT, page),
            try answer(.POST, page, without: "Content-Type"),
        ]
        for (connection, (refusal, status, words)) in zip(connections, Self.refusals) {
            connection.channel.embeddedEventLoop.run()
            let (code, fields, text) = try connection.written()
            #expect(code?.code == status && text == words + "\n", "\(refusal)")
            #expect(fields["Content-Type"] == ["text/plain; charset=utf-8"])
            #expect(fields["Content-Length"] == [String(words.utf8.count + 1)])
        }
    }

    @Test("Of several refusals the first is said: target, host, origin, token, method, type")
    func order() throws {
        let token = try #require(AccessToken(Self.secret))
        let check = RequestCheck(port: 8088, token: token)
        func verdict(_ method: HTTPMethod, _ uri: String, _ fields: [(String, String)]) -> RequestCheck.Verdict {
            check.verdict(HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(fields)))
        }
        let (host, origin) = (("Host", "localhost:8088"), ("Origin", "http://localhost:8088"))
        #expect(verdict(.PUT, "x", []) == .refused(.target))
        #expect(verdict(.PUT, "/x/", []) == .refused(.host))
        #expect(verdict(.PUT, "/x/", [host]) == .refused(.origin))
        #expect(verdict(.PUT, "/x/", [host, origin]) == .refused(.token))
        #expect(verdict(.PUT, "/\(Self.secret)/", [host, origin]) == .refused(.method))
        #expect(verdict(.POST, "/\(Self.secret)/", [host, origin]) == .refused(.contentType))
        #expect(verdict(.POST, "/\(Self.secret)", [host, origin]) == .refused(.contentType))
        let json = ("Content-Type", "application/json")
        #expect(verdict(.POST, "/\(Self.secret)", [host, origin, json]) == .slashMissing)
        #expect(verdict(.POST, "/\(Self.secret)/", [host, origin, json]) == .obeyed(path: ""))
    }

    @Test("Why a page cannot be served: the port is in use, it is not the user's, or what the system says")
    func failures() {
        func failure(_ code: CInt) -> WebServer.Failure {
            WebServer.failure(IOError(errnoCode: code, reason: "bind"))
        }
        #expect(failure(EADDRINUSE) == .portInUse)
        #expect(failure(EACCES) == .portForbidden)
        let other = IOError(errnoCode: EMFILE, reason: "bind")
        #expect(WebServer.failure(other) == .other("\(other)"))
        #expect(WebServer.failure(ChannelError.eof) == .other("\(ChannelError.eof)"))
        for known in [WebServer.Failure.portInUse, .portForbidden, .other("x")] {
            #expect(WebServer.failure(known) == known)
        }
    }

    // MARK: Documents

    @Test("A document is sent once, with a number of its topic; what was published before is there for later streams")
    func documents() throws {
        let topics = EventTopics()
        func stream(_ topic: String) throws -> Connection {
            let connection = try Connection(topics: topics) { $1(.events(topic: topic)) }
            try connection.head(.GET, "events/\(topic)")
            try connection.end()
            return connection
        }
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
        // The same text again is another document.
        topics.publish(["de": "eins"])
        #expect(try third.written().text == "event: state\nid: 2\ndata: eins\n\n")
        // A stream that has ended is sent nothing.
        try second.channel.close().wait()
        second.channel.embeddedEventLoop.run()
        topics.publish(["en": "3"])
        #expect(try first.written().text == "event: state\nid: 3\ndata: 3\n\n")
        #expect(topics.connectionCount == 2)
    }
}
