// Serves an air to other processes as plain H4 on a socket: each connection is a fresh controller, which leaves the air
// when the connection ends. Any HCI host can join, so a host that sends nonsense or does not read is cut off and the
// others notice nothing of it.

public import BluetoothAir
public import BluetoothHCI
public import BluetoothTransport
public import BluetoothTypes
public import Logging
public import NIOCore

/// A host on a served air.
public struct AirGuest: Hashable, Sendable {
    /// Its number among the hosts of one server, from 1.
    public var number: Int
    /// Who it is, as far as the system tells.
    public var peer: H4Peer
    /// The address that it goes by, where it has given itself one.
    public var address: DeviceAddress?
}

/// What happens at a server of an air.
public enum AirServerEvent: Hashable, Sendable {
    /// A host has connected.
    case joined(AirGuest)
    /// A host has given itself an address, or another one.
    case addressed(AirGuest)
    /// A host has left, and why.
    case left(AirGuest, reason: String)
}

/// An air on a socket.
public final class AirServer {
    /// The loop of the air, of the socket and of all connections.
    public let eventLoop: any EventLoop
    /// Where the air is served; the port is the real one where any was allowed.
    public var address: StreamAddress { self.server.address }
    /// How many hosts are connected.
    public var connectionCount: Int { self.connections.count }
    /// The hosts that are connected, in the order in which they came.
    public var guests: [AirGuest] { self.connections.guests }
    /// Who is told of hosts that come and go, on the loop.
    public var observer: ((AirServerEvent) -> Void)? {
        get { self.connections.observer }
        set { self.connections.observer = newValue }
    }

    private let server: H4Server
    private let connections: Connections
    // The last reference may be released on any thread; the controllers leave the air on its loop.
    private let bound: NIOLoopBound<Connections>

    private init(server: H4Server, connections: Connections) {
        self.eventLoop = server.eventLoop
        self.server = server
        self.connections = connections
        self.bound = NIOLoopBound(connections, eventLoop: server.eventLoop)
    }

    deinit {
        guard !self.eventLoop.inEventLoop else { return self.connections.closeAll() }
        let bound = self.bound
        self.eventLoop.execute { bound.value.closeAll() }
    }

    /// Begins to serve `air`; to be called on its loop, which is one of SwiftNIO's socket loops.
    ///
    /// - Returns: The server, on the loop, or a ``TransportError`` with one line for a person. The air is served for as
    ///   long as the server is retained.
    public static func serve(
        _ air: Air,
        at address: StreamAddress,
        limits: H4Server.Limits = H4Server.Limits(),
        logger: Logger
    ) -> EventLoopFuture<AirServer> {
        self.serve(on: air.eventLoop, at: address, limits: limits, logger: logger) { air.makeController() }
    }

    /// Begins to serve whatever controllers `makeController` makes; to be called on `eventLoop`.
    public static func serve(
        on eventLoop: any EventLoop,
        at address: StreamAddress,
        limits: H4Server.Limits = H4Server.Limits(),
        logger: Logger,
        makeController: @escaping () -> any HCIChannel
    ) -> EventLoopFuture<AirServer> {
        let connections = Connections(logger: logger, makeController: makeController)
        return H4Server.bind(to: address, on: eventLoop, limits: limits, logger: logger) { connections.add($0) }
            .assumeIsolated()
            .map { AirServer(server: $0, connections: connections) }
            .nonisolated()
    }

    /// Stops serving: the socket goes, the connections end, and their controllers leave the air.
    public func close() {
        self.server.close()
        self.connections.closeAll()
    }
}

/// The hosts that are connected.
private final class Connections {
    private let logger: Logger
    private let makeController: () -> any HCIChannel
    private var connections: [Connection] = []
    private var isClosed = false
    private var lastNumber = 0
    var observer: ((AirServerEvent) -> Void)?

    init(logger: Logger, makeController: @escaping () -> any HCIChannel) {
        self.logger = logger
        self.makeController = makeController
    }

    var count: Int { self.connections.count }

    var guests: [AirGuest] { self.connections.map(\.guest) }

    func add(_ host: H4Channel) {
        guard !self.isClosed else { return host.close() }
        self.lastNumber += 1
        let guest = AirGuest(number: self.lastNumber, peer: host.peer)
        let connection = Connection(host: host, guest: guest, controller: self.makeController()) {
            [weak self] connection, event in
            guard let self else { return }
            if case .left(_, let reason) = event {
                self.connections.removeAll { $0 === connection }
                self.logger.debug("a host left the air, \(self.connections.count) are on it: \(reason)")
            }
            self.observer?(event)
        }
        self.connections.append(connection)
        self.logger.debug("a host joined the air, \(self.connections.count) are on it")
        self.observer?(.joined(guest))
        connection.start()
    }

    func closeAll() {
        self.isClosed = true
        let connections = self.connections
        self.connections = []
        for connection in connections { connection.close() }
    }
}

/// One host and its controller: what one sends, the other gets.
private final class Connection: HCIChannelReceiver {
    private(set) var guest: AirGuest
    private let host: H4Channel
    private let controller: any HCIChannel
    private let tell: (Connection, AirServerEvent) -> Void

    init(
        host: H4Channel,
        guest: AirGuest,
        controller: any HCIChannel,
        tell: @escaping (Connection, AirServerEvent) -> Void
    ) {
        self.host = host
        self.guest = guest
        self.controller = controller
        self.tell = tell
    }

    func start() {
        self.controller.start(receiver: self)
        self.host.start(receiver: self)
    }

    func close() {
        self.host.close()
        self.controller.close()
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        if channel === self.host {
            if packet.kind == .command { self.note(packet) }
            self.controller.send(packet)
        } else {
            self.host.send(packet)
        }
    }

    /// Takes down the address that a host gives itself: it is how others know it on the air.
    private func note(_ packet: HCIPacket) {
        var payload = packet.payload
        guard var command = try? HCICommandPacket(parsing: &payload), command.opcode == LESetRandomAddress.opcode,
            let command = try? LESetRandomAddress(parsing: &command.parameters),
            command.address != self.guest.address
        else { return }
        self.guest.address = command.address
        self.tell(self, .addressed(self.guest))
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.close()
        self.tell(self, .left(self.guest, reason: reason))
    }
}
