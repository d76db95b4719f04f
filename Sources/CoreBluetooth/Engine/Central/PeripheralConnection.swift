// One app's connection to one peripheral on the event loop: hands the app's operations to the host, and their results
// to the app. `PeerLink` decides when the link is opened and closed, the link's GATT client the order of operations,
// and `Subscription` who gets values; the connection itself has only the operations that the app waits for.

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
    let host: LEHost
    /// The link, while the app has it.
    private(set) var link: LinkID?
    /// The owner of the connection's writes without response.
    let token: TransmitToken
    /// The start delay that the app asked for, while it lasts.
    var startDelay: Scheduled<Void>?
    /// Whether the object is gone, so that nothing more is reported.
    var isReleased = false

    /// The attributes that the app has discovered, if they may be needed beyond this link.
    var attributes: DiscoveredAttributes
    /// Decides whether the discoveries and subscriptions of an earlier link still hold.
    var resumption = Resumption()

    /// The operations that the app waits for, in the order of the calls.
    private var awaited: [PeripheralOperation] = []
    @exclusivity(unchecked) private(set) var invalidations: InvalidatedHandles
    var channelRequests = ChannelOpenRequests()
    /// The writes without response that are on their way. Apps wait for
    /// `peripheralIsReady(toSendWriteWithoutResponse:)` also after a few of them, or a single one.
    @exclusivity(unchecked) private(set) var window = TransmitWindow(reportsEmpty: true)
    /// The values that wait for the app.
    @exclusivity(unchecked) private var receiveWindow = ReceiveWindow()

    init(
        id: ConnectionID,
        session: CentralSession,
        peer: Peer,
        options: ConnectOptions,
        attributes: DiscoveredAttributes = DiscoveredAttributes(),
        invalidations: InvalidatedHandles = InvalidatedHandles()
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

    /// Reports an event to the object's queue.
    @inline(__always)
    func report(_ event: consuming CentralEvent) {
        guard !self.isReleased else { return }
        if !self.options.alerts.isEmpty { self.showAlert(for: event) }
        self.session.report(event)
    }

    /// Reports a value that the peer sent; the link is paused while the app is behind.
    func received(_ value: ByteBuffer, for handle: AttributeHandle, on link: LinkID) {
        self.report(.value(self.id, handle, value, self.receiveWindow), octets: value.readableBytes, on: link)
    }

    /// The peer's client has agreed on another ATT MTU.
    func changedMTU(_ mtu: Int, on link: LinkID) {
        self.report(.mtu(self.id, mtu, self.receiveWindow), on: link)
    }

    /// Reports an event that the peer can cause at will; the link is paused while the app is behind.
    @inline(__always)
    private func report(_ event: consuming CentralEvent, octets: Int = 0, on link: LinkID?) {
        guard !self.isReleased else { return }
        let change = self.receiveWindow.add(octets)
        self.report(event)
        if change != .none, let link { self.session.core.received(change, on: link, for: self.token) }
    }

    /// The app has a link from now on.
    func establish(_ link: LinkID) {
        self.link = link
        self.window = TransmitWindow(reportsEmpty: true)
        self.report(.connected(self.id, mtu: self.peer.server.mtu, self.window))
        self.session.noteChange()
        self.resume()
    }

    /// The link is gone, or no longer the app's: nothing more of it is reported.
    func cancelAll() {
        self.awaited.removeAll()
        self.resumption = Resumption()
        self.channelRequests.cancelAll()
        self.session.core.peers.unsubscribe(self)
        self.session.core.channels.close(of: self)
        if let link = self.link.take() { self.session.core.resumeReceiving(on: link, for: self.token) }
        self.receiveWindow = ReceiveWindow()
    }

    /// The link is lost, and the connection waits for the next one: all services are invalid, also for calls of the app
    /// that are still on their way.
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

    /// Whether the app waits for no operation.
    var isIdle: Bool { self.awaited.isEmpty && !self.resumption.isUnderWay }

    /// Begins an operation of the app.
    /// - Parameter invalidations: The number of invalidations that the app had got when it called.
    func perform(_ operation: PeripheralOperation, invalidations: Int) {
        guard let link = self.link else { return }
        // The call was for a link that is lost, as the app does not know yet: nothing of it is reported.
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

    /// Writes a value without response, in the order of the calls.
    func writeWithoutResponse(_ value: consuming ByteBuffer, to handle: AttributeHandle, invalidations: Int) {
        guard let link = self.link else { return }
        guard !self.isInvalid(invalidations, where: { $0.contains(handle) }) else {
            // A write that is not sent is no longer on its way.
            return self.transmitted(1)
        }
        self.host.writeWithoutResponse(value, to: handle, on: link, token: self.token)
    }

    /// Writes without response have left, or were dropped.
    func transmitted(_ count: Int) {
        if self.window.remove(count, buffers: &self.host.sentBuffers) { self.report(.canSend(self.id)) }
    }

    // MARK: Invalidation

    /// Whether handles that concern a call of the app became invalid after it.
    private func isInvalid(_ invalidations: Int, where concerns: (AttributeHandleRange) -> Bool) -> Bool {
        self.invalidations.contains(after: invalidations, where: concerns)
    }

    /// The peer's services in `range` are gone: operations on them are refused, then the invalidation is reported.
    func invalidate(_ range: AttributeHandleRange) {
        self.invalidations.append(range)
        let refused = self.awaited.filter { $0.concerns(range) }
        self.awaited.removeAll { $0.concerns(range) }
        for operation in refused { operation.refuse(for: self) }
        self.note { $0.invalidate(range) }
        self.report(.servicesInvalidated(self.id, range, self.receiveWindow), on: self.link)
    }

    // MARK: Discovered attributes

    /// Changes the app's discovered attributes, if they may be needed beyond this link.
    func note(_ body: (inout DiscoveredAttributes) -> Void) {
        guard self.session.isPreserved || self.options.reconnectsByItself else { return }
        body(&self.attributes)
        let database = self.peer.server.cachedDatabase
        self.attributes.databaseHash = database?.databaseHash
        self.attributes.securityLevel = database.flatMap { $0.level == .none ? nil : $0.level.rawValue }
        self.session.noteChange()
    }

    /// Notes the peer's answer, for all apps.
    func learn(_ body: (inout RemoteDatabase) -> Void) { self.session.core.peers.learn(of: self.peer, body) }
}

extension PeripheralConnection: Equatable {
    static func == (left: PeripheralConnection, right: PeripheralConnection) -> Bool { left === right }
}
