// The air that all processes of a user share without any setup. A private folder of the user holds a socket and a lock:
// the process with the lock serves the air, and the others connect to the socket.
//
//     idle ──join: the lock is free──▶ starting ──listening──▶ serving ──close──▶ closed
//       │ ▲                               │                                          ▲
//       │ └── the socket is served ───────┘                                          │
//       ├──join: the lock is taken──▶ a connection to the server; the state stays idle
//       └──close─────────────────────────────────────────────────────────────────────┘
//
// idle: This process serves nothing. A join tries the lock, and connects to the socket if the lock is taken. A server
//     that is starting or ending refuses the connection, so the join is repeated after a random delay, which doubles up
//     to 100 ms, until `Configuration.timeout`.
// starting: This process has the lock and starts to listen. If another process serves the socket without the lock,
//     since the lock file was removed, the lock is returned, and the join connects.
// serving: The air is in this process. A join creates a controller directly.
// closed: Joins fail. Existing connections belong to their owners.
//
// Election: The system releases the lock when its holder ends, in whatever way. The connections of all clients close,
// each joins again, and the lock decides which process serves. A leftover socket is replaced, since nothing listens on
// it.
//
// A suspended server, as by Ctrl-Z, keeps the lock and the socket and does nothing. No process can take over, so a join
// fails with an error that names the server, and a watch closes existing connections after
// `Configuration.suspensionLimit`, unless the server continues before. The worst that another process of the same user
// can do is to hold the lock without serving, which ends in an error after the timeout, too.
//
// Timers of the event loop: the delay between attempts, the timeout, and the interval of the watch.

public import BluetoothAir
package import BluetoothHCI
public import BluetoothTransport
package import Logging
public import NIOCore

/// This process's membership in the user's air: as its server, or with connections to the server.
///
/// Use all members on ``eventLoop`` only, which must be a socket loop of SwiftNIO; a debug build traps on another
/// thread.
public final class UserAir {
    /// Where the air is, and its properties if this process serves it.
    public struct Configuration: Sendable {
        /// The folder with the socket and the lock; `nil` for the user's own, which is
        /// `$XDG_RUNTIME_DIR/corebluetooth` or a folder under the temporary one.
        package var folder: String?
        /// How the air treats time and loss if this process serves it.
        package var settings: AirSettings
        /// The limits of clients if this process serves the air.
        package var limits: H4Server.Limits
        /// The time limit of a join.
        package var timeout: TimeAmount
        /// The time for which the process that serves the air may be suspended before connections to it are closed.
        package var suspensionLimit: TimeAmount

        /// Creates a configuration.
        public init(
            folder: String? = nil,
            settings: AirSettings = .instant,
            limits: H4Server.Limits = H4Server.Limits(),
            timeout: TimeAmount = .seconds(5),
            suspensionLimit: TimeAmount = .seconds(15)
        ) {
            self.folder = folder
            self.settings = settings
            self.limits = limits
            self.timeout = timeout
            self.suspensionLimit = suspensionLimit
        }
    }

    private enum State {
        case idle
        case starting
        case serving(AirServer, FileLock, () -> any HCIChannel)
        case closed
    }

    /// One call of ``join()``.
    private struct Attempt {
        var promise: EventLoopPromise<any HCIChannel>
        var deadline: NIODeadline
        var delay: TimeAmount
    }

    /// A connection to the server process.
    private struct ServerConnection {
        weak var channel: H4Channel?
        var server: Int
        /// When the watch first found the server suspended; `nil` while it runs.
        var suspension: NIODeadline?
    }

    private static let firstDelay = TimeAmount.milliseconds(2)
    private static let longestDelay = TimeAmount.milliseconds(100)
    private static let watchInterval = TimeAmount.seconds(1)

    /// The loop of the socket, of the air and of its controllers.
    public let eventLoop: any EventLoop
    private let configuration: Configuration
    private let logger: Logger
    private let makeAir: () -> () -> any HCIChannel
    private let processes = ProcessListing()
    private var state = State.idle
    private var connections: [ServerConnection] = []
    private var watch: Scheduled<Void>?

    /// Creates a membership; nothing happens before the first ``join()`` or ``serve()``.
    package convenience init(
        eventLoop: any EventLoop,
        configuration: Configuration = Configuration(),
        logger: Logger
    ) {
        self.init(eventLoop: eventLoop, configuration: configuration, logger: logger) {
            let air = Air(eventLoop: eventLoop, settings: configuration.settings, seed: .random(in: .min ... .max))
            return { air.makeController(configuration: .served) }
        }
    }

    /// Creates a membership in an air with controllers of another kind.
    ///
    /// - Parameters:
    ///   - eventLoop: The loop of the socket, of the air and of its controllers.
    ///   - configuration: Where the air is, and its properties.
    ///   - logger: Gets a debug line when the air is served or joined.
    ///   - makeAir: Called when this process starts serving the air; returns the function that creates controllers.
    package init(
        eventLoop: any EventLoop,
        configuration: Configuration,
        logger: Logger,
        makeAir: @escaping () -> () -> any HCIChannel
    ) {
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.logger = logger
        self.makeAir = makeAir
    }

    /// The server, if this process serves the air.
    package var server: AirServer? {
        self.eventLoop.assertInEventLoop()
        return if case .serving(let server, _, _) = self.state { server } else { nil }
    }

    /// Serves the air without joining it.
    ///
    /// - Returns: The server, on the event loop, which is then also ``server``, or a `TransportError` with one line for
    ///   the user, such as `inUse` if another process serves the air.
    package func serve() -> EventLoopFuture<AirServer> {
        self.eventLoop.assertInEventLoop()
        do {
            let folder = try self.configuration.folder ?? PrivateFolder.runtime()
            let place = Place(folder: folder)
            if let error = place.lengthError { throw error }
            guard case .idle = self.state, let lock = try FileLock.take(place.lock) else { throw place.takenError }
            return self.serve(place, lock).assumeIsolated()
                .map { server, _ in server }
                .nonisolated()
        } catch {
            return self.eventLoop.makeFailedFuture(error)
        }
    }

    /// Opens a channel to a controller on the air: in this process if it serves the air, otherwise through a
    /// connection.
    ///
    /// Call it again when the channel has closed, and for each further adapter of the process.
    ///
    /// - Returns: The channel, on the event loop, or a `TransportError` with one line for the user.
    package func join() -> EventLoopFuture<any HCIChannel> {
        self.eventLoop.assertInEventLoop()
        let promise = self.eventLoop.makePromise(of: (any HCIChannel).self)
        self.attempt(
            Attempt(
                promise: promise,
                deadline: self.eventLoop.now + self.configuration.timeout,
                delay: Self.firstDelay
            )
        )
        return promise.futureResult
    }

    /// Leaves the air.
    ///
    /// If this process served the air, the socket is removed and the other processes elect a new server. Connections to
    /// another server stay open until their owners close them.
    package func close() {
        self.eventLoop.assertInEventLoop()
        let before = self.state
        self.state = .closed
        self.watch?.cancel()
        self.watch = nil
        if case .serving(let server, let lock, _) = before {
            // The socket is removed before the lock is released, so it never belongs to a new server.
            server.close()
            withExtendedLifetime(lock) {}
        }
    }

    // MARK: Joining

    private func attempt(_ attempt: Attempt) {
        switch self.state {
        case .closed:
            attempt.promise.fail(Self.closedError)
        case .serving(_, _, let makeController):
            attempt.promise.assumeIsolated().succeed(makeController())
        case .starting:
            self.attemptLater(attempt, TransportError(.timedOut, "the user's air did not start in time"))
        case .idle:
            do {
                let folder = try self.configuration.folder ?? PrivateFolder.runtime()
                let place = Place(folder: folder)
                if let error = place.lengthError { throw error }
                if let lock = try FileLock.take(place.lock) {
                    self.serve(place, lock, attempt)
                } else {
                    self.connect(place, attempt)
                }
            } catch {
                attempt.promise.fail(error)
            }
        }
    }

    private func serve(_ place: Place, _ lock: FileLock, _ attempt: Attempt) {
        self.serve(place, lock).assumeIsolated().whenComplete { result in
            switch result {
            case .success: self.attempt(attempt)
            case .failure(let error as TransportError) where error.code == .inUse && place.hasSocket:
                // The server's lock file was removed; it stays the server.
                self.connect(place, attempt)
            case .failure(let error as TransportError) where error.code == .closed:
                self.attempt(attempt)
            case .failure(let error):
                attempt.promise.fail(error)
            }
        }
    }

    /// Listens on the socket; this process has the lock.
    private func serve(
        _ place: Place,
        _ lock: FileLock
    ) -> EventLoopFuture<(AirServer, () -> any HCIChannel)> {
        lock.writeProcessNumber()
        self.state = .starting
        let makeController = self.makeAir()
        return AirServer.serve(
            on: self.eventLoop,
            at: .unix(path: place.socket),
            limits: self.configuration.limits,
            logger: self.logger,
            makeController: makeController
        )
        .assumeIsolated()
        .flatMapThrowing { server in
            if case .closed = self.state {
                server.close()
                throw Self.closedError
            }
            self.logger.debug("serving the user's air at \(place.socket)")
            self.state = .serving(server, lock, makeController)
            return (server, makeController)
        }
        .flatMapErrorThrowing { error in
            if case .starting = self.state { self.state = .idle }
            withExtendedLifetime(lock) {}
            throw error
        }
        .nonisolated()
    }

    private func connect(_ place: Place, _ attempt: Attempt) {
        // A local socket is connected or refused immediately.
        H4Channel.connect(to: .unix(path: place.socket), on: self.eventLoop)
            .assumeIsolated()
            .whenComplete { result in
                switch (result, self.state) {
                case (.success(let channel), .closed):
                    channel.close()
                    self.attempt(attempt)
                case (.success(let channel), _):
                    if case .process(let server) = channel.peer, self.processes.isStopped(server) {
                        channel.close()
                        attempt.promise.fail(self.suspendedError(server))
                        return
                    }
                    self.watch(channel)
                    self.logger.debug("connected to the user's air at \(place.socket)")
                    attempt.promise.assumeIsolated().succeed(channel)
                case (.failure(let error as TransportError), _) where error.code == .badName:
                    attempt.promise.fail(error)
                case (.failure(let error), _):
                    self.logger.debug("not connected to the user's air yet: \(error)")
                    self.attemptLater(attempt, place.silenceError)
                }
            }
    }

    // MARK: A server that is suspended

    /// Watches a connection to another process.
    private func watch(_ channel: H4Channel) {
        guard case .process(let server) = channel.peer else { return }
        self.connections.append(ServerConnection(channel: channel, server: server))
        if self.watch == nil { self.scheduleWatch() }
    }

    private func scheduleWatch() {
        self.watch = self.eventLoop.assumeIsolated().scheduleTask(in: Self.watchInterval) { [weak self] in
            self?.closeConnectionsToSuspendedServers()
        }
    }

    private func closeConnectionsToSuspendedServers() {
        self.watch = nil
        let now = self.eventLoop.now
        self.connections.removeAll { $0.channel == nil }
        for index in self.connections.indices {
            let isStopped = self.processes.isStopped(self.connections[index].server)
            self.connections[index].suspension = isStopped ? self.connections[index].suspension ?? now : nil
        }
        self.connections.removeAll { connection in
            guard let start = connection.suspension, now - start >= self.configuration.suspensionLimit else {
                return false
            }
            connection.channel?.abandon(self.suspendedError(connection.server).message)
            return true
        }
        if !self.connections.isEmpty { self.scheduleWatch() }
    }

    private static let closedError = TransportError(.closed, "the process has left the user's air")

    private func suspendedError(_ server: Int) -> TransportError {
        TransportError(
            .timedOut,
            "your air is served by \(self.processes.process(server)), which is suspended: "
                + "continue it with fg or kill -CONT \(server), or end it"
        )
    }

    /// Tries again after a random, growing delay, so that processes do not collide again.
    private func attemptLater(_ attempt: Attempt, _ error: @autoclosure () -> TransportError) {
        let delay = TimeAmount.nanoseconds(.random(in: attempt.delay.nanoseconds / 2...attempt.delay.nanoseconds))
        guard self.eventLoop.now + delay < attempt.deadline else {
            attempt.promise.fail(error())
            return
        }
        var next = attempt
        next.delay = min(attempt.delay * 2, Self.longestDelay)
        self.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.attempt(next) }
    }
}

/// The files of the air.
private struct Place {
    let socket: String
    let lock: String

    init(folder: String) {
        self.socket = "\(folder)/air"
        self.lock = "\(folder)/air.lock"
    }

    /// The error for a folder whose path is too long for a socket in it.
    var lengthError: TransportError? {
        let length = self.socket.utf8.count
        guard length > StreamAddress.maximumPathLength else { return nil }
        return TransportError(
            .badName,
            "the socket path \(self.socket) has \(length) octets, at most \(StreamAddress.maximumPathLength) are possible: "
                + "set XDG_RUNTIME_DIR to a shorter folder"
        )
    }

    /// Whether there is a socket at the path, and not another kind of file.
    var hasSocket: Bool { UnixSocket.exists(at: self.socket) }

    /// The error for an air that another process serves.
    var takenError: TransportError {
        let holder = FileLock.processNumber(in: self.lock).map { ProcessListing().process($0).description }
        return TransportError(
            .inUse,
            "\(holder ?? "another process") serves your own air already: end it, or serve another air with --listen"
        )
    }

    /// The error for an air whose server has the lock but does not answer.
    var silenceError: TransportError {
        let holder = FileLock.processNumber(in: self.lock).map { "process \($0)" } ?? "the process that serves it"
        return TransportError(.timedOut, "the air at \(self.socket) does not answer: end \(holder) and try again")
    }
}
