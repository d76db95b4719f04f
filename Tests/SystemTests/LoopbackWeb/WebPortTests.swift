import Fixtures
import Foundation
import Testing

@testable import LoopbackWeb

@Suite("The ports of a page")
struct WebPortTests {
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
        let token = try #require(AccessToken("abcdefghijklmnop"))
        // A computer without IPv6 has one family alone.
        guard let other = taken(AF_INET6, 0, listens: true) else { return }
        let server = WebServer(token: token) { _, respond in respond(.missing) }
        #expect(throws: WebServer.Failure.portInUse) { try server.start(port: other.port) }
        withExtendedLifetime(other.socket) {}
    }

    @Test("A port that could not be had in both families is given back in the one in which it was free")
    func givenBack() throws {
        let token = try #require(AccessToken("abcdefghijklmnop"))
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
        let token = try #require(AccessToken("abcdefghijklmnop"))
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
