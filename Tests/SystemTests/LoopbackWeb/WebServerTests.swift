// The server on real sockets of loopback: who has the port, what is served there, and the limits of a request.

import Fixtures
import Foundation
import Testing

@testable import LoopbackWeb

@Suite("A page on loopback")
struct WebServerTests {
    private let token = AccessToken("abcdefghijklmnop") ?? AccessToken()

    /// A server that answers with the path, or with the stream of a topic.
    private func server() -> WebServer {
        WebServer(token: token) { request, respond in
            if request.path.hasPrefix("events/") {
                respond(.events(topic: String(request.path.dropFirst(7))))
            } else {
                respond(.content(type: "text/plain", Array(request.path.utf8)))
            }
        }
    }

    @Test("A page has an address of its own, at which it answers; a second page gets another port, or none")
    func address() throws {
        let port = try pagePort(try server().start(port: 0))
        #expect(try statusLine(port, "") == "HTTP/1.1 200 OK")
        let other = server()
        #expect(throws: WebServer.Failure.portInUse) { try other.start(port: port) }
        let second = try pagePort(try other.start(port: 0))
        #expect(second != port)
        #expect(try statusLine(second, "Host: x\r\n") == "HTTP/1.1 421 Misdirected Request")
    }

    @Test("A field has up to 16,384 octets, all of them 65,536, and there are up to a hundred")
    func limits() throws {
        let port = try pagePort(try server().start(port: 0))
        func field(_ count: Int, _ name: String = "A") -> String {
            "\(name): \(String(repeating: "a", count: count))\r\n"
        }
        #expect(try statusLine(port, field(16_000)) == "HTTP/1.1 200 OK")
        #expect(try statusLine(port, field(17_000)) != "HTTP/1.1 200 OK")
        #expect(try statusLine(port, (0..<4).map { field(16_000, "F\($0)") }.joined()) == "HTTP/1.1 200 OK")
        #expect(try statusLine(port, (0..<5).map { field(14_000, "F\($0)") }.joined()) != "HTTP/1.1 200 OK")
        #expect(try statusLine(port, (0..<99).map { field(1, "F\($0)") }.joined()) == "HTTP/1.1 200 OK")
        #expect(try statusLine(port, (0..<100).map { field(1, "F\($0)") }.joined()) != "HTTP/1.1 200 OK")
    }

    @Test("A stream gets what is published")
    func stream() throws {
        let server = server()
        let port = try pagePort(try server.start(port: 0))
        let client = try RawSocket(port: port)
        client.send(Array("GET /abcdefghijklmnop/events/en HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8))
        let start = client.read(15)
        #expect(String(decoding: start, as: UTF8.self) == "HTTP/1.1 200 OK")
        server.publish(["en": "news"])
        let octets = client.read(through: "news\n\n")
        #expect(String(decoding: octets, as: UTF8.self).contains("event: state\nid: 1\ndata: news\n\n"))
    }

    @Test("What is not HTTP, and what is more than a connection may send, has its answer or its end")
    func ill() throws {
        let port = try pagePort(try server().start(port: 0))
        let client = try RawSocket(port: port)
        client.send(Array("what is this\r\n\r\n".utf8))
        #expect(String(decoding: client.read(24), as: UTF8.self) == "HTTP/1.1 400 Bad Request")
        let flood = try RawSocket(port: port)
        flood.send(Array(repeating: 0x41, count: OctetLimit.limit + 1))
        #expect(flood.endsWithin20Seconds())
    }

    @Test("Sixty-four connections are served, and one more is closed at once")
    func connectionLimit() throws {
        let port = try pagePort(try server().start(port: 0))
        // Those who have an answer are served: a stream stays open, the others wait for their time.
        let clients = try (0..<EventTopics.connectionLimit).map { _ in try RawSocket(port: port) }
        let last = try RawSocket(port: port)
        #expect(last.endsWithin20Seconds())
        clients[0].send(Array("GET /abcdefghijklmnop/x HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8))
        #expect(String(decoding: clients[0].read(15), as: UTF8.self) == "HTTP/1.1 200 OK")
    }
}
