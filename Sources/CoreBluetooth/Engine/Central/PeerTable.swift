// The peers of one adapter on its event loop: carries out what their machines decide, and hands the host's reports of a
// link to the connections that share it.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// All peers of one adapter.
final class PeerTable {
    /// Set once, by the adapter that owns the table.
    unowned var core: AdapterCore!
    private(set) var peers: [DeviceAddress: Peer] = [:]
    @exclusivity(unchecked) private var peersByLink = SortedTable<LinkID, Peer>()

    /// The record of a device.
    func peer(_ address: DeviceAddress) -> Peer {
        if let peer = self.peers[address] { return peer }
        let peer = Peer(address: address)
        self.peers[address] = peer
        return peer
    }

    /// The device at the other end of a link.
    @inline(__always)
    func peer(of link: LinkID) -> Peer? { self.peersByLink[link] }

    // MARK: What apps ask for

    /// An app asks for a connection.
    func add(_ connection: PeripheralConnection) {
        let peer = connection.peer
        let options = connection.options
        if let delay = options.delay {
            connection.startDelay = self.core.schedule(in: delay) { [weak core = self.core, weak connection] in
                guard let core, let connection else { return }
                core.peers.perform(connection.peer.connections.startDelayElapsed(connection), on: connection.peer)
            }
        }
        self.perform(
            peer.connections.add(connection, reconnects: options.reconnectsByItself, isDelayed: options.delay != nil),
            on: peer
        )
    }

    /// An app cancels a connection, existing or waited for.
    func cancel(_ connection: PeripheralConnection) {
        let peer = connection.peer
        self.perform(peer.connections.cancel(connection), on: peer)
        self.removeIfUnused(peer)
    }

    private func perform(_ actions: [PeerLink<PeripheralConnection>.Action], on peer: Peer) {
        for action in actions {
            switch action {
            case .connect: self.core.host.connect(to: peer.address)
            case .cancelConnecting: self.core.host.cancelConnection(to: peer.address)
            case .stopConnecting: self.core.host.stopConnecting(to: peer.address)
            case .disconnect(let link): self.core.host.disconnect(link)
            case .establish(let connection, let link):
                connection.establish(link)
                self.readName(of: peer)
            case .leave(let connection): connection.cancelAll()
            case .fail(let connection, let status):
                connection.end()
                connection.session.ended(connection, .failed)
                connection.report(.failedToConnect(connection.id, status))
            case .reconnect(let connection, let reason):
                connection.loseLink()
                connection.session.noteChange()
                self.reportDisconnection(of: connection, Self.error(of: reason), isReconnecting: true)
            case .end(let connection, let reason):
                connection.end()
                connection.session.ended(connection, reason == nil ? .cancelled : .lost)
                self.reportDisconnection(of: connection, reason.map(Self.error), isReconnecting: false)
            }
        }
    }

    /// A link that the app did not end has a reason, whatever the controller says.
    private static func error(of reason: HCIErrorCode) -> CBError {
        CBError.disconnection(reason) ?? .reported(.peripheralDisconnected)
    }

    private func reportDisconnection(of connection: PeripheralConnection, _ error: CBError?, isReconnecting: Bool) {
        connection.report(
            .disconnected(connection.id, error, timestamp: self.core.timestamp, isReconnecting: isReconnecting)
        )
    }

    private func removeIfUnused(_ peer: Peer) {
        if peer.connections.isUnused, self.peers[peer.address] === peer { self.peers[peer.address] = nil }
    }

    // MARK: What the host reports

    /// There is a link.
    func connected(_ link: LinkInformation) {
        let peer = self.peer(link.peer)
        // There are two links with a peer if each device connected to the other at once, or if the peer was restarted
        // and its old link has not timed out yet. The second link is used when the first one has ended.
        guard let actions = peer.connections.connected(link.id, isCentral: link.isCentral) else { return }
        peer.server = RemoteServer()
        peer.server.mtu = self.core.host.mtu(of: link.id)
        peer.server.level = self.core.host.security(of: link.id)?.level ?? .none
        self.peersByLink[link.id] = peer
        guard peer.link != nil else { return self.perform(actions, on: peer) }
        if link.isCentral {
            // The host validates by itself.
            peer.server.identity = .validating(mustRepeat: false)
            peer.server.validationCount = 1
        }
        self.core.connectedPeers.insert(link.peer)
        self.perform(actions, on: peer)
        self.reportConnectionEvent(.peerConnected, of: peer, services: [])
    }

    /// The peer of a link is known by its identity address now. Connections go on under that address.
    func identified(_ link: LinkInformation, before address: DeviceAddress) {
        guard let peer = self.peersByLink[link.id], peer.address != link.peer else { return }
        if self.peers[address] === peer { self.peers[address] = nil }
        let other = self.peers[link.peer]
        peer.address = link.peer
        self.peers[link.peer] = peer
        self.core.connectedPeers.move(address, to: link.peer)
        self.core.databaseCache.remove(address)
        self.learn(of: peer) { _ in }
        for connection in peer.connections.connections { connection.session.noteChange() }
        // Connections that waited for the device under its identity address had another identifier, which no longer
        // exists.
        guard let other, other.link == nil else { return }
        self.core.host.stopConnecting(to: link.peer)
        let connections = other.connections.connections
        other.connections = PeerLink()
        self.perform(connections.map { .fail($0, .connectionAlreadyExists) }, on: other)
    }

    /// The host could not connect to a peer.
    func failed(_ address: DeviceAddress, _ status: HCIErrorCode) {
        guard let peer = self.peers[address] else { return }
        self.perform(peer.connections.connectingFailed(status), on: peer)
        self.removeIfUnused(peer)
    }

    /// A link ended.
    func disconnected(_ link: LinkInformation, _ reason: HCIErrorCode) {
        guard let peer = self.peersByLink[link.id] else { return }
        self.peersByLink[link.id] = nil
        self.core.connectedPeers.remove(peer.address)
        self.reportConnectionEvent(.peerDisconnected, of: peer, services: peer.server.reportedServices)
        // The host has ended the link since the peer did not answer.
        let actions = peer.connections.disconnected(peer.server.hasTimedOut ? .connectionTimeout : reason)
        peer.server = RemoteServer()
        self.perform(actions, on: peer)
        if let other = self.core.host.links.first(where: { $0.peer == link.peer && $0.id != link.id }) {
            self.connected(other)
        } else {
            self.perform(peer.connections.connectIfWanted(), on: peer)
        }
        self.removeIfUnused(peer)
    }

    /// The adapter stopped: all links and connections are gone.
    func reset() {
        for peer in self.peers.values {
            let connections = peer.connections.connections
            peer.connections = PeerLink()
            for connection in connections {
                connection.end()
            }
        }
        self.peers = [:]
        self.peersByLink = SortedTable()
        self.core.connectedPeers.removeAll()
    }

    /// A value came as a notification or an indication.
    @inline(__always)
    func received(_ value: ByteBuffer, for handle: AttributeHandle, on link: LinkID) {
        guard let peer = self.peersByLink[link] else { return }
        if peer.server.earlyValues.contains(handle) { return peer.server.earlyValues.add(value, for: handle) }
        let isKnown = peer.server.subscriptions.withObject(of: handle) { subscription in
            subscription.forEachSubscriber { $0.received(value, for: handle, on: link) }
        }
        // A server without a bond has forgotten the subscriptions of earlier links.
        guard !isKnown, self.core.host.security(of: link)?.isBonded == true else { return }
        peer.server.earlyValues.add(value, for: handle)
    }

    /// Writes without response have left or were dropped.
    func transmitted(_ count: Int, for token: TransmitToken, on link: LinkID) {
        self.peersByLink[link]?.connections.established.first { $0.token == token }?.transmitted(count)
    }

    /// The ATT MTU changed.
    func changedMTU(_ link: LinkID, _ mtu: Int) {
        guard let peer = self.peersByLink[link] else { return }
        peer.server.mtu = mtu
        for connection in peer.connections.established { connection.changedMTU(mtu, on: link) }
    }

    /// The peer's services in a range are gone.
    func invalidated(_ link: LinkID, _ range: AttributeHandleRange) {
        guard let peer = self.peersByLink[link] else { return }
        peer.server.hasReportedChange = true
        self.invalidate(range, of: peer, link)
        self.outOfDate(peer, link)
    }

    func invalidate(_ range: AttributeHandleRange, of peer: Peer, _ link: LinkID) {
        _ = peer.server.subscriptions.remove(in: range)
        peer.server.earlyValues.remove(in: range)
        self.core.host.cancelWritesWithoutResponse(to: range, on: link)
        for connection in peer.connections.established { connection.invalidate(range) }
    }

    // MARK: Databases

    /// The cached database of the peer of a link, for the host to validate.
    func cachedDatabase(of link: LinkInformation) -> GATTCachedDatabase? {
        let level = self.core.host.security(of: link.id)?.level ?? .none
        return self.core.databaseCache.database(of: link.peer, at: level)?.identity
    }

    /// The host knows which database the server at the other end of a link has.
    func validated(_ link: LinkID, _ validation: GATTDatabaseValidation) {
        guard let peer = self.peersByLink[link] else { return }
        let earlier = peer.server.validatedDatabase
        let mustRepeat = peer.server.identity.mustRepeat
        peer.server.validatedDatabase = validation.database
        if case .doubted = peer.server.trust { self.collectUnconfirmed(of: peer) }
        switch validation {
        case .unchanged(let identity):
            let cached = self.core.databaseCache.database(of: peer.address, at: peer.server.level)
            peer.server.database = cached ?? RemoteDatabase(identity)
            peer.server.identity = .known
        case .changed(let identity):
            self.core.databaseCache.remove(peer.address)
            peer.server.database = RemoteDatabase(identity)
            peer.server.identity = .known
        case .noDatabaseHash:
            self.core.databaseCache.remove(peer.address)
            peer.server.identity = .noDatabaseHash
        }
        if mustRepeat {
            self.validate(peer, on: link)
            if case .validating = peer.server.identity { return }
        }
        // A server that can report a change has done so before it answered; of any other server nothing holds.
        if let earlier, earlier.databaseHash != validation.database?.databaseHash, !peer.server.hasReportedChange {
            self.invalidate(0x0001...0xFFFF, of: peer, link)
            peer.server.trust = .confirmed
        }
        peer.server.hasReportedChange = false
        self.confirm(peer, on: link)
        for connection in peer.connections.established { connection.databaseValidated() }
    }

    /// The server says that this device does not know its database: it is validated before the request that was refused
    /// is repeated (Vol 3, Part G, 2.5.2.1).
    func databaseOutOfSync(_ link: LinkID) {
        guard let peer = self.peersByLink[link] else { return }
        if case .doubted = peer.server.trust { return self.findOutAnew(peer, on: link) }
        switch peer.server.identity {
        // A validation that has begun starts over, since the server may have refused a part of it.
        case .validating: self.validate(peer, on: link)
        case .unknown, .known, .noDatabaseHash: self.outOfDate(peer, link)
        }
    }

    /// The discoveries of a server no longer hold.
    private func outOfDate(_ peer: Peer, _ link: LinkID) {
        self.core.databaseCache.remove(peer.address)
        peer.server.database = RemoteDatabase()
        switch peer.server.identity {
        case .unknown, .noDatabaseHash: break
        // The report may be caused by the configuration of caching, which must not be repeated for it.
        case .validating: peer.server.identity = .validating(mustRepeat: true)
        case .known: self.validate(peer, on: link)
        }
    }

    /// Has the host find out which database a server has.
    func validate(_ peer: Peer, on link: LinkID) {
        peer.server.validationCount += 1
        guard peer.server.validationCount <= RemoteServer.validationLimit else {
            return peer.server.identity = .noDatabaseHash
        }
        peer.server.identity = .validating(mustRepeat: peer.server.identity.mustRepeat)
        self.core.host.validateDatabaseCache(on: link)
    }

    /// Notes discoveries of a server, and caches them if the database has a hash.
    func learn(of peer: Peer, _ body: (inout RemoteDatabase) -> Void) {
        body(&peer.server.database)
        // Discoveries of a less secure link are still to be confirmed.
        guard case .confirmed = peer.server.trust else { return }
        peer.server.database.level = peer.server.level
        if case .known = peer.server.identity { self.core.databaseCache.store(peer.server.database, of: peer.address) }
    }

    // MARK: Subscriptions

    /// A connection no longer has the link: values without another subscriber are turned off.
    func unsubscribe(_ connection: PeripheralConnection) {
        let peer = connection.peer
        for handle in peer.server.subscriptions.keys { peer.server.subscriptions[handle]?.remove(connection) }
        self.releaseSubscriptions(of: peer)
    }

    /// Turns off the values of a peer that no longer have a subscriber.
    func releaseSubscriptions(of peer: Peer) {
        guard let link = peer.link else { return }
        for subscription in peer.server.subscriptions.all where subscription.needsRelease {
            let characteristic = subscription.characteristic
            let handle = characteristic.valueHandle
            self.core.host.perform(on: link) { () -> WriteClientCharacteristicConfiguration? in
                guard case .write(let isOn) = peer.server.subscriptions[handle]?.release() else { return nil }
                return .configure(isOn, characteristic, at: peer.server.database.configuration(of: characteristic))
            } completion: { result in
                guard !result.isDisconnection else { return }
                peer.server.subscriptions[handle]?.written(isAccepted: (try? result.get()) != nil)
            }
        }
    }

    // MARK: Connection events

    /// Services of a peer became known.
    func discovered(_ services: [GATTRemoteService], of peer: Peer) {
        let new = services.map(\.uuid).filter { !peer.server.reportedServices.contains($0) }
        guard !new.isEmpty else { return }
        peer.server.reportedServices += new
        self.core.connectedPeers.setServices(peer.server.reportedServices, of: peer.address)
        self.reportConnectionEvent(.peerConnected, of: peer, services: new)
    }

    /// Reports an event to the sessions that registered: for the peer when its link begins or ends, for its services
    /// when they become known.
    private func reportConnectionEvent(_ event: CBConnectionEvent, of peer: Peer, services: [BluetoothUUID]) {
        for session in self.core.centralSessions {
            guard let filter = session.connectionEventFilter else { continue }
            let record = self.core.identities.record(for: peer.address)
            let knowsPeer = filter.identifiers.contains(record.identifier)
            let knowsServices = filter.services.contains { services.contains($0) }
            let isDiscovery = event == .peerConnected && !services.isEmpty
            // Each is reported once: a peer known by its identifier was reported before its services were known.
            let wasReported =
                knowsPeer
                || filter.services.contains { wanted in
                    peer.server.reportedServices.contains(wanted) && !services.contains(wanted)
                }
            guard isDiscovery ? knowsServices && !wasReported : knowsPeer || knowsServices else { continue }
            session.report(.connectionEvent(PeerDescription(record), event))
        }
    }
}
