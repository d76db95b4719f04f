// Links to other devices and who wants them. Several managers of a process may want the same device: the link is there
// while somebody wants it, and each of them sees its own connection.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import DequeModule
import Foundation
import NIOCore

/// A device that somebody wants a link to, or has one with.
final class Peer {
    enum Link {
        /// There is none and nobody waits.
        case none
        /// The host waits for it.
        case pending
        /// It is there.
        case up(LinkID, isCentral: Bool)
        /// It is being ended.
        case ending(LinkID)
    }

    /// How far the server at the other end of the link is known.
    enum Server {
        /// Nobody has asked: the peer opened the link.
        case unasked
        /// The host finds it out; whoever discovers something meanwhile comes behind that.
        case identifying
        /// The host reads the Database Hash, to see whether what is kept still holds.
        case checking(AttributeCache)
        /// It is known by its Database Hash.
        case known(AttributeCache)
        /// It has no Database Hash, so nothing is kept of it.
        case nameless
    }

    enum ConfigurationHandle {
        case known(AttributeHandle)
        case absent
        case unknown
    }

    let address: DeviceAddress
    var state: Link = .none
    var mtu = 23
    /// Everybody who waits, has the link, or leaves it, in the order in which they came.
    var interests: ContiguousArray<PeripheralConnection> = []
    /// The server at the other end of the link.
    var server: Server = .unasked
    /// Whether the server has changed while it was being identified.
    fileprivate var mustIdentifyAgain = false
    /// Who queued the writes without response that have not left yet.
    var writers: Deque<PeripheralConnection> = []
    /// Services that were discovered on this link, by whomever.
    fileprivate(set) var services: [BluetoothUUID] = []
    /// Whether the GAP Device Name was asked for on this link, or is about to be.
    var hasNameReader = false
    /// The Client Characteristic Configuration of characteristics whose descriptors are known; `nil` where there is none.
    private var configurationHandles: [AttributeHandle: AttributeHandle?] = [:]

    init(address: DeviceAddress) { self.address = address }

    /// The link, while it can be used.
    var link: LinkID? {
        if case .up(let link, isCentral: _) = self.state { link } else { nil }
    }

    /// What is known of the server's attributes, as long as that holds.
    var cache: AttributeCache? {
        if case .known(let cache) = self.server { cache } else { nil }
    }

    /// Whether it is not known yet if what is kept of the server holds, so that procedures have to wait.
    var isChecking: Bool {
        if case .checking = self.server { true } else { false }
    }

    /// Where notifications of a characteristic are configured.
    func configurationHandle(of characteristic: GATTRemoteCharacteristic) -> ConfigurationHandle {
        switch self.configurationHandles[characteristic.valueHandle] {
        case .some(.some(let handle)): return .known(handle)
        case .some(.none): return .absent
        case .none:
            guard let descriptors = self.cache?.descriptors(of: characteristic) else { return .unknown }
            return descriptors.first { $0.uuid == 0x2902 }.map { .known($0.handle) } ?? .absent
        }
    }

    /// Takes in the descriptors of a characteristic.
    func learn(_ descriptors: [GATTRemoteDescriptor], of characteristic: GATTRemoteCharacteristic) {
        let handle = descriptors.first { $0.uuid == 0x2902 }?.handle
        self.configurationHandles.updateValue(handle, forKey: characteristic.valueHandle)
    }

    fileprivate func forgetLink() {
        self.mtu = 23
        self.server = .unasked
        self.mustIdentifyAgain = false
        self.writers.removeAll()
        self.services = []
        self.configurationHandles = [:]
        self.hasNameReader = false
    }

    fileprivate func invalidate(_ range: AttributeHandleRange) {
        self.configurationHandles = self.configurationHandles.filter { !range.contains($0.key) }
    }
}

/// All peers of one adapter.
final class PeerTable {
    unowned let core: AdapterCore
    private var peers: [DeviceAddress: Peer] = [:]
    private var peersByLink: [LinkID: Peer] = [:]

    init(core: AdapterCore) { self.core = core }

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

    // MARK: Wishes

    /// Somebody wants a link.
    func add(_ interest: PeripheralConnection) {
        interest.peer.interests.append(interest)
        guard let delay = interest.options.delay else { return self.start(interest) }
        interest.phase = .delayed(
            self.core.schedule(in: delay) { [weak self, weak interest] in
                guard let self, let interest, case .delayed = interest.phase else { return }
                interest.phase = .pending
                self.start(interest)
            }
        )
    }

    private func start(_ interest: PeripheralConnection) {
        let peer = interest.peer
        switch peer.state {
        case .up: self.establish(interest)
        // The link that is being ended has to be gone first.
        case .pending, .ending: break
        case .none:
            peer.state = .pending
            self.core.host.connect(to: peer.address)
        }
    }

    private func establish(_ interest: PeripheralConnection) {
        interest.phase = .established
        interest.window = TransmitWindow()
        interest.tell(.connected(interest.name, mtu: interest.peer.mtu, interest.window))
        interest.session.noteChange()
        interest.beginResuming()
        self.readName(of: interest.peer)
    }

    // MARK: Giving up

    /// Somebody gives up a link, or waiting for it.
    func cancel(_ interest: PeripheralConnection) {
        let peer = interest.peer
        switch interest.phase {
        case .leaving, .ended: return
        case .delayed(let timer):
            timer.cancel()
            self.end(interest, nil)
        case .pending:
            self.end(interest, nil)
            if case .pending = peer.state, !peer.interests.contains(where: \.isPending) {
                peer.state = .none
                self.core.host.cancelConnection(to: peer.address)
            }
        case .established:
            interest.forgetOperations()
            let isWanted = peer.interests.contains { other in
                if other !== interest, case .established = other.phase { true } else { false }
            }
            if case .up(let link, isCentral: true) = peer.state, !isWanted {
                interest.phase = .leaving
                peer.state = .ending(link)
                self.core.host.disconnect(link)
            } else {
                // The link stays for others, or for the central at its other end.
                self.end(interest, nil)
            }
        }
        self.tidy(peer)
    }

    private func end(_ interest: PeripheralConnection, _ error: CBError?) {
        interest.phase = .ended
        interest.forgetOperations()
        interest.peer.interests.removeAll { $0 === interest }
        interest.session.ended(interest)
        interest.tell(
            .disconnected(interest.name, error, timestamp: self.core.timestamp, isReconnecting: false)
        )
    }

    private func tidy(_ peer: Peer) {
        if case .none = peer.state, peer.interests.isEmpty { self.peers[peer.address] = nil }
    }

    // MARK: What the host reports

    /// A link is there.
    func connected(_ link: LinkInformation) {
        let peer = self.peer(link.peer)
        switch peer.state {
        case .none, .pending: break
        case .up, .ending:
            // One link with a device at a time; this one is taken up when the other has ended. There are two where each
            // device connected to the other at once, or where the peer has started anew and is not missed yet.
            return
        }
        if case .pending = peer.state, !link.isCentral { self.core.host.cancelConnection(to: link.peer) }
        peer.forgetLink()
        peer.mtu = self.core.host.mtu(of: link.id)
        self.peersByLink[link.id] = peer
        let waiting = peer.interests.filter(\.isPending)
        if link.isCentral, waiting.isEmpty {
            // Given up while the link was being made.
            peer.state = .ending(link.id)
            return self.core.host.disconnect(link.id)
        }
        peer.state = .up(link.id, isCentral: link.isCentral)
        if link.isCentral {
            peer.server = self.core.attributeCaches.cache(of: link.peer).map { .checking($0) } ?? .identifying
        }
        self.core.connectedPeers.insert(link.peer)
        for interest in waiting { self.establish(interest) }
        self.tellConnectionEvent(.peerConnected, of: peer, services: [])
    }

    /// A pending connection failed.
    func failed(_ address: DeviceAddress, _ status: HCIErrorCode) {
        guard let peer = self.peers[address], case .pending = peer.state else { return }
        peer.state = .none
        for interest in peer.interests.filter(\.isPending) {
            interest.phase = .ended
            peer.interests.removeAll { $0 === interest }
            interest.session.ended(interest)
            interest.tell(.failedToConnect(interest.name, status))
        }
        self.tidy(peer)
    }

    /// A link ended.
    func disconnected(_ link: LinkInformation, _ reason: HCIErrorCode) {
        guard let peer = self.peersByLink.removeValue(forKey: link.id) else { return }
        self.core.connectedPeers.remove(peer.address)
        self.tellConnectionEvent(.peerDisconnected, of: peer, services: peer.services)
        peer.state = .none
        peer.forgetLink()
        for interest in peer.interests {
            switch interest.phase {
            case .leaving: self.end(interest, nil)
            case .established:
                // A link that ended without the app's wish has a reason, whatever the controller says.
                let error = CBError.disconnection(reason) ?? .told(.peripheralDisconnected)
                if interest.options.reconnectsByItself {
                    interest.forgetOperations()
                    interest.attributes.stopNotifying()
                    interest.phase = .pending
                    interest.session.noteChange()
                    interest.tell(
                        .disconnected(interest.name, error, timestamp: self.core.timestamp, isReconnecting: true)
                    )
                } else {
                    self.end(interest, error)
                }
            case .delayed, .pending, .ended: break
            }
        }
        if let other = self.core.host.links.first(where: { $0.peer == link.peer && $0.id != link.id }) {
            self.connected(other)
        } else if peer.interests.contains(where: \.isPending) {
            peer.state = .pending
            self.core.host.connect(to: peer.address)
        }
        self.tidy(peer)
    }

    /// The adapter stopped: there are no links and no wishes any more.
    func reset() {
        for peer in self.peers.values {
            for interest in peer.interests {
                if case .delayed(let timer) = interest.phase { timer.cancel() }
                interest.phase = .ended
                interest.forgetOperations()
            }
            peer.interests = []
        }
        self.peers = [:]
        self.peersByLink = [:]
        self.core.connectedPeers.removeAll()
    }

    /// A notification came.
    @inline(__always)
    func notified(_ link: LinkID, _ handle: AttributeHandle, _ value: ByteBuffer) {
        guard let peer = self.peersByLink[link] else { return }
        for interest in peer.interests where interest.wantsNotifications(handle) {
            interest.tell(.value(interest.name, handle, value))
        }
    }

    /// Writes without response have left.
    func transmitted(_ link: LinkID, _ count: Int) {
        guard let peer = self.peersByLink[link] else { return }
        var left = count
        while left > 0, let writer = peer.writers.popFirst() {
            // Most often they are all of one writer.
            var own = 1
            while own < left, peer.writers.first === writer {
                peer.writers.removeFirst()
                own += 1
            }
            left -= own
            if case .established = writer.phase { writer.transmitted(own) }
        }
    }

    /// The ATT MTU changed.
    func changedMTU(_ link: LinkID, _ mtu: Int) {
        guard let peer = self.peersByLink[link] else { return }
        peer.mtu = mtu
        for interest in peer.interests {
            if case .established = interest.phase { interest.tell(.mtu(interest.name, mtu)) }
        }
    }

    /// The peer's services changed.
    func invalidated(_ link: LinkID, _ range: AttributeHandleRange) {
        guard let peer = self.peersByLink[link] else { return }
        peer.invalidate(range)
        for interest in peer.interests {
            if case .established = interest.phase { interest.invalidate(range) }
        }
        self.outOfDate(peer, link)
    }

    // MARK: What is kept of servers

    /// What the host has to know of the server that it is about to meet.
    func cachedDatabase(at address: DeviceAddress) -> GATTCachedDatabase? {
        guard let peer = self.peers[address], case .checking(let cache) = peer.server else { return nil }
        return cache.server
    }

    /// The host knows the server at the other end of a link.
    func validated(_ link: LinkID, _ validation: GATTDatabaseValidation) {
        guard let peer = self.peersByLink[link] else { return }
        guard !peer.mustIdentifyAgain else {
            peer.mustIdentifyAgain = false
            peer.server = .identifying
            return self.core.host.validateDatabaseCache(on: link)
        }
        switch (peer.server, validation) {
        case (.checking(let cache), .unchanged): peer.server = .known(cache)
        case (_, .unchanged(let database)), (_, .changed(let database)):
            self.core.attributeCaches.remove(peer.address)
            peer.server = .known(AttributeCache(database))
        case (_, .noDatabaseHash):
            self.core.attributeCaches.remove(peer.address)
            peer.server = .nameless
        }
        for interest in peer.interests {
            if case .established = interest.phase { interest.serverIdentified() }
        }
    }

    /// The server says that this device does not know its database.
    func databaseOutOfSync(_ link: LinkID) {
        guard let peer = self.peersByLink[link] else { return }
        // A server that could say what has changed does; of another one nothing holds any more.
        let tells =
            if case .known(let cache) = peer.server { cache.server.serviceChangedConfiguration != nil } else { true }
        if tells { self.outOfDate(peer, link) } else { self.invalidated(link, 0x0001...0xFFFF) }
    }

    /// What is kept of a server no longer holds.
    private func outOfDate(_ peer: Peer, _ link: LinkID) {
        self.core.attributeCaches.remove(peer.address)
        switch peer.server {
        case .unasked, .nameless: break
        // A server that changes without end is asked once at a time.
        case .identifying, .checking: peer.mustIdentifyAgain = true
        case .known:
            peer.server = .identifying
            self.core.host.validateDatabaseCache(on: link)
        }
    }

    /// Keeps what was discovered of a server that is known by its hash.
    func learn(of peer: Peer, _ body: (inout AttributeCache) -> Void) {
        guard case .known(var cache) = peer.server else { return }
        // One owner, so that its tables grow in place.
        peer.server = .nameless
        body(&cache)
        peer.server = .known(cache)
        self.core.attributeCaches.store(cache, of: peer.address)
    }

    // MARK: Connection events

    /// Services of a peer became known.
    func discovered(_ services: [GATTRemoteService], of peer: Peer) {
        let new = services.map(\.uuid).filter { !peer.services.contains($0) }
        guard !new.isEmpty else { return }
        peer.services += new
        self.core.connectedPeers.setServices(peer.services, of: peer.address)
        self.tellConnectionEvent(.peerConnected, of: peer, services: new)
    }

    /// Tells those who registered: for the peer when its link comes or goes, for its services when they become known.
    private func tellConnectionEvent(_ event: CBConnectionEvent, of peer: Peer, services: [BluetoothUUID]) {
        for session in self.core.centralSessions {
            guard let filter = session.connectionEventFilter else { continue }
            let record = self.core.identities.record(for: peer.address)
            let knowsPeer = filter.identifiers.contains(record.identifier)
            let knowsServices = filter.services.contains { services.contains($0) }
            let isDiscovery = event == .peerConnected && !services.isEmpty
            // Each is told once: a peer known by its identifier was told before its services were known.
            let wasTold =
                knowsPeer
                || filter.services.contains { wanted in
                    peer.services.contains(wanted) && !services.contains(wanted)
                }
            guard isDiscovery ? knowsServices && !wasTold : knowsPeer || knowsServices else { continue }
            session.tell(.connectionEvent(PeerDescription(record), event))
        }
    }
}

extension PeripheralConnection {
    fileprivate var isPending: Bool { if case .pending = self.phase { true } else { false } }
}
