// The air that all processes of a user share without any set-up. A folder of the user's own holds a socket and a lock.
// Whoever gets the lock serves the air, and the others connect to the socket.
//
//     join ──▶ try the lock ──got it──▶ listen at the socket ──▶ serving: a controller of the own process
//                  │ ▲                        │ somebody listens there: give the lock back
//                  │ └── wait a little ◀──────┤
//                  │          ▲ refused       │
//                  └─taken──▶ connect ◀───────┘
//                                └──▶ member: a connection to the process that serves
//
// A server that is suspended, as by Ctrl-Z, has lock and socket and does nothing. Nobody can take its place, so newcomers
// are told who it is and how to wake it up, and members leave.
//
// The system gives the lock back when its holder ends, however it ends, so a socket that is left behind is never a
// reason to wait: with the lock in hand, a socket at which nobody listens is replaced. When the process that serves
// ends, the connections of all members close, each joins anew, and the lock decides who serves now.

public import BluetoothAir
public import BluetoothHCI
public import BluetoothTransport
public import Logging
public import NIOCore

/// This process's membership in the user's own air.
///
/// It is used on its event loop alone, which is one of SwiftNIO's socket loops.
public final class UserAir {
    /// Where the air is and how it behaves.
    public struct Configuration: Sendable {
        /// The folder with the socket and the lock; `nil` for the user's own, which is
        /// `$XDG_RUNTIME_DIR/corebluetooth` or a folder under the temporary one.
        public var folder: String?
        /// The model of the air, where this process serves it.
        public var settings: AirSettings
        /// What members may take, where this process serves the air.
        public var limits: H4Server.Limits
        /// How long to try to join.
        public var timeout: TimeAmount

        /// A configuration that leaves to the defaults what is not given.
        public init(
            folder: String? = nil,
            settings: AirSettings = .instant,
            limits: H4Server.Limits = H4Server.Limits(),
            timeout: TimeAmount = .seconds(5)
        ) {
            self.folder = folder
            self.settings = settings
            self.limits = limits
            self.timeout = timeout
        }
    }

    private enum State {
        /// Serves nothing; may have members' connections, which belong to whoever asked for them.
        case away
        /// Has the lock and is about to listen.
        case starting
        /// Serves the air to itself and to the others.
        case serving(AirServer, FileLock, () -> any HCIChannel)
        /// Was closed by its owner.
        case closed
    }

    /// One call of ``join()``.
    private struct Attempt {
        var promise: EventLoopPromise<any HCIChannel>
        var deadline: NIODeadline
        var delay: TimeAmount
    }

    /// A connection to the process that serves.
    private struct Membership {
        weak var channel: H4Channel?
        var server: Int
    }

    private static let firstDelay = TimeAmount.milliseconds(2)
    private static let longestDelay = TimeAmount.milliseconds(100)
    private static let watchInterval = TimeAmount.seconds(1)

    /// The loop of the socket, of the air and of the own controllers.
    public let eventLoop: any EventLoop
    private let configuration: Configuration
    private let logger: Logger
    private let makeAir: () -> () -> any HCIChannel
    private let processes = ProcessListing()
    private var state = State.away
    private var memberships: [Membership] = []
    private var watch: Scheduled<Void>?

    /// Creates a membership; nothing happens before the first ``join()``.
    public convenience init(
        eventLoop: any EventLoop,
        configuration: Configuration = Configuration(),
        logger: Logger
    ) {
        self.init(eventLoop: eventLoop, configuration: configuration, logger: logger) {
            let air = Air(eventLoop: eventLoop, settings: configuration.settings, seed: .random(in: .min ... .max))
            return { air.makeController() }
        }
    }

    /// Creates a membership in an air that is made of other controllers.
    ///
    /// - Parameter makeAir: Called where this process comes to serve the air; gives what makes its controllers.
    public init(
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

    /// Whether this process serves the air.
    public var isServing: Bool { if case .serving = self.state { true } else { false } }

    /// The server, where this process serves the air.
    public var server: AirServer? { if case .serving(let server, _, _) = self.state { server } else { nil } }

    /// Serves the air without a controller of its own, or not at all.
    ///
    /// - Returns: The server, on the event loop, which is ``server`` from then on, or a ``TransportError`` with one line
    ///   for a person: above all that somebody else serves the air.
    public func serve() -> EventLoopFuture<AirServer> {
        do {
            let folder = try self.configuration.folder ?? PrivateFolder.runtime()
            let place = Place(folder: folder)
            if let error = place.lengthError { throw error }
            guard case .away = self.state, let lock = try FileLock.take(place.lock) else { throw place.takenError }
            return self.serve(place, lock).assumeIsolated()
                .map { server, _ in server }
                .nonisolated()
        } catch {
            return self.eventLoop.makeFailedFuture(error)
        }
    }

    /// A controller on the air: in this process where it serves the air, else behind a connection.
    ///
    /// To be called again whenever the channel has closed, and for each further adapter of the process.
    ///
    /// - Returns: The channel, on the event loop, or a ``TransportError`` with one line for a person.
    public func join() -> EventLoopFuture<any HCIChannel> {
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
    /// Where this process served it, the socket goes and the others elect a new server. Channels that were joined as a member stay with their owners.
    public func close() {
        let before = self.state
        self.state = .closed
        self.watch?.cancel()
        self.watch = nil
        if case .serving(let server, let lock, _) = before {
            // The socket goes before the lock does, so it is never a new server's.
            server.close()
            withExtendedLifetime(lock) {}
        }
    }

    /// Removes the socket's file if this process serves the air; safe from any thread and at once.
    ///
    /// This happens by itself when the process calls `exit`. It is for a process that ends in another way, right before
    /// it does.
    public static func removeSocketIfServing() { H4Server.removeSocketFiles() }

    // MARK: Joining

    private func attempt(_ attempt: Attempt) {
        switch self.state {
        case .closed:
            attempt.promise.fail(TransportError(.closed, "the membership in the user's air was closed"))
        case .serving(_, _, let makeController):
            attempt.promise.assumeIsolated().succeed(makeController())
        case .starting:
            self.attemptLater(attempt, TransportError(.timedOut, "the user's air did not start in time"))
        case .away:
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
                // Somebody serves without the lock, whose file was removed under him: he is the server, not we.
                self.connect(place, attempt)
            case .failure(let error as TransportError) where error.code == .closed:
                self.attempt(attempt)
            case .failure(let error):
                attempt.promise.fail(error)
            }
        }
    }

    /// Listens at the socket, with the lock in hand.
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
                throw TransportError(.closed, "the membership in the user's air was closed")
            }
            self.logger.debug("serving the user's air at \(place.socket)")
            self.state = .serving(server, lock, makeController)
            return (server, makeController)
        }
        .flatMapErrorThrowing { error in
            if case .starting = self.state { self.state = .away }
            withExtendedLifetime(lock) {}
            throw error
        }
        .nonisolated()
    }

    private func connect(_ place: Place, _ attempt: Attempt) {
        let left = attempt.deadline - self.eventLoop.now
        H4Channel.connect(
            to: .unix(path: place.socket),
            on: self.eventLoop,
            timeout: max(.milliseconds(1), min(left, .seconds(1)))
        )
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
                self.logger.debug("joined the user's air at \(place.socket)")
                attempt.promise.assumeIsolated().succeed(channel)
            case (.failure(let error as TransportError), _) where error.code == .badName:
                attempt.promise.fail(error)
            case (.failure, _):
                self.attemptLater(attempt, place.silenceError)
            }
        }
    }

    // MARK: A server that sleeps

    /// Looks after a connection to another process.
    private func watch(_ channel: H4Channel) {
        guard case .process(let server) = channel.peer else { return }
        self.memberships.append(Membership(channel: channel, server: server))
        if self.watch == nil { self.lookLater() }
    }

    private func lookLater() {
        self.watch = self.eventLoop.assumeIsolated().scheduleTask(in: Self.watchInterval) { [weak self] in
            self?.lookAfterMembers()
        }
    }

    private func lookAfterMembers() {
        self.watch = nil
        self.memberships.removeAll { membership in
            guard let channel = membership.channel else { return true }
            guard self.processes.isStopped(membership.server) else { return false }
            channel.abandon(self.suspendedError(membership.server).message)
            return true
        }
        if !self.memberships.isEmpty { self.lookLater() }
    }

    private func suspendedError(_ server: Int) -> TransportError {
        TransportError(
            .timedOut,
            "your air is served by \(self.processes.process(server)), which is suspended: "
                + "continue it with fg or kill -CONT \(server), or end it"
        )
    }

    /// Tries again after a while, which grows and differs from process to process.
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

    /// The error of a folder whose name is too long for a socket in it.
    var lengthError: TransportError? {
        let length = self.socket.utf8.count
        guard length > StreamAddress.maximumPathLength else { return nil }
        return TransportError(
            .badName,
            "the socket path \(self.socket) has \(length) octets, at most \(StreamAddress.maximumPathLength) are possible: "
                + "set XDG_RUNTIME_DIR to a shorter folder"
        )
    }

    /// Whether a socket, and not something else, is in the way.
    var hasSocket: Bool { UnixSocket.exists(at: self.socket) }

    /// The error of an air that somebody else serves.
    var takenError: TransportError {
        let holder = FileLock.processNumber(in: self.lock).map { ProcessListing().process($0).description }
        return TransportError(
            .inUse,
            "\(holder ?? "another process") serves your own air already: end it, or serve another air with --listen"
        )
    }

    /// The error of an air whose server has the lock and does not answer.
    var silenceError: TransportError {
        let holder = FileLock.processNumber(in: self.lock).map { "process \($0)" } ?? "the process that serves it"
        return TransportError(.timedOut, "the air at \(self.socket) does not answer: end \(holder) and try again")
    }
}
