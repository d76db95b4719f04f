// An air and its servers on an event loop of their own. It reports to the session on the main thread.

import BluetoothAir
import BluetoothAirService
import BluetoothHCI
import BluetoothTransport
import Logging
import NIOCore
import NIOPosix

/// A served air.
final class AirService: Sendable {
    /// The configuration.
    struct Plan: Sendable {
        /// The addresses; none means the user's own air.
        var addresses: [StreamAddress]
        var settings: AirSettings
        var seed: UInt64
        var captureFile: String?
        /// The most hosts at each address.
        var hostLimit: Int
    }

    /// An event of the service.
    enum Event: Sendable {
        case listening(StreamAddress, isOwnAir: Bool)
        case joined(Int, String, count: Int)
        case addressed(Int, String)
        case left(Int, reason: String, count: Int)
        case failed(String)
    }

    private let eventLoop: any EventLoop
    private let servers: NIOLoopBoundBox<Servers?>

    /// Begins to serve; `report` is called on the air's loop.
    init(_ plan: Plan, report: @escaping @Sendable (Event) -> Void) {
        let eventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let servers = NIOLoopBoundBox<Servers?>.makeEmptyBox(valueType: Servers.self, eventLoop: eventLoop)
        self.eventLoop = eventLoop
        self.servers = servers
        eventLoop.execute {
            let own = Servers(plan, on: eventLoop, report: report)
            servers.value = own
            own.start(plan.addresses)
        }
    }

    /// Calls `body` on the air's loop; not at all once the loop has shut down.
    func whenTurning(_ body: @escaping @Sendable () -> Void) { self.eventLoop.execute(body) }
}

/// The servers, on their loop.
private final class Servers {
    private let eventLoop: any EventLoop
    private let report: (AirService.Event) -> Void
    private let makeController: () -> any HCIChannel
    private let settings: AirSettings
    private let limits: H4Server.Limits
    private let logger = Logger(label: "bluetooth.air")
    private var servers: [AirServer] = []
    private var userAir: UserAir?
    /// The numbers of connections, shared by all servers.
    private var numbers: [ObjectIdentifier: [Int: Int]] = [:]
    private var lastNumber = 0

    init(_ plan: AirService.Plan, on eventLoop: any EventLoop, report: @escaping (AirService.Event) -> Void) {
        self.eventLoop = eventLoop
        self.report = report
        self.settings = plan.settings
        self.limits = H4Server.Limits(connections: plan.hostLimit)
        let air = Air(eventLoop: eventLoop, settings: plan.settings, seed: plan.seed)
        let logger = self.logger
        let captures = plan.captureFile.map { Captures(path: $0, logger: logger) }
        self.makeController = {
            let controller = air.makeController(configuration: .served)
            guard let file = captures?.next() else { return controller }
            return CapturingChannel(controller, into: file)
        }
    }

    func start(_ addresses: [StreamAddress]) {
        guard !addresses.isEmpty else { return self.serveUserAir() }
        for address in addresses {
            AirServer.serve(
                on: self.eventLoop,
                at: address,
                limits: self.limits,
                logger: self.logger,
                makeController: self.makeController
            )
            .assumeIsolated()
            .whenComplete { self.started($0, isOwnAir: false) }
        }
    }

    private func serveUserAir() {
        let makeController = self.makeController
        let userAir = UserAir(
            eventLoop: self.eventLoop,
            configuration: UserAir.Configuration(settings: self.settings, limits: self.limits),
            logger: self.logger
        ) { makeController }
        self.userAir = userAir
        userAir.serve().assumeIsolated().whenComplete { self.started($0, isOwnAir: true) }
    }

    private func started(_ result: Result<AirServer, any Error>, isOwnAir: Bool) {
        switch result {
        case .success(let server):
            self.servers.append(server)
            server.observer = { [weak self, weak server] event in
                if let self, let server { self.happened(event, at: server) }
            }
            self.report(.listening(server.address, isOwnAir: isOwnAir))
        case .failure(let error):
            self.report(.failed((error as? TransportError)?.message ?? String(describing: error)))
        }
    }

    private func happened(_ event: AirServerEvent, at server: AirServer) {
        let count = self.servers.reduce(0) { $0 + $1.clients.count }
        switch event {
        case .connected(let client):
            self.lastNumber += 1
            self.numbers[ObjectIdentifier(server), default: [:]][client.number] = self.lastNumber
            self.report(.joined(self.lastNumber, client.peer.description, count: count))
        case .addressChanged(let client):
            guard let number = self.numbers[ObjectIdentifier(server)]?[client.number] else { return }
            self.report(.addressed(number, client.address?.description ?? ""))
        case .refused:
            break  // The log has a line.
        case .disconnected(let client, let reason):
            guard let number = self.numbers[ObjectIdentifier(server)]?.removeValue(forKey: client.number) else {
                return
            }
            self.report(.left(number, reason: reason, count: count))
        }
    }
}

/// The capture files: one for each host, kept open so that no name is used twice.
private final class Captures {
    private let path: String
    private let logger: Logger
    private var files: [CaptureFile] = []
    private var isFull = false

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    func next() -> CaptureFile? {
        guard !self.isFull else { return nil }
        do {
            let file = try CaptureFile(path: self.path, logger: self.logger)
            self.files.append(file)
            return file
        } catch {
            self.isFull = true
            self.logger.warning("no more captures: \(error)")
            return nil
        }
    }
}
