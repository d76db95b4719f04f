// The server on real sockets of loopback: who has the port, what is served there, and the limits of a request.

import Fixtures
import Foundation
import NIOCore
import Testing

@testable import LoopbackWeb

@Suite("A page on loopback", .onRecord)
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

    /// The port in an address.
    private func port(_ address: String) throws -> Int {
        let match = try #require(address.wholeMatch(of: #/http:\/\/127\.0\.0\.1:([0-9]+)\/abcdefghijklmnop\//#))
        return try #require(Int(match.1))
    }

    private func connect(_ port: Int) throws -> RawSocket {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let client = RawSocket(descriptor: descriptor)
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "connect") }
        return client
    }

    /// The first line of the answer to a request; empty where there is none.
    private func status(_ port: Int, _ fields: String, path: String = "x") throws -> String {
        let client = try connect(port)
        let head = "GET /abcdefghijklmnop/\(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(fields)\r\n"
        client.send(Array(head.utf8))
        let text = String(decoding: client.read(.max), as: UTF8.self)
        return text.split(separator: "\r\n").first.map(String.init) ?? ""
    }

    @Test("A page has an address of its own, at which it answers; a second page gets another port, or none")
    func address() throws {
        let port = try port(try server().start(port: 0))
        #expect(try status(port, "") == "HTTP/1.1 200 OK")
        let other = server()
        #expect(throws: WebServer.Failure.portInUse) { try other.start(port: port) }
        let second = try self.port(try other.start(port: 0))
        #expect(second != port)
        #expect(try status(second, "Host: x\r\n") == "HTTP/1.1 421 Misdirected Request")
    }

    @Test("A field has up to 16,384 octets, all of them 65,536, and there are up to a hundred")
    func limits() throws {
        let port = try port(try server().start(port: 0))
        func field(_ count: Int, _ name: String = "A") -> String {
            "\(name): \(String(repeating: "a", count: count))\r\n"
        }
        #expect(try status(port, field(16_000)) == "HTTP/1.1 200 OK")
        #expect(try status(port, field(17_000)) != "HTTP/1.1 200 OK")
        #expect(try status(port, (0..<4).map { field(16_000, "F\($0)") }.joined()) == "HTTP/1.1 200 OK")
        #expect(try status(port, (0..<5).map { field(14_000, "F\($0)") }.joined()) != "HTTP/1.1 200 OK")
        #expect(try status(port, (0..<99).map { field(1, "F\($0)") }.joined()) == "HTTP/1.1 200 OK")
        #expect(try status(port, (0..<100).map { field(1, "F\($0)") }.joined()) != "HTTP/1.1 200 OK")
    }

    @Test("A stream gets what is published")
    func stream() throws {
        let server = server()
        let port = try port(try server.start(port: 0))
        let client = try connect(port)
        client.send(Array("GET /abcdefghijklmnop/events/en HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8))
        let start = client.read(15)
        #expect(String(decoding: start, as: UTF8.self) == "HTTP/1.1 200 OK")
        server.publish(["en": "news"])
        var octets: [UInt8] = []
        while !octets.suffix(6).elementsEqual("news\n\n".utf8) {
            let octet = client.read(1)
            guard !octet.isEmpty else { break }
            octets += octet
        }
        #expect(String(decoding: octets, as: UTF8.self).contains("event: state\nid: 1\ndata: news\n\n"))
    }

    @Test("What is not HTTP, and what is more than a connection may send, has its answer or its end")
    func ill() throws {
        let port = try port(try server().start(port: 0))
        let client = try connect(port)
        client.send(Array("what is this\r\n\r\n".utf8))
        #expect(String(decoding: client.read(24), as: UTF8.self) == "HTTP/1.1 400 Bad Request")
        let flood = try connect(port)
        flood.send(Array(repeating: 0x41, count: OctetLimit.limit + 1))
        #expect(flood.endsWithin20Seconds())
    }

    @Test("Sixty-four connections are served, and one more is closed at once")
    func connectionLimit() throws {
        let port = try port(try server().start(port: 0))
        // Those who have an answer are served: a stream stays open, the others wait for their time.
        let clients = try (0..<EventTopics.connectionLimit).map { _ in try connect(port) }
        let last = try connect(port)
        #expect(last.endsWithin20Seconds())
        clients[0].send(Array("GET /abcdefghijklmnop/x HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8))
        #expect(String(decoding: clients[0].read(15), as: UTF8.self) == "HTTP/1.1 200 OK")
    }
}
