// The program of the page of BluetoothTransport at work, with a controller that knows two commands.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import NIOPosix
import Testing

@Suite("Page of BluetoothTransport")
struct BluetoothTransportPagesTests {
    /// Answers HCI Reset and Read Local Version Information.
    private final class SmallController: HCIChannelReceiver {
        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            guard let command = try? HCICommandPacket(packet) else { return }
            if command.opcode == Reset.opcode {
                channel.send(CommandComplete.packet(Reset.self, StatusReturnParameters()))
            } else {
                let answer = ReadLocalVersionInformation.ReturnParameters(hciVersion: .v5_4)
                channel.send(CommandComplete.packet(ReadLocalVersionInformation.self, answer))
            }
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) {}

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {}
    }

    /// A server of such controllers, used on its loop.
    private final class Server {
        var server: H4Server?
        var connections: [(H4Channel, SmallController)] = []

        func listen(at path: String, on loop: any EventLoop) -> EventLoopFuture<Void> {
            H4Server.bind(to: .unix(path: path), on: loop, logger: LogLines().logger) { channel in
                let controller = SmallController()
                self.connections.append((channel, controller))
                channel.start(receiver: controller)
            }
            .assumeIsolated()
            .map { self.server = $0 }
            .nonisolated()
        }
    }

    @Test("asks a controller behind a socket")
    func controllerBehindASocket() async throws {
        let folder = try TemporaryFolder()
        let path = folder("h4")
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let early = await #expect(throws: TransportError.self) {
            try await VersionReader.version(of: .unix(path: path), on: loop).get()
        }
        #expect(early?.code == .notFound)
        #expect(early?.errorNumber != nil)

        let server = try await loop.submit { NIOLoopBound(Server(), eventLoop: loop) }.get()
        try await loop.flatSubmit { server.value.listen(at: path, on: loop) }.get()
        #expect(try await VersionReader.version(of: .unix(path: path), on: loop).get() == .v5_4)
        try await loop.submit { server.value.server?.close() }.get()
    }
}
