// Listens for hosts that need a controller over H4, on a Unix socket or on TCP. The caller provides the controllers.

import BluetoothHCI
package import Logging
package import NIOCore
import NIOPosix

/// A server of H4 connections, all on one event loop.
public final class H4Server {
    /// Limits for hosts.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of connections; others are refused.
        package var connections: Int
        /// The maximum number of refused connections that wait for their answer; others are closed immediately.
        package var refusals: Int
        /// The number of unsent octets at which a host is dropped.
        package var unsentOctets: Int
        /// The number of unsent octets of all hosts; beyond it, hosts with at least their share are dropped.
        package var allUnsentOctets: Int

        public init(
            connections: Int = 256,
            refusals: Int = 64,
            unsentOctets: Int = H4Channel.defaultWriteQueueLimit,
            allUnsentOctets: Int = 16 * H4Channel.defaultWriteQueueLimit
        ) {
            self.connections = connections
            self.refusals = refusals
            self.unsentOctets = unsentOctets
            self.allUnsentOctets = allUnsentOctets
        }
    }

    /// The loop of the server and of its connections.
    package let eventLoop: any EventLoop
    /// The address of the server, with the real port if any was allowed.
    package let address: StreamAddress
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

    /// Starts to listen. Call this on `eventLoop`, which is one of SwiftNIO's socket loops.
    ///
    /// - Parameters:
    ///   - address: The address; TCP port 0 means any free one. An existing Unix socket is replaced if no process
    ///     listens on it.
    ///   - eventLoop: The loop of the server and of its connections.
    ///   - limits: The limits for hosts.
    ///   - logger: Logs a line when the limit of connections is reached.
    ///   - refuse: Called on the loop for each connection beyond the limit, to tell its host and to close it. If it is
    ///     `nil`, the connection is closed immediately.
    ///   - accept: Called on the loop for each connection. It starts the channel and retains it; a channel that is not
    ///     retained closes.
    /// - Returns: The server, on `eventLoop`, or a ``TransportError`` with one line for a person.
    package static func bind(
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

    /// Stops listening and removes the socket's file; existing connections stay open.
    package func close() {
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
        // One line when the limit is reached, not one for each refused connection.
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

    /// Creates an H4 connection for a socket and passes it on once it is active.
    private func open(_ channel: any Channel, _ owner: @escaping (H4Channel) -> Void) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let stream = H4Stream(
                receivingFrom: .host,
                on: channel.eventLoop,
                writeQueueLimit: self.limits.unsentOctets,
                backlog: self.backlog
            )
            try channel.pipeline.syncOperations.addHandler(stream)
            let connection = H4Channel(channel: channel, stream: stream)
            stream.whenActive = { owner(connection) }
        }
    }
}
