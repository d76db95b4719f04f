// One app's connection to one peripheral on the event loop: what the app asks for is handed to the host, and what
// becomes of it to the app. When the link is opened and closed is decided by `PeerLink`, the order of procedures by the
// link's ATT bearer, and who gets values by `Subscription`; here is only what the app still waits for.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

/// One `CBPeripheral` object's connection.
final class PeripheralConnection {
    let id: ConnectionID
    let session: CentralSession
    let peer: Peer
    let options: ConnectOptions
    /// The owner of the connection's writes without response.
    let token: TransmitToken
    /// The delay that the app asked for before the connection, while it lasts.
    var startDelay: Scheduled<Void>?
    /// Whether the object is gone, so that nothing is reported any more.
    var isReleased = false

    /// What the app has discovered, where it may be needed beyond this link.
    var attributes: DiscoveredAttributes
    /// Whether what the app had discovered and subscribed to on an earlier link still holds.
    var resumption = Resumption()

    /// The operations that the app waits for, in the order of the calls.
    private var awaited: [PeripheralOperation] = []
    @exclusivity(unchecked) private(set) var invalidations: Invalidations
    var channelRequests = ChannelOpenRequests()
    /// The writes without response that are on their way.
    @exclusivity(unchecked) var window = PeripheralConnection.makeWindow()
    /// The values that wait for the app.
    @exclusivity(unchecked) private var receiveWindow = ReceiveWindow()

    init(
        id: ConnectionID,
        session: CentralSession,
        peer: Peer,
        options: ConnectOptions,
        attributes: DiscoveredAttributes = DiscoveredAttributes(),
        invalidations: Invalidations = Invalidations()
    ) {
        self.id = id
        self.session = session
        self.peer = peer
        self.options = options
        self.attributes = attributes
        self.invalidations = invalidations
        self.host = session.core.host
        self.token = session.core.makeTransmitToken()
    }

    /// How the connection stands; `nil` once it has ended.
    var phase: PeerLink<PeripheralConnection>.Phase? { self.peer.connections.phase(of: self) }

    /// Whether the app has the link.
    var isEstablished: Bool { self.phase == .established }

    let host: LEHost

    /// Reports an event to the object's queue.
    @inline(__always)
    func report(_ event: consuming CentralEvent) {
        guard !self.isReleased else { return }
        if !self.options.alerts.isEmpty { self.showAlert(for: event) }
        self.session.report(event)
    }

    /// Reports a value that the peer sent; an app that is behind holds the link back.
    func received(_ value: ByteBuffer, for handle: AttributeHandle, on link: LinkID) {
        self.report(.value(self.id, handle, value, self.receiveWindow), octets: value.readableBytes, on: link)
    }

    /// The peer's client has agreed on another ATT MTU.
    func changedMTU(_ mtu: Int, on link: LinkID) {
        self.report(.mtu(self.id, mtu, self.receiveWindow), on: link)
    }

    /// Reports an event that the peer can cause at will; an app that is behind holds the link back.
    @inline(__always)
    private func report(_ event: consuming CentralEvent, octets: Int = 0, on link: LinkID?) {
        guard !self.isReleased else { return }
        let change = self.receiveWindow.add(octets)
        self.report(event)
        if change != .none, let link { self.session.core.received(change, on: link, for: self.token) }
    }

    /// The link is gone, or no longer the app's: nothing of it is reported any more.
    func cancelAll() {
        self.awaited.removeAll()
        self.resumption = Resumption()
        self.channelRequests.cancelAll()
        self.session.core.peers.unsubscribe(self)
        self.session.core.channels.close(of: self)
        if let link = self.peer.link { self.session.core.resumeReceiving(on: link, for: self.token) }
        self.receiveWindow = ReceiveWindow()
    }

    /// The link is lost, and the connection waits for the next one: all services have become invalid, also for what the
    /// app has asked for and is still on its way.
    func loseLink() {
        self.cancelAll()
        self.invalidations.appendLoss()
        self.attributes = DiscoveredAttributes()
    }

    /// The connection has ended.
    func end() {
        self.startDelay?.cancel()
        self.cancelAll()
    }

    // MARK: Operations

    /// Whether everything that was asked for is answered.
    var isIdle: Bool { self.awaited.isEmpty && !self.resumption.isUnderWay }

    /// Begins an operation of the app, to which so many invalidations were delivered when it called.
    func perform(_ operation: PeripheralOperation, invalidations: Int) {
        guard self.isEstablished, let link = self.peer.link else { return }
        // The app does not know yet that the link it asked on was lost, and hears nothing more of what it asked there.
        guard !self.invalidations.isBeforeLoss(invalidations) else { return }
        guard !self.isInvalid(invalidations, where: operation.concerns) else { return operation.refuse(for: self) }
        self.begin(operation, on: link)
    }

    /// Begins an operation, and awaits its end.
    func begin(_ operation: PeripheralOperation, on link: LinkID) {
        self.awaited.append(operation)
        operation.start(on: link, for: self)
    }

    /// Whether the app still waits for an operation.
    func awaits(_ operation: PeripheralOperation) -> Bool { self.awaited.contains { $0 === operation } }

    /// Takes an operation out of those that the app waits for; false if it no longer does.
    func take(_ operation: PeripheralOperation) -> Bool {
        guard let index = self.awaited.firstIndex(where: { $0 === operation }) else { return false }
        self.awaited.remove(at: index)
        return true
    }

    // MARK: Writes without response

    /// Apps also wait for `peripheralIsReady(toSendWriteWithoutResponse:)` after a few writes, or a single one.
    static func makeWindow() -> TransmitWindow { TransmitWindow(reportsEmpty: true) }

    /// Writes a value without response, in the order of the calls.
    func writeWithoutResponse(_ value: consuming ByteBuffer, to handle: AttributeHandle, invalidations: Int) {
        guard self.isEstablished, let link = self.peer.link else { return }
        guard !self.isInvalid(invalidations, where: { $0.contains(handle) }) else {
            // What is not sent no longer counts as on its way.
            return self.transmitted(1)
        }
        self.host.writeWithoutResponse(value, to: handle, on: link, token: self.token)
    }

    /// Writes without response have left, or never will.
    func transmitted(_ count: Int) {
        if self.window.remove(count, buffers: &self.host.sentBuffers) { self.report(.canSend(self.id)) }
    }

    // MARK: Invalidation

    /// Whether services became invalid since an app's call that are its concern.
    private func isInvalid(_ invalidations: Int, where concerns: (AttributeHandleRange) -> Bool) -> Bool {
        self.invalidations.contains(after: invalidations, where: concerns)
    }

    /// The peer's services in `range` are no more: what the app waits for of them is answered, then the invalidation is
    /// reported.
    func invalidate(_ range: AttributeHandleRange) {
        self.invalidations.append(range)
        let refused = self.awaited.filter { $0.concerns(range) }
        self.awaited.removeAll { $0.concerns(range) }
        for operation in refused { operation.refuse(for: self) }
        self.note { $0.invalidate(range) }
        self.report(.servicesInvalidated(self.id, range, self.receiveWindow), on: self.peer.link)
    }

    // MARK: What the app knows

    /// Notes what the app learns, where it may be needed beyond this link.
    func note(_ body: (inout DiscoveredAttributes) -> Void) {
        guard self.session.isPreserved || self.options.reconnectsByItself else { return }
        body(&self.attributes)
        let database = self.peer.cachedDatabase
        self.attributes.databaseHash = database?.databaseHash
        self.attributes.securityLevel = database.flatMap { $0.level == .none ? nil : $0.level.rawValue }
        self.session.noteChange()
    }

    /// Notes what the peer has answered, for all apps.
    func learn(_ body: (inout RemoteDatabase) -> Void) { self.session.core.peers.learn(of: self.peer, body) }
}

extension PeripheralConnection: Equatable {
    static func == (left: PeripheralConnection, right: PeripheralConnection) -> Bool { left === right }
}
