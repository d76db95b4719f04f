// One adapter on its event loop: the host, the source of its controller, and the sessions of all managers. Used on the
// event loop alone.

import BluetoothBlueZ
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
    /// The last value stored there, so that a turn that does not change it takes no lock.
    private var notedExtendedAdvertising: Bool?
    private let source: any ChannelSource
    private let retained: (any Sendable)?
    private let storageChoice: StorageChoice
    /// BlueZ's functions beside HCI, if BlueZ manages the adapter.
    let bluez: BlueZSource?
    /// Writes to the storage; `nil` until the adapter's address is known.
    private(set) var writer: StateWriter?
    /// Whether time is the event loop's (virtual time) rather than the wall clock's.
    private let usesLoopTime: Bool
    private let callbackScheduler: (any CallbackScheduler)?

    private var supervision = ControllerSupervision()
    /// When the source is asked for a channel again, while that is due.
    private var retry: Scheduled<Void>?

    @exclusivity(unchecked) fileprivate(set) var centralSessions: [CentralSession] = []
    @exclusivity(unchecked) fileprivate(set) var peripheralSessions: [PeripheralSession] = []
    /// The known attributes of peers.
    let databaseCache = DatabaseCache()
    /// The GATT server's state of bonded clients.
    let bondedClients = BondedClientStore()
    /// The keys of peers with which this device has paired.
    let bonds = BondStore()
    /// Talks to the user while devices pair.
    let pairingAgent: (any PairingAgent)?
    /// The peers that have paired on a present link: they may still reject the keys that they were given.
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
    private var sessionCount = 0
    /// The scan parameters of apps in the foreground, from the next scan on.
    var scanParameters = ScanParameters()
    private var transmitTokenCount: UInt64 = 0
    var pausedLinks = PausedLinks()

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
        // In virtual time a run is repeatable, random numbers included.
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
        self.bluez = components.bluez
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
        self.bluez?.use(self.host, self)
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

    func schedule(in delay: TimeAmount, _ work: @escaping () -> Void) -> Scheduled<Void> {
        self.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            work()
            self?.flush()
        }
    }

    // MARK: Sessions

    /// All sessions, those of central managers first.
    var sessions: [any ManagerSession] { self.centralSessions + self.peripheralSessions }

    /// Adds a manager's session, or has the manager take over the orphaned session of its app's last process.
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

    /// Sends the events of all sessions, at the end of each turn.
    func flush() {
        self.channels.flush()
        for session in self.centralSessions { session.flush() }
        for session in self.peripheralSessions { session.flush() }
    }

    /// Carries out a manager's commands.
    func drain<Session: ManagerSession>(_ role: Session.Type, _ commands: Mailbox<Session.Command>) {
        guard let session = role.withSessions(of: self, { $0.first { $0.commands === commands } }) else { return }
        // A turn of the host ends with a flush.
        if !self.host.takeCalls({ session.drainCommands() }) { self.flush() }
    }

    /// Has the host scan as the sessions want.
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

    /// Lets the controller, if it can, omit the reports that lead to no discovery.
    private func updateReportNeed(_ scans: [(session: CentralSession, scan: Scan)]) {
        let need = self.discoveries.reportNeed(of: scans)
        // A session that takes no discoveries at present misses none when it goes on.
        let isPaused = self.centralSessions.contains { $0.scan != nil && $0.effectiveScan == nil }
        self.host.reportNeed = isPaused ? .all : need
    }

    /// The GAP Device Name of a peer became known. Returns whether that changes its name.
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

    /// A number that no other session has.
    func makeSessionNumber() -> Int {
        self.sessionCount += 1
        return self.sessionCount
    }

    /// A token that no other owner of PDUs has.
    func makeTransmitToken() -> TransmitToken {
        self.transmitTokenCount += 1
        return TransmitToken(rawValue: self.transmitTokenCount)
    }

    // MARK: Flow control

    /// Data of a link waits for an app. A link is paused while an app is behind; if that is impossible, the link ends
    /// before it takes all memory.
    @inline(__always)
    func received(_ change: ReceiveWindow.Change, on link: LinkID, for owner: TransmitToken) {
        switch change {
        case .none: break
        case .full: if self.pausedLinks.pause(link, for: owner) { self.host.pauseReceiving(on: link) }
        case .overrun:
            Notice.once(
                "ended a connection: the app does not take what the peer sends, and the controller cannot be held back"
            )
            self.host.disconnect(link)
        }
    }

    /// An app is no longer behind, or no longer has the link.
    func resumeReceiving(on link: LinkID, for owner: TransmitToken) {
        if self.pausedLinks.resume(link, for: owner) { self.host.resumeReceiving(on: link) }
    }

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

    /// The process is killed: nothing more is reported or stored.
    func kill() {
        self.closeStorage()
        self.stopReporting()
        self.killSessions()
        self.host.detach()
        self.source.close()
    }

    /// The time that the controller of an adapter has to end its links and its advertising at a shutdown. Longer than
    /// the supervision timeout of a link to a peer that has gone, and short for a person who waits.
    static let shutdownLimit = TimeAmount.milliseconds(750)

    /// The process exits, or has released the adapter: everything that it has asked for is stored and sent, nothing
    /// more is reported, and the controller ends what it can within `limit`.
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

    /// Stops listening to the host and waiting for a controller.
    private func stopReporting() {
        self.perform(self.supervision.shutDown())
        self.channels.reset()
        self.host.delegate = nil
    }

    /// Changes nothing more in the storage.
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
        let storage = self.storageChoice.storage(ofAdapter: address)
        let writer = StateWriter(storage)
        self.writer = writer
        self.databaseCache.writer = writer
        if self.bluez == nil {
            self.bondedClients.writer = writer
            self.bonds.writer = writer
        }
        if self.host.configuration.privacy != nil {
            // In virtual time a run is repeatable, random numbers included.
            let seed = ~address.value ^ self.eventLoop.now.uptimeNanoseconds
            var generator: any RandomNumberGenerator =
                self.usesLoopTime ? SeededGenerator(seed: seed) : SystemRandomNumberGenerator()
            self.host.identityResolvingKey = LocalIdentityKey.key(in: writer, using: &generator)
        }
        self.identities.open(IdentityFile(storage))
        // Their names are kept with their identities.
        if let bluez = self.bluez { self.sourceDidChangeConnectedDevices(bluez) }
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
        // Their apps may have been permitted more, or less, while the adapter was not ready.
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
