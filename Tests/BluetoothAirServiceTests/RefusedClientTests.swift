import BluetoothTransport
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAirService

@Suite("A refused host")
struct RefusedClientTests {
    /// A refused connection, and the number of reports of its end.
    final class Refusal {
        let socket = EmbeddedChannel()
        private(set) var ends = 0
        private var client: RefusedClient?

        init() throws {
            try self.socket.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
            let host = try H4Channel.adopt(self.socket, receivingFrom: .host)
            self.client = RefusedClient(host: host) { [unowned self] _ in self.ends += 1 }
            self.client?.start()
            self.socket.embeddedEventLoop.run()
        }

        func receive(_ octets: [UInt8]) throws {
            try self.socket.writeInbound(ByteBuffer(bytes: octets))
            self.socket.embeddedEventLoop.run()
        }

        func sent() throws -> [UInt8]? {
            try self.socket.readOutbound(as: ByteBuffer.self).map { Array($0.readableBytesView) }
        }
    }

    @Test("the first command is refused, which ends the connection and is reported once")
    func command() throws {
        let refusal = try Refusal()
        // Data is not a command.
        try refusal.receive([0x02, 0x00, 0x00, 0x00, 0x00])
        #expect(try refusal.sent() == nil)
        #expect(refusal.ends == 0)
        try refusal.receive([0x01, 0x03, 0x0C, 0x00, 0x01, 0x01, 0x10, 0x00])
        #expect(try refusal.sent() == [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x0D])
        #expect(try refusal.sent() == nil)
        #expect(refusal.ends == 1)
        #expect(!refusal.socket.isActive)
    }

    @Test("reports a host that closes without a command")
    func closed() throws {
        let refusal = try Refusal()
        _ = try? refusal.socket.finish()
        #expect(refusal.ends == 1)
    }
}
