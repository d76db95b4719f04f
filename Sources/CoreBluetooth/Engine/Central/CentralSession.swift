// A central manager on the event loop: its scan, and the connections of its peripherals.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// One central manager, as the event loop knows it.
final class CentralSession: ManagerSession, DiscoveringSession {
    static let role = ManagerRole.central

    /// Tells the scans of the adapter's sessions apart.
    let number: Int
    unowned let core: AdapterCore
    /// The app that the manager belongs to; `nil` for a process that is no app.
    let application: (any ApplicationPolicy)?
    @exclusivity(unchecked) var commands: Mailbox<CentralCommand>?
    @exclusivity(unchecked) var events: Mailbox<CentralEvent>
    @exclusivity(unchecked) var outbox: [CentralEvent] = []
    var mergedCount = 0
    /// The state of the adapter that was last reported to the manager.
    var reportedState: CBManagerState?
    /// The number of unprocessed "adapter stopped" events.
    var unseenStops = 0
    /// The state that the app had when it ended, while the session is orphaned; events wait meanwhile.
    var preservedState: CentralRestoration?

    /// Counts the discoveries that wait for the app.
    let discoveryWindow = ReceiveWindow()
    /// The present scan; `nil` while not scanning.
    private(set) var scan: Scan?
    private var scanCount = 0
    private(set) var connectionEventFilter: ConnectionEventFilter?
    /// Channels that were opened and that the app was not given yet.
    let unclaimedChannels = UnclaimedChannels()
    /// The session's state of one `CBPeripheral` object.
    private enum Slot {
        /// No connection.
        case empty
        /// A connection.
        case live(PeripheralConnection)
        /// The last connection has ended, with this number of invalidations. The app may not know it yet, and ask for
        /// the same connection again.
        case ended(ConnectionID, invalidations: Int)
    }

    /// The connections of `CBPeripheral` objects, by the object's place in its table.
    @exclusivity(unchecked) private var slots: ContiguousArray<Slot> = []
    /// The number of places in that table that were ever used, by this manager and those before it.
    private(set) var placeCount = 0

    /// Stores what the manager does; `nil` without a restore identifier.
    let recordStore: RecordStore<CentralRecord>?
    /// The connections that have ended while the app does not know it; they are restored as if they had not.
    private(set) var unseenEnds: [(id: ConnectionID, record: CentralRecord.Peripheral)] = []

    init(
        core: AdapterCore,
        application: (any ApplicationPolicy)?,
        restoreIdentifier: String?,
        commands: Mailbox<CentralCommand>,
        events: Mailbox<CentralEvent>
    ) {
        self.number = core.makeSessionNumber()
        self.core = core
        self.application = application
        self.recordStore = RecordStore(restoreIdentifier, program: application?.name)
        self.commands = commands
        self.events = events
    }

    // MARK: Messages

    /// Carries out what the manager asks for.
    func perform(_ command: consuming CentralCommand) {
        switch consume command {
        case .writeWithoutResponse(let id, let handle, let value, let invalidations):
            self.connection(id)?.writeWithoutResponse(value, to: handle, invalidations: invalidations)
        case .perform(let id, let handed, let invalidations):
            self.connection(id)?.perform(handed.operation, invalidations: invalidations)
        case .scan(let filter):
            guard self.canBegin else { return }
            self.scanCount += 1
            self.scan = Scan(session: self.number, number: self.scanCount, filter: filter)
            self.core.updateScanning()
            self.noteChange()
        case .stopScan:
            self.scan = nil
            self.noteChange()
            self.core.updateScanning()
        case .connect(let id, let identifier, let address, let options):
            guard self.canBegin else { return }
            self.connect(id, self.core.identities.record(for: identifier)?.address ?? address, options)
        case .resume(let id, let address, let options, let attributes):
            self.connect(id, address, options, attributes)
        case .restored: self.recordStore?.takenOver()
        case .stopSeen: self.stopSeen()
        case .endSeen(let id): self.endSeen(id)
        case .cancelConnection(let id):
            guard let connection = self.connection(id) else { return }
            self.core.peers.cancel(connection)
        case .release(let token):
            guard let connection = self.connection(token) else { return }
            connection.isReleased = true
            self.core.peers.cancel(connection)
        case .resumeReceiving(let id):
            guard let connection = self.connection(id), let link = connection.link else { return }
            self.core.resumeReceiving(on: link, for: connection.token)
        case .openChannel(let id, let psm, let invalidations):
            self.connection(id)?.openChannel(psm, invalidations: invalidations)
        case .registerForConnectionEvents(let filter):
            self.connectionEventFilter = filter
        case .end:
            self.end()
        }
    }

    /// An advertiser was discovered. While the window is full, ``effectiveScan`` is `nil`, so that only reported
    /// discoveries are counted.
    func discovered(_ discovery: Discovery) {
        _ = self.discoveryWindow.add(Discovery.size)
        self.report(.discovered(discovery, self.discoveryWindow))
    }

    // MARK: Links

    private func connection(_ token: PeripheralToken) -> PeripheralConnection? {
        let index = Int(token.index)
        guard index < self.slots.count, case .live(let connection) = self.slots[index], connection.id.token == token
        else {
            return nil
        }
        return connection
    }

    private func connection(_ id: ConnectionID) -> PeripheralConnection? {
        guard let connection = self.connection(id.token), connection.id == id else { return nil }
        return connection
    }

    private func connect(
        _ id: ConnectionID,
        _ address: DeviceAddress,
        _ options: ConnectOptions,
        _ attributes: DiscoveredAttributes = DiscoveredAttributes()
    ) {
        guard self.core.isReady else { return }
        if let connection = self.connection(id) {
            // Asked for again: if the link is there, it is reported again.
            if connection.link != nil {
                self.report(.connected(id, mtu: connection.peer.server.mtu, connection.window))
            }
            return
        }
        let index = Int(id.token.index)
        while self.slots.count <= index { self.slots.append(.empty) }
        self.placeCount = max(self.placeCount, self.slots.count)
        var invalidations = InvalidatedHandles()
        // The app does not know yet that the link was lost: its calls until then were meant for that link.
        if case .ended(id, let count) = self.slots[index] { invalidations = InvalidatedHandles(lostAfter: count) }
        let connection = PeripheralConnection(
            id: id,
            session: self,
            peer: self.core.peers.peer(address),
            options: options,
            attributes: attributes,
            invalidations: invalidations
        )
        // An older connection of the same object may still be ending; it is no longer found in the table.
        self.slots[index] = .live(connection)
        self.core.peers.add(connection)
        self.noteChange()
    }

    /// The connections that are not over, in the order of their objects.
    var liveConnections: [PeripheralConnection] {
        self.slots.compactMap { slot in
            if case .live(let connection) = slot { connection } else { nil }
        }
    }

    /// How a connection ends.
    enum ConnectionEnd {
        /// By the app.
        case cancelled
        /// It could not be made.
        case failed
        /// Its link was lost.
        case lost
    }

    /// A connection is over.
    func ended(_ connection: PeripheralConnection, _ end: ConnectionEnd) {
        if self.isPreserved, end != .cancelled, !connection.isReleased {
            self.unseenEnds.append((connection.id, self.record(of: connection, wasConnected: end == .lost)))
        }
        let index = Int(connection.id.token.index)
        if self.connection(connection.id) === connection {
            self.slots[index] = .ended(connection.id, invalidations: connection.invalidations.count)
        }
        self.noteChange()
    }

    /// The app knows that a connection has ended.
    private func endSeen(_ id: ConnectionID) {
        guard let index = self.unseenEnds.firstIndex(where: { $0.id == id }) else { return }
        self.unseenEnds.remove(at: index)
        self.noteChange()
    }

    // MARK: The end

    /// The adapter stopped: everything is over, and the state says so.
    func adapterStopped(_ state: CBManagerState) {
        self.scan = nil
        self.slots = []
        self.unseenEnds = []
        if state < .poweredOff { self.connectionEventFilter = nil }
        // An orphaned session ends here.
        if self.preservedState != nil { self.end() }
        self.noteChange()
    }

    /// The process is over.
    func kill() {
        self.recordStore?.close()
        self.scan = nil
        self.slots = []
    }

    /// Ends everything that the manager does, without reporting it.
    func cancelAll() {
        self.scan = nil
        self.core.updateScanning()
        for connection in self.liveConnections {
            connection.isReleased = true
            self.core.peers.cancel(connection)
        }
        self.slots = []
        self.unseenEnds = []
        self.noteChange()
    }

    /// Ends the channels, since their streams end with the app. Connections that the app has cancelled are not reported
    /// any longer: their objects end with the app, and are not restored.
    func processEnded() {
        for connection in self.liveConnections {
            self.core.channels.close(of: connection)
            if connection.phase == .leaving { connection.isReleased = true }
        }
    }
}
