// A central manager's other half on the event loop: what it scans for, and which of its peripherals want a link.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// One central manager, as the event loop knows it.
final class CentralSession: ManagerSession {
    static let role = Application.BackgroundModes.central

    let number: Int
    unowned let core: AdapterCore
    /// The app that the manager belongs to; `nil` for a process that is no app.
    let application: Application?
    /// The ways from the manager and to it.
    var lanes: SessionMailboxes<CentralCommand, CentralEvent>
    /// How many of them are joined already, while they wait for the app.
    var heldCount = 0
    /// The state of the adapter that the manager was told last.
    var toldState: CBManagerState?
    /// What the app knew when it ended, while the session has no manager: what happens meanwhile waits.
    var estate: CentralRestoration?

    /// What is scanned for, while scanning.
    private(set) var scan: Scan?
    private var scanCount = 0
    private(set) var connectionEventFilter: ConnectionEventFilter?
    /// Channels that were opened and that the app was not given yet.
    let unclaimedChannels = UnclaimedChannels()
    /// The wish of each CBPeripheral object for a link, by the object's place in its table.
    private var interests: ContiguousArray<PeripheralConnection?> = []

    /// Keeps what the manager does, where it has a restore identifier.
    let keeper: RecordKeeper<CentralRecord>?

    init(
        number: Int,
        core: AdapterCore,
        application: Application?,
        restoreIdentifier: String?,
        commands: Mailbox<CentralCommand>,
        events: Mailbox<CentralEvent>
    ) {
        self.number = number
        self.core = core
        self.application = application
        self.keeper = RecordKeeper(restoreIdentifier, program: application?.name)
        self.lanes = SessionMailboxes(number: number, commands: commands, events: events)
    }

    // MARK: Messages

    /// Lets the turn's events leave.
    func flush() {
        // A controller that is lost for a moment may be lost because everything ends: what is kept stays until it is back.
        if self.core.state != .resetting { self.keeper?.save(self.makeRecord) }
        if let application = self.application, !self.mayFlush(under: application) { return }
        self.heldCount = 0
        self.lanes.send()
    }

    /// Carries out what the manager asks for.
    func perform(_ command: CentralCommand) {
        switch command {
        case .operate(let name, let operation, let invalidations):
            self.interest(name)?.perform(operation, invalidations: invalidations)
        case .scan(let filter):
            guard self.core.isReady else { return }
            self.scanCount += 1
            self.scan = Scan(session: self.number, number: self.scanCount, filter: filter)
            self.core.updateScanning()
            self.noteChange()
        case .stopScan:
            self.scan = nil
            self.noteChange()
            self.core.updateScanning()
        case .connect(let name, let address, let options):
            self.connect(name, address, options)
        case .resume(let name, let address, let options, let attributes):
            self.connect(name, address, options, attributes)
        case .restored: self.keeper?.taken()
        case .cancelConnection(let name):
            guard let interest = self.interest(name) else { return }
            self.core.connections.cancel(interest)
        case .release(let token):
            guard let interest = self.interest(token) else { return }
            interest.isSilent = true
            self.core.connections.cancel(interest)
        case .readRSSI(let name):
            self.readRSSI(name)
        case .openChannel(let name, let psm):
            self.interest(name)?.openChannel(psm)
        case .registerForConnectionEvents(let filter):
            self.connectionEventFilter = filter
        case .end:
            self.end()
        }
    }

    // MARK: Links

    private func interest(_ token: PeripheralToken) -> PeripheralConnection? {
        let index = Int(token.index)
        guard index < self.interests.count, let interest = self.interests[index], interest.name.token == token else {
            return nil
        }
        return interest
    }

    private func interest(_ name: ConnectionID) -> PeripheralConnection? {
        guard let interest = self.interest(name.token), interest.name == name else { return nil }
        return interest
    }

    private func connect(
        _ name: ConnectionID,
        _ address: DeviceAddress,
        _ options: ConnectOptions,
        _ attributes: AttributeTree = AttributeTree()
    ) {
        guard self.core.isReady else { return }
        if let interest = self.interest(name) {
            // Asked for once more: where the link is there, it is told once more.
            if case .established = interest.phase {
                self.tell(.connected(name, mtu: interest.peer.mtu, interest.window))
            }
            return
        }
        let interest = PeripheralConnection(
            name: name,
            session: self,
            peer: self.core.connections.peer(address),
            options: options,
            attributes: attributes
        )
        let index = Int(name.token.index)
        while self.interests.count <= index { self.interests.append(nil) }
        // An older wish of the same object is still being ended; it goes on without the table.
        self.interests[index] = interest
        self.core.connections.add(interest)
        self.noteChange()
    }

    /// The wishes that are not over, in the order of their objects.
    var liveInterests: [PeripheralConnection] { self.interests.compactMap { $0 } }

    /// A wish is over.
    func ended(_ interest: PeripheralConnection) {
        let index = Int(interest.name.token.index)
        if index < self.interests.count, self.interests[index] === interest { self.interests[index] = nil }
        self.noteChange()
    }

    private func readRSSI(_ name: ConnectionID) {
        guard let interest = self.interest(name), let link = interest.peer.link else {
            return self.tell(.rssi(name, .failure(.notConnected)))
        }
        self.core.host.readRSSI(of: link) { [weak self] result in
            self?.tell(.rssi(name, result.map { RSSI.octet($0) }))
        }
    }

    // MARK: The end

    /// The adapter stopped: whatever was going on is over, and the state tells it.
    func adapterStopped(_ state: CBManagerState) {
        self.scan = nil
        self.interests = []
        if state < .poweredOff { self.connectionEventFilter = nil }
        // What outlived its manager does not outlive this.
        if self.estate != nil { self.end() }
        self.noteChange()
    }

    /// The process is over.
    func kill() {
        self.keeper?.close()
        self.scan = nil
        self.interests = []
    }

    /// Ends everything that the manager does, without a word to it.
    func giveUp() {
        self.scan = nil
        self.core.updateScanning()
        for interest in self.interests.compactMap({ $0 }) {
            interest.isSilent = true
            self.core.connections.cancel(interest)
        }
        self.interests = []
        self.noteChange()
    }

    /// Ends the channels: they end with the app that has their streams.
    func closeChannels() {
        for interest in self.liveInterests { self.core.channels.close(of: interest) }
    }
}
