// One adapter on its event loop: the host, where its controller comes from, and the sessions of all managers. Nothing in
// here is touched from elsewhere.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import DequeModule
import Foundation
import NIOCore

/// The event loop's side of one ``BluetoothAdapter``.
final class AdapterCore {
    /// The controller's life as seen from here.
    private enum Controller {
        /// Nobody has needed it yet.
        case unused
        /// Switched off.
        case off
        /// The source was asked.
        case opening
        /// The host starts or works with it.
        case attached
        /// It is tried again later.
        case waiting(Scheduled<Void>)
        /// There is none and never will be.
        case refused
    }

    /// How long a controller has to be ready to be trusted again.
    private static let proof = TimeAmount.seconds(2)

    let eventLoop: any EventLoop
    let host: LEHost
    let identities: IdentityStore
    let connectedPeers: ConnectedPeers
    private let source: any ChannelSource
    private let keeps: (any Sendable)?
    private let keeping: StateKeeping
    /// Writes what is kept, from the moment at which the adapter's address is known.
    private(set) var writer: StateWriter?
    /// Whether time is that of the event loop, in virtual time, rather than of the wall clock.
    private let usesLoopTime: Bool

    private var controller: Controller = .unused
    private var failures = 0
    /// Since when the controller has been ready.
    private var readySince: NIODeadline?
    private var wasReady = false
    private(set) var state: CBManagerState = .unknown

    fileprivate(set) var centralSessions: [CentralSession] = []
    fileprivate(set) var peripheralSessions: [PeripheralSession] = []
    /// What is known of the attributes of peers.
    let attributeCaches = AttributeCaches()
    private(set) lazy var connections = PeerTable(core: self)
    private(set) lazy var advertising = Advertising(core: self)
    private(set) lazy var channels = Channels(core: self, usesLoopTurns: self.usesLoopTime)
    private var scanning: DiscoveryReports
    /// How the host scans, while it does.
    private var scanPace: ScanPace?
    private var updates: [LinkID: UpdateRow] = [:]

    init(
        eventLoop: any EventLoop,
        foundation: AdapterComponents,
        identities: IdentityStore,
        connectedPeers: ConnectedPeers,
        keeping: StateKeeping,
        usesLoopTime: Bool
    ) {
        self.eventLoop = eventLoop
        self.host = LEHost(eventLoop: eventLoop, configuration: foundation.configuration)
        self.source = foundation.source
        self.keeps = foundation.keeps
        self.identities = identities
        self.scanning = DiscoveryReports(identities: identities)
        self.connectedPeers = connectedPeers
        self.keeping = keeping
        self.usesLoopTime = usesLoopTime
    }

    /// Whether work is possible.
    var isReady: Bool { self.state == .poweredOn }

    /// The present time for dictionaries and callbacks.
    var timestamp: CFAbsoluteTime {
        self.usesLoopTime
            ? Double(self.eventLoop.now.uptimeNanoseconds) / 1e9
            : CFAbsoluteTimeGetCurrent()
    }

    /// Runs `work` later.
    func schedule(in delay: TimeAmount, _ work: @escaping () -> Void) -> Scheduled<Void> {
        self.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            work()
            self?.flush()
        }
    }

    // MARK: Sessions

    /// All sessions, those of central managers first.
    var sessions: [any ManagerSession] { self.centralSessions + self.peripheralSessions }

    /// A manager is there; the session that it left behind as its app ended is taken up in place of a new one.
    func add<Session: ManagerSession>(_ session: Session) {
        if let heritage = Session.withSessions(of: self, { session.heritage(among: $0) }) {
            heritage.adopt(session)
            return heritage.flush()
        }
        Session.withSessions(of: self) { $0.append(session) }
        session.application?.core = self
        if self.state != .unknown { session.tellState() }
        self.begin()
        session.flush()
    }

    func remove<Session: ManagerSession>(_ session: Session) {
        Session.withSessions(of: self) { $0.removeAll { $0 === session } }
    }

    /// Lets the events of all sessions leave: at the end of each turn.
    func flush() {
        self.channels.flush()
        for session in self.centralSessions { session.flush() }
        for session in self.peripheralSessions { session.flush() }
    }

    /// Carries out what a manager asked for.
    func drain<Session: ManagerSession>(_ role: Session.Type, _ number: Int) {
        guard let session = role.withSessions(of: self, { $0.first { $0.lanes.number == number } }) else { return }
        session.drainCommands()
        self.flush()
    }

    /// Brings the host's scanning to what the sessions want.
    func updateScanning() {
        let pace = self.wantedScanPace
        guard self.isReady, pace != self.scanPace else { return }
        self.scanPace = pace
        if let pace {
            self.host.startScanning(pace.request)
        } else {
            self.host.stopScanning()
            self.scanning.reset()
        }
    }

    /// An advertiser was heard.
    func received(_ report: AdvertisingReport) {
        guard self.scanPace != nil else { return }
        self.scanning.receive(
            report,
            for: self.centralSessions.compactMap(\.effectiveScan),
            now: self.eventLoop.now,
            timestamp: self.timestamp
        ) { scan, discovery in
            self.centralSessions.first { $0.number == scan.session }?.tell(.discovered(discovery))
        }
    }

    /// The GAP Device Name of a peer became known; says whether that changes its name.
    func learned(deviceName: String, of address: DeviceAddress) -> Bool {
        let isNews = self.identities.setName(deviceName, isDeviceName: true, of: address)
        self.scanning.learned(self.identities.record(for: address))
        return isNews
    }

    /// Notes whose update of a value is about to be queued on a link.
    func noteUpdate(of session: PeripheralSession, on link: LinkID) {
        self.updates[link, default: UpdateRow()].append(session)
    }

    /// Updates have left; tells those whose they were.
    func transmittedNotifications(_ count: Int, on link: LinkID) {
        guard let index = self.updates.index(forKey: link) else { return }
        var left = count
        while left > 0, let (session, own) = self.updates.values[index].take(atMost: left) {
            left -= own
            session.transmitted(own, on: link)
        }
    }

    /// A link ended, and its updates with it.
    func forgetUpdates(on link: LinkID) { self.updates[link] = nil }

    // MARK: The controller

    /// The first manager was made.
    private func begin() {
        guard case .unused = self.controller else { return }
        self.host.delegate = self
        self.open()
    }

    private func open() {
        self.controller = .opening
        self.source.open { [weak self] result in
            guard let self else { return }
            guard case .opening = self.controller else {
                // Switched off meanwhile.
                if case .success(let channel) = result { channel.close() }
                return
            }
            switch result {
            case .success(let channel):
                self.controller = .attached
                self.host.attach(to: channel)
            case .failure(let failure):
                self.failed(failure)
            }
            self.flush()
        }
    }

    private func failed(_ failure: ChannelFailure) {
        if failure.isFinal {
            Notice.once(failure.reason)
            self.controller = .refused
            return self.setState(.unsupported)
        }
        // What was there a moment ago is about to come back; what never was, or stays away, is worth a word.
        if !self.wasReady || self.failures >= 3 { Notice.once(failure.reason) }
        self.setState(self.wasReady ? .resetting : .poweredOff)
        self.openLater()
    }

    /// Tries again: after 25 ms, then after twice as long each time, up to 2 s.
    private func openLater() {
        let delay = TimeAmount.milliseconds(min(2000, 25 << Int64(min(self.failures, 7))))
        self.failures += 1
        self.controller = .waiting(
            self.schedule(in: delay) { [weak self] in
                guard let self, case .waiting = self.controller else { return }
                self.open()
            }
        )
    }

    /// Switches Bluetooth on or off.
    func setPowered(_ isOn: Bool) {
        switch (self.controller, isOn) {
        case (.off, true):
            self.host.delegate = self
            self.open()
        case (.off, false), (_, true): break
        case (let before, false):
            if case .waiting(let timer) = before { timer.cancel() }
            self.controller = .off
            self.setState(.poweredOff)
            self.host.detach()
        }
        self.flush()
    }

    /// The process is over, all at once: nothing more is told or kept.
    func kill() {
        self.closeStorage()
        self.fallSilent()
        self.killSessions()
        self.host.detach()
        self.source.close()
    }

    /// How long the controller of an adapter that is let go may take to end what it does. Longer than the supervision
    /// timeout of a link to a peer that has gone, and short for somebody who waits.
    static let leaveLimit = TimeAmount.seconds(1)

    /// The process ends by itself, or has let the adapter go: what it has asked for is kept and sent, nobody is told
    /// anything any more, and the controller ends what it does for the process, as far as it can within `limit`.
    func leave(within limit: TimeAmount, completion: @escaping () -> Void) {
        self.writer?.flush()
        self.closeStorage()
        self.fallSilent()
        self.killSessions()
        self.host.detachGracefully(within: limit) {
            self.source.close()
            completion()
        }
    }

    /// Listens no longer to the host, nor for a controller to come.
    private func fallSilent() {
        if case .waiting(let timer) = self.controller { timer.cancel() }
        self.controller = .off
        self.channels.reset()
        self.host.delegate = nil
    }

    /// What is kept stays as it is.
    private func closeStorage() {
        self.writer?.stop()
        self.identities.close()
    }

    private func killSessions() {
        for session in self.sessions { session.kill() }
        self.connections.reset()
        self.centralSessions = []
        self.peripheralSessions = []
    }

    /// What the host says of its controller.
    func hostChanged(to state: LEHostState) {
        guard case .attached = self.controller else { return }
        switch state {
        case .detached, .starting: break
        case .ready:
            self.readySince = self.eventLoop.now
            self.wasReady = true
            self.openStorage()
            self.setState(.poweredOn)
        case .failed(let reason):
            // One that comes up and dies at once, again and again, is left in peace for longer and longer.
            if let since = self.readySince, self.eventLoop.now - since >= Self.proof { self.failures = 0 }
            self.readySince = nil
            if !self.wasReady { Notice.once(reason) }
            // It is tried again: what does not answer now may be plugged in or started yet.
            self.setState(self.wasReady ? .resetting : .poweredOff)
            self.openLater()
        }
    }

    /// Opens what is kept, once it is known whose it is.
    private func openStorage() {
        guard self.writer == nil, let address = self.host.address else { return }
        let storage: any StateStorage
        switch self.keeping {
        case .storage(let given): storage = given
        case .folder:
            do {
                storage = try FolderStorage(adapter: address)
            } catch {
                Notice.once("nothing is kept of peers: \(error)")
                storage = MemoryStorage()
            }
        }
        let writer = StateWriter(storage)
        self.writer = writer
        self.attributeCaches.writer = writer
        self.identities.open(IdentityFile(storage))
    }

    private func setState(_ state: CBManagerState) {
        guard self.state != state else { return }
        self.state = state
        if state < .poweredOn {
            self.channels.reset()
            self.connections.reset()
            self.scanning.reset()
            self.scanPace = nil
            self.advertising.reset()
            self.updates = [:]
            for session in self.sessions { session.adapterStopped(state) }
        }
        for session in self.sessions { session.tellState() }
    }
}

/// Whose updates wait on a link, in their order.
private struct UpdateRow {
    private var runs: Deque<(session: PeripheralSession, count: Int)> = []

    mutating func append(_ session: PeripheralSession) {
        if let last = self.runs.indices.last, self.runs[last].session === session {
            self.runs[last].count += 1
        } else {
            self.runs.append((session, 1))
        }
    }

    mutating func take(atMost count: Int) -> (PeripheralSession, Int)? {
        guard let (session, waiting) = self.runs.first else { return nil }
        let own = min(waiting, count)
        if own == waiting { self.runs.removeFirst() } else { self.runs[0].count -= own }
        return (session, own)
    }
}

/// Foundation has a class of this name, too.

extension CentralSession {
    static func withSessions<Result>(of core: AdapterCore, _ body: (inout [CentralSession]) -> Result) -> Result {
        body(&core.centralSessions)
    }
}

extension PeripheralSession {
    static func withSessions<Result>(of core: AdapterCore, _ body: (inout [PeripheralSession]) -> Result) -> Result {
        body(&core.peripheralSessions)
    }
}
