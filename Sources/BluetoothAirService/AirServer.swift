// Serves an air to other processes as plain H4 on a socket: each connection gets its own virtual controller, which
// leaves the air when the connection ends.
//
//     server: listening ──close, release──▶ closed
//     client: connected ──LE Set Random Address──▶ connected, with an address ──either end closes──▶ disconnected
//
// listening: Every connection within the limits becomes a client, and the observer is called; further connections are
//     refused (see `RefusedClient`).
// closed: The socket is removed, all clients are disconnected, and a connection that was just accepted is closed.
// connected: Packets are forwarded in both directions, unchanged.
// disconnected: The client's controller has left the air, and the observer was called with the reason.
//
// A client is any HCI host. A host that is slow to read holds back the data of its peers, and loses advertisements; its
// connection is closed if too much is queued for it, or if it sends octets that are not HCI (see `H4Stream`). Other
// clients are not affected. The controller answers what a host sends, as a chip would. No timers.

public import BluetoothAir
public import BluetoothHCI
public import BluetoothTransport
package import BluetoothTypes
public import Logging
public import NIOCore

/// A host that is connected to an air's server.
public struct AirClient: Hashable, Sendable {
    /// Its number among the clients of one server, from 1.
    package let number: Int
    /// The process or network host at the other end, if the system reports it.
    package let peer: H4Peer
    /// The last random address that the host has set; `nil` before the first.
    package internal(set) var address: DeviceAddress?
}

/// A change at an air's server.
public enum AirServerEvent: Hashable, Sendable {
    /// A client has connected.
    case connected(AirClient)
    /// A client has changed its random address.
    case addressChanged(AirClient)
    /// A host was refused because the server has its maximum of clients.
    case refused(H4Peer)
    /// A client has disconnected; the reason is one line for the user.
    case disconnected(AirClient, reason: String)
}

/// An air on a socket.
///
/// Use all members on ``eventLoop`` only; a debug build traps on another thread. The last reference may be released on
/// any thread.
public final class AirServer {
    /// The loop of the air, of the socket and of all connections.
    public let eventLoop: any EventLoop
    /// The address of the socket; port 0 is replaced by the port that the system chose.
    package var address: StreamAddress { self.server.address }
    /// The connected clients, in the order in which they connected.
    package var clients: [AirClient] { self.onLoop.clients }
    /// Called on the loop when a client connects, changes its address, or disconnects.
    public var observer: ((AirServerEvent) -> Void)? {
        get { self.onLoop.observer }
        set { self.onLoop.observer = newValue }
    }

    private let server: H4Server
    private let connections: ClientConnections
    // The controllers leave the air on its loop, whichever thread releases the last reference.
    private let bound: NIOLoopBound<ClientConnections>

    private init(server: H4Server, connections: ClientConnections) {
        self.eventLoop = server.eventLoop
        self.server = server
        self.connections = connections
        self.bound = NIOLoopBound(connections, eventLoop: server.eventLoop)
    }

    /// The connections; traps outside of the loop in a debug build.
    private var onLoop: ClientConnections {
        self.eventLoop.assertInEventLoop()
        return self.connections
    }

    deinit {
        guard !self.eventLoop.inEventLoop else { return self.connections.closeAll() }
        let bound = self.bound
        self.eventLoop.execute { bound.value.closeAll() }
    }

    /// Starts serving `air`; call it on the air's loop, which must be a socket loop of SwiftNIO.
    ///
    /// - Returns: The server, on the loop, or a `TransportError` with one line for the user. The air is served while
    ///   the server is retained.
    public static func serve(
        _ air: Air,
        at address: StreamAddress,
        limits: H4Server.Limits = H4Server.Limits(),
        logger: Logger
    ) -> EventLoopFuture<AirServer> {
        self.serve(on: air.eventLoop, at: address, limits: limits, logger: logger) {
            air.makeController(configuration: .served)
        }
    }

    /// Starts serving the controllers that `makeController` creates, one for each client; call it on `eventLoop`.
    ///
    /// - Returns: As ``serve(_:at:limits:logger:)``.
    public static func serve(
        on eventLoop: any EventLoop,
        at address: StreamAddress,
        limits: H4Server.Limits = H4Server.Limits(),
        logger: Logger,
        makeController: @escaping () -> any HCIChannel
    ) -> EventLoopFuture<AirServer> {
        eventLoop.assertInEventLoop()
        let connections = ClientConnections(logger: logger, makeController: makeController)
        return H4Server.bind(
            to: address,
            on: eventLoop,
            limits: limits,
            logger: logger,
            refuse: { connections.refuse($0) },
            accept: { connections.add($0) }
        )
        .assumeIsolated()
        .map { AirServer(server: $0, connections: connections) }
        .nonisolated()
    }

    /// Stops serving: removes the socket, closes the connections, and takes their controllers off the air.
    public func close() {
        self.server.close()
        self.onLoop.closeAll()
    }
}

/// The connections to all clients of a server.
private final class ClientConnections {
    private let logger: Logger
    private let makeController: () -> any HCIChannel
    private var connections: [ClientConnection] = []
    private var refused: [RefusedClient] = []
    private var isClosed = false
    private var lastNumber = 0
    var observer: ((AirServerEvent) -> Void)?

    init(logger: Logger, makeController: @escaping () -> any HCIChannel) {
        self.logger = logger
        self.makeController = makeController
    }

    var clients: [AirClient] { self.connections.map(\.client) }

    func add(_ host: H4Channel) {
        guard !self.isClosed else { return host.close() }
        self.lastNumber += 1
        let client = AirClient(number: self.lastNumber, peer: host.peer)
        let connection = ClientConnection(host: host, client: client, controller: self.makeController()) {
            [weak self] connection, event in
            guard let self else { return }
            if case .disconnected(let client, let reason) = event {
                self.connections.removeAll { $0 === connection }
                self.logger.debug(
                    "client \(client.number) disconnected, \(self.connections.count) are connected: \(reason)"
                )
            }
            self.observer?(event)
        }
        self.connections.append(connection)
        self.logger.debug("client \(client.number) connected, \(self.connections.count) are connected")
        self.observer?(.connected(client))
        connection.start()
    }

    /// Refuses a host beyond the limit, with an answer that it understands.
    func refuse(_ host: H4Channel) {
        guard !self.isClosed else { return host.close() }
        let client = RefusedClient(host: host) { [weak self] client in
            self?.refused.removeAll { $0 === client }
        }
        self.refused.append(client)
        client.start()
        // Last: the observer may close the server.
        self.observer?(.refused(host.peer))
    }

    func closeAll() {
        self.isClosed = true
        let connections = self.connections
        self.connections = []
        for connection in connections { connection.close() }
        let refused = self.refused
        self.refused = []
        for client in refused { client.close() }
    }
}

/// The connection to one client: forwards packets between its host and its controller.
private final class ClientConnection: HCIChannelReceiver {
    private(set) var client: AirClient
    private let host: H4Channel
    private let controller: any HCIChannel
    private let report: (ClientConnection, AirServerEvent) -> Void

    init(
        host: H4Channel,
        client: AirClient,
        controller: any HCIChannel,
        report: @escaping (ClientConnection, AirServerEvent) -> Void
    ) {
        self.host = host
        self.client = client
        self.controller = controller
        self.report = report
    }

    func start() {
        if let controller = self.controller as? VirtualController {
            // The controller does not acknowledge what the host does not take.
            self.host.writabilityChanged = { [weak controller] in controller?.isHostWritable = $0 }
        }
        self.controller.start(receiver: self)
        self.host.start(receiver: self)
    }

    func close() {
        self.host.close()
        self.controller.close()
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        if channel === self.host {
            if packet.kind == .command { self.noteAddress(packet) }
            self.controller.send(packet)
        } else {
            self.host.send(packet)
        }
    }

    /// Notes the random address that the host sets, by which other devices know it.
    private func noteAddress(_ packet: HCIPacket) {
        var payload = packet.payload
        guard var command = try? HCICommandPacket(parsing: &payload), command.opcode == LESetRandomAddress.opcode,
            let command = try? LESetRandomAddress(parsing: &command.parameters),
            command.address != self.client.address
        else { return }
        self.client.address = command.address
        self.report(self, .addressChanged(self.client))
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.close()
        self.report(self, .disconnected(self.client, reason: reason))
    }
}
