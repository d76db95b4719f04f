// HTTP on loopback, for the user of this computer: on 127.0.0.1 and, if there is IPv6, on ::1 at the same port.

import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves one page.
package final class WebServer: Sendable {
    /// Why a page cannot be served.
    package enum Failure: Error, Hashable {
        /// Another program uses the port.
        case portInUse
        /// The user has no permission to use the port.
        case portForbidden
        /// Another reason, in the system's words.
        case other(String)
    }

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let loop: any EventLoop
    private let topics: NIOLoopBoundBox<EventTopics>
    private let token: AccessToken
    private let respond: ConnectionHandler.Responder
    /// The number of attempts to find a port that is free in both address families.
    private static let attemptLimit = 16

    /// Creates a server. `respond` is called on its event loop with each request that passed the checks, and gives the
    /// answer once, on any thread.
    package init(
        token: AccessToken,
        respond: @escaping @Sendable (WebRequest, @escaping @Sendable (WebResponse) -> Void) -> Void
    ) {
        self.token = token
        self.respond = respond
        self.loop = self.group.next()
        self.topics = NIOLoopBoundBox.makeBoxSendingValue(EventTopics(), eventLoop: self.loop)
    }

    /// Starts to serve; blocks for a moment.
    ///
    /// - Parameter port: The port; 0 for any free one.
    /// - Returns: The page's address.
    /// - Throws: A ``Failure``.
    package func start(port: Int) throws -> String {
        for _ in 1..<Self.attemptLimit {
            do { return try self.bind(port: port) } catch Failure.portInUse where port == 0 {}
        }
        return try self.bind(port: port)
    }

    private func bind(port: Int) throws -> String {
        let first = try self.bind("127.0.0.1", port: port)
        guard let port = first.localAddress?.port else { throw Failure.other("the socket has no port") }
        do {
            _ = try self.bind("::1", port: port)
        } catch let error as IOError where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode) {
            // This computer has no IPv6.
        } catch {
            try? first.close().wait()
            throw Self.failure(error)
        }
        return "http://127.0.0.1:\(port)/\(self.token.text)/"
    }

    /// Binds one address.
    private func bind(_ host: String, port: Int) throws -> any Channel {
        let (topics, token, respond) = (self.topics, self.token, self.respond)
        let bootstrap = ServerBootstrap(group: self.loop)
            // A program that was killed can bind its port again.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 64)
            // A slow reader gets new documents instead of a long queue of old ones.
            .childChannelOption(.socketOption(.so_sndbuf), value: 65536)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let topics = topics.value
                    let port = channel.localAddress?.port ?? 0
                    try channel.pipeline.syncOperations.addHandler(RequestSizeLimit())
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withPipeliningAssistance: false,
                        withErrorHandling: false,
                        withEncoderConfiguration: .init(),
                        withDecoderLimitConfiguration: Self.limits
                    )
                    try channel.pipeline.syncOperations.addHandler(
                        ConnectionHandler(
                            check: RequestCheck(port: port, token: token),
                            topics: topics,
                            respond: respond
                        )
                    )
                }
            }
        do {
            return try bootstrap.bind(host: host, port: port).wait()
        } catch let error as IOError where host == "::1" {
            throw error
        } catch {
            throw Self.failure(error)
        }
    }

    /// The greatest length of the fields of a request in octets, each and together, and their greatest number.
    private static var limits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16384
        limits.maxHeaderListSize = 65536
        limits.maxHeaderFieldCount = 100
        return limits
    }

    static func failure(_ error: any Error) -> Failure {
        switch error {
        case let error as Failure: error
        case let error as IOError where error.errnoCode == EADDRINUSE: .portInUse
        case let error as IOError where error.errnoCode == EACCES: .portForbidden
        default: .other("\(error)")
        }
    }

    /// Replaces the newest documents of topics; streams send them once they can.
    package func publish(_ documents: [String: String]) {
        let topics = self.topics
        self.loop.execute { topics.value.publish(documents) }
    }
}
