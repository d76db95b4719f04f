// Connections to a page on real sockets of loopback, as a server has made them: what is not HTTP is answered in the
// page's own words, and what a stream's reader sends behind its request counts, and ends the stream where it is too
// much.

import Fixtures
import Foundation
import Testing

@testable import LoopbackWeb

@Suite("The connections of a page on loopback")
struct PageConnectionTests {
    private static func server() throws -> (server: WebServer, port: Int) {
        let token = try #require(AccessToken("abcdefghijklmnop"))
        let server = WebServer(token: token) { request, respond in
            if request.path.hasPrefix("events/") {
                respond(.events(topic: String(request.path.dropFirst(7))))
            } else {
                respond(.content(type: "text/plain", []))
            }
        }
        return (server, try pagePort(try server.start(port: 0)))
    }

    @Test("What is not HTTP is answered with 400, in words, and with what protects every answer")
    func noHTTP() throws {
        let (server, port) = try Self.server()
        let client = try RawSocket(port: port)
        client.send(Array("what is this\r\n\r\n".utf8))
        let answer = String(decoding: client.read(.max), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nThat is not HTTP.\n"), "\(answer)")
        let head = answer.lowercased()
        for field in ["content-security-policy: default-src 'none'", "x-frame-options: deny", "content-length: 18"] {
            #expect(head.contains("\r\n" + field), "\(answer)")
        }
        withExtendedLifetime(server) {}
    }

    /// Opens a stream and sends the head of another request behind it, and so many octets of its body that there are
    /// `count` on the connection.
    private static func stream(_ port: Int, total count: Int) throws -> RawSocket {
        let client = try RawSocket(port: port)
        let first = Array("GET /abcdefghijklmnop/events/en HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8)
        client.send(first)
        let start = client.read(15)
        #expect(String(decoding: start, as: UTF8.self) == "HTTP/1.1 200 OK")
        let host = "POST /abcdefghijklmnop/x HTTP/1.1\r\nHost: localhost:\(port)\r\n"
        let second = Array((host + "Content-Length: 1000000\r\n\r\n").utf8)
        client.send(second + Array(repeating: 0x20, count: count - first.count - second.count))
        return client
    }

    /// Whether the other end closes before five beats of a stream have come.
    private static func endsBeforeFifthBeat(_ client: RawSocket) -> Bool {
        var text = ""
        while text.ranges(of: "event: beat").count < 5 {
            let octet = client.read(1)
            guard !octet.isEmpty else { return true }
            text += String(decoding: octet, as: UTF8.self)
        }
        return false
    }

    @Test("A stream goes on while its reader has sent 98,304 octets, and ends with one more")
    func octets() throws {
        let (server, port) = try Self.server()
        let whole = try Self.stream(port, total: 98_304)
        let flood = try Self.stream(port, total: 98_305)
        #expect(Self.endsBeforeFifthBeat(flood))
        // What is published behind that still comes to the other one.
        server.publish(["en": "news"])
        let octets = whole.read(through: "news\n\n")
        #expect(octets.suffix(6).elementsEqual("news\n\n".utf8))
        withExtendedLifetime(server) {}
    }
}
