import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import NIOPosix

@testable import BluetoothAirService

/// A host that records what its channels deliver, for use on a test's thread.
final class AirServiceHost: Sendable {
    let loop: any EventLoop
    /// All packets that came, on all channels.
    let seen = Watched<[[UInt8]]>([])
    /// How many channels were opened, and how many have closed.
    let opened = Watched(0)
    let closed = Watched(0)
    let failures = Watched<[String]>([])
    private let connection: NIOLoopBoundBox<Connection?>

    private init(loop: any EventLoop) {
        self.loop = loop
        self.connection = NIOLoopBoundBox.makeEmptyBox(valueType: Connection.self, eventLoop: loop)
    }

    /// A host on a channel that is opened once.
    static func channel(
        _ loop: any EventLoop,
        _ open: @escaping @Sendable () -> EventLoopFuture<any HCIChannel>
    ) async throws -> AirServiceHost {
        let host = AirServiceHost(loop: loop)
        try await loop.run {
            host.connection.value = Connection(host: host, isPersistent: false, open: open)
            host.connection.value?.begin()
        }
        await host.opened.wait { $0 > 0 }
        return host
    }

    /// A host of the user's air in `folder`.
    static func userAir(
        in folder: String,
        loop: any EventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next(),
        timeout: TimeAmount = .seconds(15),
        waits: Bool = true
    ) async throws -> AirServiceHost {
        let host = AirServiceHost(loop: loop)
        let logger = LogLines().logger
        try await loop.run {
            let air = UserAir(
                eventLoop: loop,
                configuration: UserAir.Configuration(folder: folder, timeout: timeout),
                logger: logger
            ) {
                let air = ServedFakeAir(eventLoop: loop)
                return { air.makeController() }
            }
            host.connection.value = Connection(host: host, isPersistent: true, air: air) { air.join() }
            host.connection.value?.begin()
        }
        if waits { await host.opened.wait { $0 > 0 } }
        return host
    }

    func isServing() async throws -> Bool { try await self.loop.run { self.connection.value?.air?.server != nil } }

    func send(_ octets: [UInt8]) async throws {
        try await self.loop.run { self.connection.value?.channel?.send(HCIPacket(h4: ByteBuffer(bytes: octets))) }
    }

    /// Says something that all others on the air hear.
    func say(_ octets: [UInt8]) async throws { try await self.send([0x01, 0x01, 0xFC, UInt8(octets.count)] + octets) }

    func hears(_ octets: [UInt8]) async -> Bool {
        let event = [0x04, 0xFF, UInt8(octets.count)] + octets
        return await self.seen.wait { $0.contains(event) }
    }

    /// Leaves in an orderly way.
    func leave() async throws {
        try await self.loop.run {
            self.connection.value?.end()
            self.connection.value = nil
        }
    }

    private final class Connection: HCIChannelReceiver {
        private unowned let host: AirServiceHost
        private let isPersistent: Bool
        let air: UserAir?
        private let open: () -> EventLoopFuture<any HCIChannel>
        private(set) var channel: (any HCIChannel)?
        private var hasEnded = false

        init(
            host: AirServiceHost,
            isPersistent: Bool,
            air: UserAir? = nil,
            open: @escaping () -> EventLoopFuture<any HCIChannel>
        ) {
            self.host = host
            self.isPersistent = isPersistent
            self.air = air
            self.open = open
        }

        func begin() {
            let host = self.host
            self.open().assumeIsolated().whenComplete { result in
                switch result {
                case .success(let channel):
                    guard !self.hasEnded else { return channel.close() }
                    self.channel = channel
                    channel.start(receiver: self)
                    host.opened.update { $0 += 1 }
                case .failure(let error):
                    host.failures.update { $0.append("\(error)") }
                }
            }
        }

        func end() {
            self.hasEnded = true
            self.channel?.close()
            self.air?.close()
        }

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            let octets = Array(packet.bytes.readableBytesView)
            self.host.seen.update { $0.append(octets) }
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) {}

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
            self.host.closed.update { $0 += 1 }
            self.channel = nil
            if self.isPersistent { self.begin() }
        }
    }
}
