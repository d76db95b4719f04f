// A peripheral manager's other half on the event loop: the services that it published, what it advertises, and the
// centrals that were reported to its app.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// One peripheral manager, as the event loop knows it.
final class PeripheralSession: ManagerSession {
    static let role = ManagerRole.peripheral

    unowned let core: AdapterCore
    private let host: LEHost
    /// The app that the manager belongs to; `nil` for a process that is no app.
    let application: (any ApplicationPolicy)?
    @exclusivity(unchecked) var commands: Mailbox<PeripheralCommand>?
    @exclusivity(unchecked) var events: Mailbox<PeripheralEvent>
    @exclusivity(unchecked) var outbox: [PeripheralEvent] = []
    var mergedCount = 0
    /// The state of the adapter that was last reported to the manager.
    var reportedState: CBManagerState?
    /// The number of unprocessed "adapter stopped" events.
    var unseenStops = 0
    /// The state that the app had when it ended, while the session is orphaned; events wait meanwhile.
    var preservedState: PeripheralRestoration?

    struct Published {
        var token: LocalServiceToken
        var handles: GATTServiceHandles
        var service: LocalService
        /// Whether the system has not accepted or refused it yet.
        var isAwaited = false

        var record: PeripheralRecord.Service { self.service.record }
        var range: AttributeHandleRange { self.handles.range }
    }

    /// A central that was reported to the app's side.
    struct ReportedCentral {
        var link: LinkID
        /// The updates that are on their way to it.
        let window = TransmitWindow()
        /// The data from it that waits for the app.
        let receiveWindow = ReceiveWindow()
    }

    struct Subscription: Hashable {
        var link: LinkID
        var characteristic: AttributeHandle
    }

    private(set) var services: ContiguousArray<Published> = [] {
        didSet { self.ranges = ContiguousArray(self.services.map(\.range)) }
    }
    private var ranges: ContiguousArray<AttributeHandleRange> = []
    /// Whether the services are not there for now, since the app is in the background without the mode for it.
    private var areServicesWithdrawn = false
    /// Services that were added meanwhile.
    private var servicesToAdd: [LocalService] = []
    /// The centrals that were reported to the app's side.
    @exclusivity(unchecked) private(set) var centrals: ContiguousArray<ReportedCentral> = []
    /// Whether each central is reported when it connects.
    private var watchesCentrals = false
    /// All subscriptions, the oldest first.
    private(set) var subscriptions: [Subscription] = []
    /// Channels that were opened and that the app was not given yet.
    let unclaimedChannels = UnclaimedChannels()
    /// Stores what the manager does; `nil` without a restore identifier.
    let recordStore: RecordStore<PeripheralRecord>?
    /// The owner of the session's notifications and indications.
    let token: TransmitToken

    init(
        core: AdapterCore,
        application: (any ApplicationPolicy)?,
        restoreIdentifier: String?,
        commands: Mailbox<PeripheralCommand>,
        events: Mailbox<PeripheralEvent>
    ) {
        self.core = core
        self.host = core.host
        self.application = application
        self.recordStore = RecordStore(restoreIdentifier, program: application?.name)
        self.commands = commands
        self.events = events
        self.token = core.makeTransmitToken()
        self.areServicesWithdrawn = application.permission(for: .peripheral) == .nothing
    }

    // MARK: Messages

    /// Carries out what the manager asks for.
    func perform(_ command: consuming PeripheralCommand) {
        switch consume command {
        case .update(let handle, let value, let targets):
            switch targets {
            case .one(let link): self.update(handle, value, link)
            case .many(let links): for link in links { self.update(handle, value, link) }
            }
        case .answerRead(let request, let result): self.host.respond(to: request, with: result)
        case .answerWrite(let request, let error): self.host.respond(to: request, error: error)
        case .add(let service): if self.canBegin { self.add(service) }
        case .refuse(let token, let error):
            self.remove(token)
            if self.canBegin { self.report(.added(token, .failure(error))) }
        case .remove(let token): self.remove(token)
        case .removeAll: self.removeAll()
        case .startAdvertising(let content):
            guard self.canBegin else { return }
            guard content.isValid else { return self.report(.startedAdvertising(.reported(.invalidParameters))) }
            self.core.advertising.start(content, for: self)
            self.noteChange()
        case .stopAdvertising:
            self.core.advertising.stop(self)
            self.noteChange()
        case .republish(let service): self.add(service, isRestored: true)
        case .resumeAdvertising(let content):
            guard self.core.isReady else { return }
            self.core.advertising.start(content, for: self, isRestored: true)
        case .restored: self.recordStore?.takenOver()
        case .stopSeen: self.stopSeen()
        case .resumeReceiving(let link): self.core.resumeReceiving(on: link, for: self.token)
        case .setLatency(let latency, let link):
            self.host.requestConnectionParameters(latency.connectionParameters, of: link)
        case .watchCentrals: self.watchesCentrals = true
        case .publishChannel(let level): self.publishChannel(level)
        case .unpublishChannel(let psm):
            guard self.canBegin else { return }
            let isPublished = self.core.channels.unpublish(psm, of: self)
            self.report(.channelUnpublished(psm, isPublished ? nil : .reported(.invalidParameters)))
        case .end: self.end()
        }
    }

    /// Ends everything that the manager does, without reporting it.
    func cancelAll() {
        self.core.advertising.stop(self)
        self.core.channels.unpublishAll(of: self)
        self.removeAll()
        self.subscriptions = []
        self.forgetCentrals()
    }

    /// Ends the channels: they end with the app that has their streams.
    func processEnded() {
        self.core.channels.unpublishAll(of: self)
    }

    // MARK: Services

    /// Whether a handle belongs to one of this app's services.
    @inline(__always)
    func owns(_ handle: AttributeHandle) -> Bool {
        !self.areServicesWithdrawn && self.ranges.contains { $0.contains(handle) }
    }

    private func add(_ service: LocalService, isRestored: Bool = false) {
        guard self.core.isReady else { return }
        // A service that is published already is published again.
        self.remove(service.token)
        guard !self.areServicesWithdrawn else { return self.servicesToAdd.append(service) }
        guard service.includedServices.allSatisfy({ token in self.services.contains { $0.token == token } }) else {
            return self.report(.added(service.token, .failure(.databaseFailure(.unknownIncludedService))))
        }
        do {
            let handles = try self.publish(service)
            let isAwaited = self.core.bluez != nil && !isRestored
            self.services.append(
                Published(token: service.token, handles: handles, service: service, isAwaited: isAwaited)
            )
            self.noteChange()
            guard !isAwaited else { return }
            self.report(isRestored ? .republished(service.token, handles) : .added(service.token, .success(handles)))
        } catch {
            self.report(.added(service.token, .failure(.databaseFailure(error))))
        }
    }

    /// The system has published a service, or has refused it.
    func published(_ handle: AttributeHandle, isAccepted: Bool) {
        let index = self.services.firstIndex { $0.range.lowerBound == handle && $0.isAwaited }
        guard let index else { return }
        self.services[index].isAwaited = false
        let (token, handles) = (self.services[index].token, self.services[index].handles)
        if !isAccepted { self.remove(token) }
        self.report(.added(token, isAccepted ? .success(handles) : .failure(.reported(.unknown))))
    }

    private func publish(_ service: LocalService) throws(GATTDatabaseError) -> GATTServiceHandles {
        var definition = service.definition
        definition.includedServices += service.includedServices.compactMap { token in
            self.services.first { $0.token == token }?.range.lowerBound
        }
        return try self.host.addService(definition)
    }

    private func remove(_ token: LocalServiceToken) {
        self.servicesToAdd.removeAll { $0.token == token }
        guard let index = self.services.firstIndex(where: { $0.token == token }) else { return }
        self.noteChange()
        let service = self.services.remove(at: index)
        if !self.areServicesWithdrawn { self.host.removeService(service.range.lowerBound) }
    }

    private func removeAll() {
        self.withdraw()
        self.services.removeAll()
        self.servicesToAdd = []
        self.areServicesWithdrawn = self.application.permission(for: .peripheral) == .nothing
        self.noteChange()
    }

    private func withdraw() {
        guard !self.areServicesWithdrawn else { return }
        // Including services go before the included ones, which were published first.
        for service in self.services.reversed() { self.host.removeService(service.range.lowerBound) }
        self.areServicesWithdrawn = true
    }

    /// The app is permitted to publish its services, or no longer.
    func setServicesAvailable(_ areAvailable: Bool) {
        guard areAvailable == self.areServicesWithdrawn else { return }
        guard areAvailable else {
            for subscription in self.subscriptions {
                guard let window = self.central(subscription.link)?.receiveWindow else { continue }
                let (link, handle) = (subscription.link, subscription.characteristic)
                self.report(.subscribed(link, handle, false, window), in: window, on: link)
            }
            self.subscriptions = []
            return self.withdraw()
        }
        self.areServicesWithdrawn = false
        for index in self.services.indices {
            // A service that was published once can be published again, since it has not changed.
            guard let handles = try? self.publish(self.services[index].service) else { continue }
            self.services[index].handles = handles
            self.report(.republished(self.services[index].token, handles))
        }
        for service in self.servicesToAdd { self.add(service) }
    }

    // MARK: Centrals

    /// Makes the central at the other end of a link known to the app's side.
    @discardableResult
    private func announce(_ link: LinkID) -> ReportedCentral? {
        if let central = self.central(link) { return central }
        guard let information = self.host.information(of: link) else { return nil }
        let central = ReportedCentral(link: link)
        self.centrals.append(central)
        let record = self.core.identities.record(for: information.peer)
        self.report(.central(link, PeerDescription(record), mtu: self.host.mtu(of: link), central.window))
        return central
    }

    private func central(_ link: LinkID) -> ReportedCentral? { self.centrals.first { $0.link == link } }

    /// A link was established.
    func connected(_ link: LinkInformation) {
        if self.watchesCentrals, !link.isCentral { self.announce(link.id) }
    }

    /// A central reads.
    func received(_ request: GATTReadRequest) {
        self.announce(request.link)
        self.report(.read(request))
    }

    /// A central writes.
    func received(_ request: GATTWriteRequest) {
        guard let window = self.receiveWindow(of: request.link) else { return }
        self.report(.write(request, window), octets: request.octetCount, in: window, on: request.link)
    }

    /// A central writes without response.
    func received(_ value: ByteBuffer, for handle: AttributeHandle, on link: LinkID) {
        guard let window = self.receiveWindow(of: link) else { return }
        self.report(.command(link, handle, value, window), octets: value.readableBytes, in: window, on: link)
    }

    /// Counts the values of a central's writes until the app has taken them. Without a copy of the entry, which would
    /// cost as much as the search for each write.
    private func receiveWindow(of link: LinkID) -> ReceiveWindow? {
        for index in self.centrals.indices where self.centrals[index].link == link {
            return self.centrals[index].receiveWindow
        }
        return self.announce(link)?.receiveWindow
    }

    /// Reports an event that the central at the other end of a link can cause at will; the link is paused while the app
    /// is behind.
    @inline(__always)
    private func report(
        _ event: consuming PeripheralEvent,
        octets: Int = 0,
        in window: ReceiveWindow,
        on link: LinkID
    ) {
        let change = window.add(octets)
        self.report(event)
        if change != .none { self.core.received(change, on: link, for: self.token) }
    }

    /// The app no longer has links.
    private func forgetCentrals() {
        for central in self.centrals { self.core.resumeReceiving(on: central.link, for: self.token) }
        self.centrals = []
    }

    /// A central subscribed or unsubscribed.
    func subscribed(_ isSubscribed: Bool, _ link: LinkID, _ handle: AttributeHandle) {
        let window = self.announce(link)?.receiveWindow
        self.subscriptions.removeAll { $0 == Subscription(link: link, characteristic: handle) }
        if isSubscribed { self.subscriptions.append(Subscription(link: link, characteristic: handle)) }
        if let window { self.report(.subscribed(link, handle, isSubscribed, window), in: window, on: link) }
    }

    /// The ATT MTU of a link changed.
    func changedMTU(_ link: LinkID, _ mtu: Int) {
        guard let window = self.central(link)?.receiveWindow else { return }
        self.report(.centralChangedMTU(link, mtu, window), in: window, on: link)
    }

    /// A link ended.
    func disconnected(_ link: LinkID) {
        self.subscriptions.removeAll { $0.link == link }
        guard let index = self.centrals.firstIndex(where: { $0.link == link }) else { return }
        self.centrals.remove(at: index)
        self.report(.centralLeft(link))
    }

    // MARK: Channels

    private func publishChannel(_ level: SecurityLevel) {
        guard self.canBegin else { return }
        switch self.core.channels.publish(for: self, level) {
        case .success(let psm): self.report(.channelPublished(psm, nil))
        case .failure(let error): self.report(.channelPublished(0, .publishingFailure(error)))
        }
    }

    /// A central has opened a channel.
    func opened(_ channel: ChannelHandle, psm: CBL2CAPPSM, on link: LinkID) {
        self.announce(link)
        self.report(.channelOpened(link, psm, channel))
    }

    // MARK: Updates

    private func update(_ handle: AttributeHandle, _ value: consuming ByteBuffer, _ link: LinkID) {
        // A value that is not sent counts as sent, or the app would wait for it.
        guard self.owns(handle), self.host.notify(value, characteristic: handle, to: link, token: self.token) else {
            return self.transmitted(1, on: link)
        }
    }

    /// Updates have left, or never will.
    func transmitted(_ count: Int, on link: LinkID) {
        guard let window = self.central(link)?.window else { return }
        if window.remove(count, buffers: &self.host.sentBuffers) { self.report(.canSend(link)) }
    }

    // MARK: The adapter

    /// The adapter stopped.
    ///
    /// Published services and channels stay while it is only switched off.
    func adapterStopped(_ state: CBManagerState) {
        self.forgetCentrals()
        self.subscriptions.removeAll()
        self.noteChange()
        if state < .poweredOff {
            self.core.channels.unpublishAll(of: self)
            self.removeAll()
        }
        // An orphaned session ends here.
        if self.preservedState != nil { self.end() }
    }

    /// The process is over.
    func kill() { self.recordStore?.close() }
}
