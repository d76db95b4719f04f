// The server on real loopback sockets.

import Fixtures
import Foundation
import Testing

@testable import LoopbackWeb

@Suite("A page on loopback")
struct WebServerSocketTests {
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

    @Test("answers at its address; a second page gets another port, or none")
    func address() throws {
        let port = try pagePort(try server().start(port: 0))
        #expect(try statusLine(port, "") == "HTTP/1.1 200 OK")
        let other = server()
        #expect(throws: WebServer.Failure.portInUse) { try other.start(port: port) }
        let second = try pagePort(try other.start(port: 0))
        #expect(second != port)
        #expect(try statusLine(second, "Host: x\r\n") == "HTTP/1.1 421 Misdirected Request")
    }

    @Test("accepts fields of up to 16,384 octets, up to 65,536 together, and up to a hundred fields")
    func lengths() throws {
        let server = server()
        let port = try pagePort(try server.start(port: 0))
        func status(_ port: Int, _ fields: [(name: String, length: Int)]) throws -> String {
            let lines = fields.map { "\($0.name): \(String(repeating: "a", count: $0.length))\r\n" }.joined()
            return try statusLine(port, lines)
        }
        #expect(try status(port, [("A", 16_384)]) == "HTTP/1.1 200 OK")
        #expect(try status(port, [("A", 16_385)]) != "HTTP/1.1 200 OK")
        // The target, the Host with its value, and four fields with one-letter names.
        let others = "/abcdefghijklmnop/x".utf8.count + "Host".utf8.count + "localhost:\(port)".utf8.count + 4
        let rest = 65_536 - others - 3 * 16_384
        let fields = [("A", 16_384), ("B", 16_384), ("C", 16_384)]
        #expect(try status(port, fields + [("D", rest)]) == "HTTP/1.1 200 OK")
        #expect(try status(port, fields + [("D", rest + 1)]) != "HTTP/1.1 200 OK")
        #expect(try status(port, (0..<99).map { ("F\($0)", 1) }) == "HTTP/1.1 200 OK")
        #expect(try status(port, (0..<100).map { ("F\($0)", 1) }) != "HTTP/1.1 200 OK")
    }

    /// A client of a server's stream, which has started.
    private static func stream(_ port: Int) throws -> (client: RawSocket, count: Int) {
        let client = try RawSocket(port: port)
        let head = Array("GET /abcdefghijklmnop/events/en HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8)
        client.send(head)
        #expect(String(decoding: client.read(15), as: UTF8.self) == "HTTP/1.1 200 OK")
        return (client, head.count)
    }

    @Test("sends a stream what is published, even to a reader that has sent 98,304 octets, but not one more")
    func stream() throws {
        let server = server()
        let port = try pagePort(try server.start(port: 0))
        let post = Array(
            "POST /abcdefghijklmnop/x HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Length: 1000000\r\n\r\n".utf8
        )
        let clients = try [98_304, 98_305].map { total in
            let (client, count) = try Self.stream(port)
            client.send(post + Array(repeating: 0x20, count: total - count - post.count))
            return client
        }
        #expect(clients[1].endsWithin20Seconds())
        server.publish(["en": "news"])
        let octets = clients[0].read(through: "news\n\n")
        #expect(String(decoding: octets, as: UTF8.self).contains("event: state\nid: 1\ndata: news\n\n"))
    }

    @Test("answers what is not HTTP with 400 and a text, with the fields that protect every answer")
    func noHTTP() throws {
        let server = server()
        let client = try RawSocket(port: try pagePort(try server.start(port: 0)))
        client.send(Array("what is this\r\n\r\n".utf8))
        let answer = String(decoding: client.read(.max), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && answer.hasSuffix("\r\n\r\nThis is not HTTP.\n"))
        let head = answer.lowercased()
        for field in ["content-security-policy: default-src 'none'", "x-frame-options: deny", "content-length: 18"] {
            #expect(head.contains("\r\n" + field), "\(answer)")
        }
        withExtendedLifetime(server) {}
    }

    // MARK: Ports

    /// A socket of one family at a loopback port, 0 for a free one; `nil` if it cannot be bound.
    private func taken(_ family: CInt, _ port: Int, listens: Bool) -> (socket: RawSocket, port: Int)? {
        let socket = RawSocket(descriptor: Foundation.socket(family, CInt(SOCK_STREAM.rawValue), 0))
        guard socket.descriptor >= 0 else { return nil }
        var storage = sockaddr_storage()
        var length = socklen_t(
            family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        )
        return withUnsafeMutablePointer(to: &storage) { pointer -> (socket: RawSocket, port: Int)? in
            let raw = UnsafeMutableRawPointer(pointer)
            if family == AF_INET6 {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = UInt16(port).bigEndian
                inet_pton(AF_INET6, "::1", &address.sin6_addr)
                raw.storeBytes(of: address, as: sockaddr_in6.self)
            } else {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = UInt16(port).bigEndian
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                raw.storeBytes(of: address, as: sockaddr_in.self)
            }
            let generic = raw.assumingMemoryBound(to: sockaddr.self)
            guard bind(socket.descriptor, generic, length) == 0 else { return nil }
            if listens, listen(socket.descriptor, 1) != 0 { return nil }
            guard getsockname(socket.descriptor, generic, &length) == 0 else { return nil }
            // The port is at the same offset in both.
            let number = raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            return (socket, Int(UInt16(bigEndian: number)))
        }
    }

    @Test("reports a port that another program uses in one family only as in use, and releases it in the other family")
    func givenBack() throws {
        // Another program may take the port meanwhile, but not each time.
        for _ in 1...5 {
            guard let other = taken(AF_INET6, 0, listens: true) else { return }
            let server = WebServer(token: token) { _, respond in respond(.missing) }
            #expect(throws: WebServer.Failure.portInUse) { try server.start(port: other.port) }
            let mine = taken(AF_INET, other.port, listens: true)?.port
            withExtendedLifetime((server, other.socket)) {}
            if mine == other.port { return }
        }
        Issue.record("the port was not given back")
    }

    @Test("listens at the same port of both families")
    func both() throws {
        guard let other = taken(AF_INET6, 0, listens: false) else { return }
        let server = WebServer(token: token) { _, respond in respond(.missing) }
        let address = try server.start(port: 0)
        let port = try #require(address.split(separator: ":").last.flatMap { Int($0.prefix { $0 != "/" }) })
        for family in [AF_INET6, AF_INET] {
            let socket = taken(family, port, listens: true)?.socket
            #expect(socket == nil)
        }
        withExtendedLifetime((server, other.socket)) {}
    }
}

/// The port in the address of a page with the token of these tests.
private func pagePort(_ address: String) throws -> Int {
    let match = try #require(address.wholeMatch(of: #/http:\/\/127\.0\.0\.1:([0-9]+)\/abcdefghijklmnop\//#))
    return try #require(Int(match.1))
}

/// The first line of the answer to a request with these fields after its Host; empty if there is none.
private func statusLine(_ port: Int, _ fields: String, path: String = "x") throws -> String {
    let client = try RawSocket(port: port)
    let head = "GET /abcdefghijklmnop/\(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(fields)\r\n"
    client.send(Array(head.utf8))
    let text = String(decoding: client.read(.max), as: UTF8.self)
    return text.split(separator: "\r\n").first.map(String.init) ?? ""
}

extension RawSocket {
    /// Reads until a text has come, the stream ends, or the time is over.
    fileprivate func read(through text: String) -> [UInt8] {
        let end = Array(text.utf8)
        var octets: [UInt8] = []
        while !octets.suffix(end.count).elementsEqual(end) {
            let octet = read(1)
            guard !octet.isEmpty else { break }
            octets += octet
        }
        return octets
    }
}
