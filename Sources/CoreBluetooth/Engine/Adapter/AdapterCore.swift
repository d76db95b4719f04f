// One adapter on its event loop: the host, where its controller comes from, and the sessions of all managers. Nothing
// in here is touched from elsewhere.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// The event loop's side of one ``BluetoothAdapter``.
final class AdapterCore {
    let eventLoop: any EventLoop
    let host: LEHost
    let identities: IdentityStore
    let connectedPeers: ConnectedPeers
    private let hasExtendedAdvertising: NIOLockedValueBox<Bool>
    /// What was noted of it last, so that a turn in which it is the same takes no lock.
    private var notedExtendedAdvertising: Bool?
    private let source: any ChannelSource
    private let retained: (any Sendable)?
    private let storageChoice: StorageChoice
    /// Writes to the storage, from the moment at which the adapter's address is known.
    private(set) var writer: StateWriter?
    /// Whether time is that of the event loop, in virtual time, rather than of the wall clock.
    private let usesLoopTime: Bool
    private let callbackScheduler: (any CallbackScheduler)?

    private var supervision = ControllerSupervision()
    /// When the source is asked for a channel again, while that is due.
    private var retry: Scheduled<Void>?

    @exclusivity(unchecked) fileprivate(set) var centralSessions: [CentralSession] = []
    @exclusivity(unchecked) fileprivate(set) var peripheralSessions: [PeripheralSession] = []
    /// What is known of the attributes of peers.
    let databaseCache = DatabaseCache()
    /// What the GATT server keeps of bonded clients.
    let bondedClients = BondedClientStore()
    /// The keys of peers with which this device has paired.
    let bonds = BondStore()
    /// Who speaks with the user while devices pair.
    let pairingAgent: (any PairingAgent)?
    /// The peers with which links have paired that are there: one may still reject the keys that it was given.
    var newBonds: [LinkID: DeviceAddress] = [:]
    let peers = PeerTable()
    private(set) lazy var advertising = Advertising(core: self)
    private(set) lazy var channels = Channels(
        core: self,
        usesLoopTurns: self.usesLoopTime,
        callbackScheduler: self.callbackScheduler
    )
    private var discoveries: Discoveries
    /// How the host scans, while it does.
    private var scanPace: ScanPace?
    /// How apps in the foreground scan from the next scan on.
    var scanParameters = ScanParameters()
    private var transmitTokenCount: UInt64 = 0
    private(set) var heldLinks = HeldLinks()

    init(
        eventLoop: any EventLoop,
        components: AdapterComponents,
        identities: IdentityStore,
        connectedPeers: ConnectedPeers,
        hasExtendedAdvertising: NIOLockedValueBox<Bool>,
        storageChoice: StorageChoice,
        usesLoopTime: Bool,
        callbackScheduler: (any CallbackScheduler)? = nil
    ) {
        self.eventLoop = eventLoop
        var configuration = components.configuration
        // In virtual time a run repeats, whatever is drawn.
        if usesLoopTime {
            let start = eventLoop.now.uptimeNanoseconds
            configuration.pairingSeed = (configuration.address?.value ?? 0) ^ start
        }
        self.host = LEHost(eventLoop: eventLoop, configuration: configuration)
        self.source = components.source
        self.retained = components.retained
        self.pairingAgent = components.pairingAgent
        self.databaseCache.isUsed = components.usesCachedDatabases
        self.identities = identities
        self.discoveries = Discoveries(identities: identities)
        self.connectedPeers = connectedPeers
        self.hasExtendedAdvertising = hasExtendedAdvertising
        self.storageChoice = storageChoice
        self.usesLoopTime = usesLoopTime
        self.callbackScheduler = callbackScheduler
        self.peers.core = self
        self.bonds.now = { [unowned self] in Date(timeIntervalSinceReferenceDate: self.timestamp) }
        self.bonds.onChange = { [unowned self] in
            self.host.bondedPeers = self.bonds.peers
            self.host.peerPrivacy = self.bonds.privacy
            self.identities.setBonded(Set(self.host.bondedPeers.map(\.identity.address)))
        }
        self.bonds.onForget = { [unowned self] in self.bondedClients.remove($0) }
        self.bonds.isInUse = { [unowned self] address in self.host.links.contains { $0.peer == address } }
    }

    /// The state of the adapter, as its managers see it.
    var state: CBManagerState { self.supervision.managerState }

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

    /// A manager is there; the orphaned session of its app's last process is taken over in place of a new one.
    func add<Session: ManagerSession>(_ session: Session) {
        if let orphan = Session.withSessions(of: self, { session.orphanedSession(among: $0) }) {
            orphan.takeOver(session)
            return orphan.flush()
        }
        Session.withSessions(of: self) { $0.append(session) }
        session.application?.observer = self
        if self.state != .unknown { session.reportState() }
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
        guard let session = role.withSessions(of: self, { $0.first { $0.mailboxes.number == number } }) else { return }
        // What the host does in its turn ends with a flush.
        if !self.host.takeCalls({ session.drainCommands() }) { self.flush() }
    }

    /// Brings the host's scanning to what the sessions want.
    func updateScanning() {
        self.updateReportNeed(self.effectiveScans)
        let pace = self.wantedScanPace
        guard self.isReady, pace != self.scanPace else { return }
        self.scanPace = pace
        if let pace {
            self.host.startScanning(pace.request(foreground: self.scanParameters))
        } else {
            self.host.stopScanning()
            self.discoveries.reset()
        }
    }

    /// An advertising report was received.
    func received(_ report: AdvertisingReport) {
        guard self.scanPace != nil else { return }
        let scans = self.effectiveScans
        self.discoveries.receive(report, for: scans, now: self.eventLoop.now, timestamp: self.timestamp)
        self.updateReportNeed(scans)
    }

    private var effectiveScans: [(session: CentralSession, scan: Scan)] {
        self.centralSessions.compactMap { session in session.effectiveScan.map { (session, $0) } }
    }

    /// Lets the controller omit the reports that no scan would lead to a discovery of, where it can.
    private func updateReportNeed(_ scans: [(session: CentralSession, scan: Scan)]) {
        let need = self.discoveries.reportNeed(of: scans)
        // A session that takes nothing at present begins where it stopped, whatever was reported meanwhile.
        let isPaused = self.centralSessions.contains { $0.scan != nil && $0.effectiveScan == nil }
        self.host.reportNeed = isPaused ? .all : need
    }

    /// The GAP Device Name of a peer became known; says whether that changes its name.
    func learned(deviceName: String, of address: DeviceAddress) -> Bool {
        let isNews = self.identities.setName(deviceName, isDeviceName: true, of: address)
        self.discoveries.learned(self.identities.record(for: address))
        return isNews
    }

    /// A device is known by its identity address now: its record moves there.
    func identified(_ link: LinkInformation, before address: DeviceAddress) {
        let record = self.identities.move(address, to: link.peer)
        self.discoveries.identified(record, before: address)
        self.peers.identified(link, before: address)
    }

    /// A token that no other owner of PDUs has.
    func makeTransmitToken() -> TransmitToken {
        self.transmitTokenCount += 1
        return TransmitToken(rawValue: self.transmitTokenCount)
    }

    // MARK: Flow control

    /// What the peer of a link sent waits for an app. One that is behind holds the link back; where that cannot be
    /// done, the link ends before it takes all memory.
    @inline(__always)
    func received(_ change: ReceiveWindow.Change, on link: LinkID, for owner: TransmitToken) {
        switch change {
        case .none: break
        case .full: if self.heldLinks.hold(link, for: owner) { self.host.pauseReceiving(on: link) }
        case .overrun:
            Notice.once(
                "ended a connection: the app does not take what the peer sends, and the controller cannot be held back"
            )
            self.host.disconnect(link)
        }
    }

    /// An app is no longer behind, or no longer has the link.
    func resumeReceiving(on link: LinkID, for owner: TransmitToken) {
        if self.heldLinks.release(link, for: owner) { self.host.resumeReceiving(on: link) }
    }

    /// A link has ended.
    func forgetPause(of link: LinkID) { self.heldLinks.forget(link) }

    // MARK: The controller

    /// The first manager was made.
    private func begin() {
        self.host.delegate = self
        self.perform(self.supervision.begin())
    }

    /// Switches Bluetooth on or off.
    func setPowered(_ isOn: Bool) {
        self.host.delegate = self
        self.perform(self.supervision.setPowered(isOn))
        self.flush()
    }

    /// The host reports the state of its controller.
    func hostChanged(to state: LEHostState) {
        self.updateExtendedAdvertising()
        self.perform(self.supervision.hostChanged(to: state, now: self.eventLoop.now))
    }

    /// Notes whether the controller has extended advertising, which may turn out while it is used.
    func updateExtendedAdvertising() {
        let hasIt = self.host.hasExtendedAdvertising
        guard hasIt != self.notedExtendedAdvertising, case .ready = self.host.state else { return }
        self.notedExtendedAdvertising = hasIt
        self.hasExtendedAdvertising.withLockedValue { $0 = hasIt }
    }

    private func perform(_ actions: [ControllerSupervision.Action], on channel: (any HCIChannel)? = nil) {
        for action in actions {
            switch action {
            case .openChannel: self.openChannel()
            case .attachHost: if let channel { self.host.attach(to: channel) }
            case .closeChannel: channel?.close()
            case .detachHost: self.host.detach()
            case .scheduleRetry(let delay):
                self.retry = self.schedule(in: delay) { [weak self] in
                    guard let self else { return }
                    self.perform(self.supervision.retryDelayElapsed())
                }
            case .cancelRetry: self.retry?.cancel()
            case .openStorage: self.openStorage()
            case .reportState: self.reportState()
            case .log(let reason): LogLines.log(reason)
            }
        }
    }

    private func openChannel() {
        self.source.open { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let channel): self.perform(self.supervision.opened(), on: channel)
            case .failure(let failure): self.perform(self.supervision.openingFailed(failure))
            }
            self.flush()
        }
    }

    /// The process is over, all at once: nothing more is reported or stored.
    func kill() {
        self.closeStorage()
        self.stopReporting()
        self.killSessions()
        self.host.detach()
        self.source.close()
    }

    /// How long the controller of an adapter that is shut down may take to end what it does. Longer than the
    /// supervision timeout of a link to a peer that has gone, and short for a person who waits.
    static let shutdownLimit = TimeAmount.milliseconds(750)

    /// The process ends by itself, or has released the adapter: what it has asked for is stored and sent, nothing is
    /// reported any more, and the controller ends what it can within `limit`.
    func shutDown(within limit: TimeAmount, completion: @escaping () -> Void) {
        self.writer?.flush()
        self.closeStorage()
        self.stopReporting()
        self.killSessions()
        self.host.detachGracefully(within: limit) {
            self.source.close()
            completion()
        }
    }

    /// Listens no longer to the host, nor for a controller to come.
    private func stopReporting() {
        self.perform(self.supervision.shutDown())
        self.channels.reset()
        self.host.delegate = nil
    }

    /// What is stored stays as it is.
    private func closeStorage() {
        self.writer?.stop()
        self.identities.close()
    }

    private func killSessions() {
        for session in self.sessions { session.kill() }
        self.peers.reset()
        self.centralSessions = []
        self.peripheralSessions = []
    }

    /// Opens the storage, once the adapter's address is known.
    private func openStorage() {
        guard self.writer == nil, let address = self.host.address else { return }
        let storage: any StateStorage
        switch self.storageChoice {
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
        self.databaseCache.writer = writer
        self.bondedClients.writer = writer
        self.bonds.writer = writer
        if self.host.configuration.privacy != nil {
            // In virtual time a run repeats, whatever is drawn.
            let seed = ~address.value ^ self.eventLoop.now.uptimeNanoseconds
            var generator: any RandomNumberGenerator =
                self.usesLoopTime ? SeededGenerator(seed: seed) : SystemRandomNumberGenerator()
            self.host.identityResolvingKey = LocalIdentityKey.key(in: writer, using: &generator)
        }
        self.identities.open(IdentityFile(storage))
    }

    private func reportState() {
        if self.state < .poweredOn {
            self.channels.reset()
            self.peers.reset()
            self.discoveries.reset()
            self.scanPace = nil
            self.advertising.reset()
            for session in self.sessions { session.adapterStopped(self.state) }
        }
        for session in self.sessions { session.reportState() }
        // Their apps may have come to where they may do more, or less, while the adapter was not ready.
        if self.isReady { for session in self.peripheralSessions { session.renewPermission() } }
    }
}

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
