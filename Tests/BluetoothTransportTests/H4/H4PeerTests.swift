import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("The other end of an H4 connection")
struct H4PeerTests {
    @Test(
        "names a host on the network by its address and port, an IPv6 address in brackets",
        arguments: [
            ("127.0.0.1", 80, "127.0.0.1:80"), ("192.0.2.7", 65_535, "192.0.2.7:65535"), ("::1", 7, "[::1]:7"),
            ("2001:db8::1", 9_101, "[2001:db8::1]:9101"),
        ]
    )
    func network(address: String, port: Int, text: String) throws {
        let embedded = EmbeddedChannel()
        embedded.remoteAddress = try SocketAddress(ipAddress: address, port: port)
        let peer = H4Peer(of: embedded)
        #expect(peer == .network(text) && peer.description == text)
    }

    @Test("names an unknown peer \"somebody\"")
    func unknown() throws {
        let embedded = EmbeddedChannel()
        let path = try SocketAddress(unixDomainSocketPath: "/test")
        for address in [nil, path] as [SocketAddress?] {
            embedded.remoteAddress = address
            #expect(H4Peer(of: embedded) == .unknown)
        }
        #expect(H4Peer.unknown.description == "somebody")
    }
}
