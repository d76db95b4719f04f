// How a connection ends, and who has the ports: what the peer of a connection sees of it, and a port that is free for
// one family of addresses alone.

import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("The end of a connection")
struct ConnectionEndTests {
    /// Notes how the connection is closed; one whose output alone is closed stays, as a socket does.
    private final class CloseRecorder: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart
        private(set) var modes: [String] = []

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            modes.append("\(mode)")
            guard case .all = mode else {
                promise?.succeed(())
                return
            }
            context.close(mode: mode, promise: promise)
        }
    }

    /// A connection that notes how it is closed.
    private func connection(_ response: WebResponse?) throws -> (Connection, CloseRecorder) {
        let connection = try Connection { _, respond in
            if let response { respond(response) }
        }
        let recorder = CloseRecorder()
        try connection.channel.pipeline.syncOperations.addHandler(recorder, position: .first)
        return (connection, recorder)
    }

    @Test(
        "Behind its answer nothing is sent any more, and the peer has ten seconds to close",
        arguments: [.missing, .senseless, .content(type: "text/plain", [0x61])] as [WebResponse]
    )
    func answered(response: WebResponse) throws {
        let (connection, recorder) = try connection(response)
        try connection.head()
        connection.advance(by: .seconds(7))
        #expect(recorder.modes.isEmpty)
        try connection.end()
        #expect(recorder.modes == ["output"])
        let status = try connection.written().status
        #expect(status != nil && connection.channel.isActive)
        connection.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(recorder.modes == ["output"] && connection.channel.isActive)
        connection.advance(by: .nanoseconds(1))
        #expect(recorder.modes == ["output", "all"] && !connection.channel.isActive)
    }

    @Test("A refused request ends in the same way, and its body is nothing to anybody")
    func refused() throws {
        let (connection, recorder) = try connection(nil)
        try connection.send(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Host": "x"]))
        #expect(recorder.modes == ["output"])
        try connection.body(10)
        try connection.end()
        #expect(try connection.written().status == .misdirectedRequest)
        connection.advance(by: .seconds(10))
        #expect(recorder.modes == ["output", "all"])
    }

    @Test("A stream is not closed as long as it is read, and has no time limit of a request")
    func stream() throws {
        let (connection, recorder) = try connection(.events(topic: "en"))
        try connection.head()
        try connection.end()
        let (status, fields, _) = try connection.written()
        #expect(status == .ok && fields["Content-Length"].isEmpty)
        for _ in 0..<20 {
            connection.advance(by: .seconds(5))
            let text = try connection.written().text
            #expect(text == "event: beat\ndata: 0\n\n")
        }
        #expect(recorder.modes.isEmpty && connection.channel.isActive)
        connection.reader.isSlow = true
        connection.topics.publish(["en": "1"])
        connection.advance(by: .seconds(30))
        #expect(recorder.modes == ["all"])
    }

    @Test("Each answer says to the browser what protects the page", arguments: [true, false])
    func protection(isStream: Bool) throws {
        let (connection, _) = try connection(isStream ? .events(topic: "en") : .missing)
        try connection.head()
        try connection.end()
        let fields = try connection.written().fields
        let expected = [
            "Cache-Control: no-store", "Connection: close",
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Resource-Policy: same-origin",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
        ]
        let shown = fields.map { "\($0.name): \($0.value)" }
        // The names are sorted.
        #expect(shown.filter { !$0.hasPrefix("Content-Type") && !$0.hasPrefix("Content-Length") } == expected)
        #expect(shown.count == (isStream ? 9 : 10) && shown == shown.sorted())
    }

    // MARK: Ports

    /// A socket of one family at a port of loopback, 0 for a free one; `nil` where there is none.
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
            // The port stands at the same place in both.
            let number = raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            return (socket, Int(UInt16(bigEndian: number)))
        }
    }

    @Test("A port that another program has in one family alone is in use")
    func families() throws {
        let token = try #require(AccessToken(Connection.secret))
        // A computer without IPv6 has one family alone.
        guard let other = taken(AF_INET6, 0, listens: true) else { return }
        let server = WebServer(token: token) { _, respond in respond(.missing) }
        #expect(throws: WebServer.Failure.portInUse) { try server.start(port: other.port) }
        withExtendedLifetime(other.socket) {}
    }

    @Test("A port that could not be had in both families is given back in the one in which it was free")
    func givenBack() throws {
        let token = try #require(AccessToken(Connection.secret))
        // Another program may have taken the port meanwhile; not each time.
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

    @Test("A page is at the same port of both families")
    func both() throws {
        let token = try #require(AccessToken(Connection.secret))
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
