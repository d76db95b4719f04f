// Listens for hosts that want a controller over H4, on a Unix socket or on TCP. What the controllers are is the
// caller's affair.

import BluetoothHCI
public import Logging
public import NIOCore
import NIOPosix

/// A server of H4 connections, all on one event loop.
public final class H4Server {
    /// What hosts may take from the server.
    public struct Limits: Hashable, Sendable {
        /// How many connections are accepted at the same time; others are refused.
        public var connections: Int
        /// How many connections that are refused may wait for their answer at the same time; others are closed at once.
        public var refusals: Int
        /// How many octets may wait for a host that does not read before it is dropped.
        public var unsentOctets: Int
        /// The number of octets that may wait for all hosts together; beyond it, those hosts are dropped for which at
        /// least their share waits.
        public var allUnsentOctets: Int

        /// Creates limits.
        public init(
            connections: Int = 256,
            refusals: Int = 64,
            unsentOctets: Int = H4Channel.defaultUnsentLimit,
            allUnsentOctets: Int = 16 * H4Channel.defaultUnsentLimit
        ) {
            self.connections = connections
            self.refusals = refusals
            self.unsentOctets = unsentOctets
            self.allUnsentOctets = allUnsentOctets
        }
    }

    /// The loop of the server and of its connections.
    public let eventLoop: any EventLoop
    /// Where the server listens; the port is the real one where any was allowed.
    public let address: StreamAddress
    private let channel: any Channel
    private let socketFile: SocketFile?

    private init(channel: any Channel, address: StreamAddress, socketFile: SocketFile?) {
        self.eventLoop = channel.eventLoop
        self.channel = channel
        self.address = address
        self.socketFile = socketFile
    }

    deinit {
        self.socketFile?.remove()
        self.channel.close(promise: nil)
    }

    /// Begins to listen; to be called on `eventLoop`, which is one of SwiftNIO's socket loops.
    ///
    /// - Parameters:
    ///   - address: Where to listen; TCP port 0 means any free one. A Unix socket that is there already is replaced
    ///     if nobody listens at it.
    ///   - eventLoop: The loop of the server and of its connections.
    ///   - limits: What hosts may take.
    ///   - logger: Gets a line when connections begin to be refused.
    ///   - refuse: Gets each connection that is too many, on the loop, to say so to its host and to close it; where it
    ///     is not given, such a connection is closed at once.
    ///   - accept: Gets each connection, on the loop. It starts the channel and retains it; a channel that is not
    ///     retained closes.
    /// - Returns: The server, on `eventLoop`, or a ``TransportError`` with one line for a person.
    public static func bind(
        to address: StreamAddress,
        on eventLoop: any EventLoop,
        limits: Limits = Limits(),
        logger: Logger,
        refuse: ((H4Channel) -> Void)? = nil,
        accept: @escaping (H4Channel) -> Void
    ) -> EventLoopFuture<H4Server> {
        guard let bootstrap = ServerBootstrap(validatingGroup: eventLoop) else {
            let error = TransportError(.unsupported, "\(address) needs an event loop that can open sockets")
            return eventLoop.makeFailedFuture(error)
        }
        let acceptor = NIOLoopBound(
            Acceptor(limits: limits, logger: logger, accept: accept, refuse: refuse),
            eventLoop: eventLoop
        )
        let prepared =
            bootstrap
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.writeBufferWaterMark, value: H4Channel.waterMark)
            .childChannelInitializer { channel in acceptor.value.prepare(channel) }
        let bound: EventLoopFuture<any Channel>
        let socketFile: SocketFile?
        switch address {
        case .unix(let path):
            do {
                try SocketFile.clear(path)
                let descriptor = try SocketFile.listen(at: path)
                socketFile = SocketFile(path: path)
                bound = prepared.withBoundSocket(descriptor)
            } catch {
                return eventLoop.makeFailedFuture(error)
            }
        case .tcp(let host, let port):
            socketFile = nil
            bound =
                prepared
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.socketOption(.so_keepalive), value: 1)
                .bind(host: host, port: port)
        }
        return bound.assumeIsolated()
            .flatMapErrorThrowing { error in
                socketFile?.remove()
                throw TransportError(listeningAt: address, error)
            }
            .map { channel in
                var real = address
                if case .tcp(let host, let port) = address {
                    real = .tcp(host: host, port: channel.localAddress?.port ?? port)
                }
                return H4Server(channel: channel, address: real, socketFile: socketFile)
            }
            .nonisolated()
    }

    /// Stops listening and removes the socket's file; connections that stand are left to their owners.
    public func close() {
        self.socketFile?.remove()
        self.channel.close(promise: nil)
    }
}

/// Turns accepted sockets into channels and counts them.
private final class Acceptor {
    private let limits: H4Server.Limits
    private let logger: Logger
    private let accept: (H4Channel) -> Void
    private let refuse: ((H4Channel) -> Void)?
    private var connectionCount = 0
    private var refusalCount = 0
    private var isFull = false
    private let backlog: H4Backlog

    init(
        limits: H4Server.Limits,
        logger: Logger,
        accept: @escaping (H4Channel) -> Void,
        refuse: ((H4Channel) -> Void)?
    ) {
        self.limits = limits
        self.backlog = H4Backlog(limit: limits.allUnsentOctets)
        self.logger = logger
        self.accept = accept
        self.refuse = refuse
    }

    func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        if self.connectionCount < self.limits.connections {
            self.connectionCount += 1
            channel.closeFuture.assumeIsolated().whenComplete { _ in
                self.connectionCount -= 1
                self.isFull = false
            }
            return self.open(channel, self.accept)
        }
        // One line when the limit is reached, not one for each that is refused.
        if !self.isFull { self.logger.warning("all \(self.limits.connections) connections are taken") }
        self.isFull = true
        guard let refuse = self.refuse, self.refusalCount < self.limits.refusals else {
            let error = TransportError(.inUse, "all \(self.limits.connections) connections are taken")
            return channel.eventLoop.makeFailedFuture(error)
        }
        self.refusalCount += 1
        channel.closeFuture.assumeIsolated().whenComplete { _ in self.refusalCount -= 1 }
        return self.open(channel, refuse)
    }

    /// Makes an H4 connection of a socket and hands it over once it can be used.
    private func open(_ channel: any Channel, _ owner: @escaping (H4Channel) -> Void) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let stream = H4Stream(
                receivingFrom: .host,
                on: channel.eventLoop,
                unsentLimit: self.limits.unsentOctets,
                backlog: self.backlog
            )
            try channel.pipeline.syncOperations.addHandler(stream)
            let connection = H4Channel(channel: channel, stream: stream)
            stream.whenActive = { owner(connection) }
        }
    }
}
