// Packets over Bluetooth, in both roles at once: every device advertises the mesh and looks for others that do. Either
// side may have made the connection to a neighbour. Everything here happens on the queue of the two managers.

import CoreBluetooth

/// What the transport has to say to the router.
enum TransportEvent: Sendable {
    case opened(LinkID)
    case closed(LinkID)
    case received(Data, LinkID)
}

// Its state is used on its queue alone.
final class MeshTransport: NSObject, @unchecked Sendable {
    static let service = CBUUID(string: "6E3A0001-52C8-4F5B-9D0B-2B8C7A1E5F64")
    static let stream = CBUUID(string: "6E3A0002-52C8-4F5B-9D0B-2B8C7A1E5F64")

    enum Limits {
        static let outgoingLinks = 4
        static let scan: TimeInterval = 3
        /// Between two scans while there are links, and while there are none.
        static let scanPause = 10.0...20.0
        static let lonelyScanPause = 1.0...3.0
        static let connectDelay = 0.05...1.0
        static let connectAttempt: TimeInterval = 10
        static let candidateLifetime: TimeInterval = 120
        /// Neighbours speak every half minute.
        static let silence: TimeInterval = 100
        /// A connection that lasted that long was a good one.
        static let goodLink: TimeInterval = 20
        static let maintenance: TimeInterval = 5
    }

    let queue = DispatchQueue(label: "mesh.bluetooth", qos: .userInitiated)
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    let own: PeerID
    let diagnostics: Diagnostics
    let events: AsyncStream<TransportEvent>
    let continuation: AsyncStream<TransportEvent>.Continuation
    /// Called on the main queue.
    var stateDidChange: ((CBManagerState) -> Void)?

    var central: CBCentralManager?
    var peripheralManager: CBPeripheralManager?
    /// What we publish; made again whenever Bluetooth is switched on.
    var characteristic: CBMutableCharacteristic?
    var candidates: [UUID: Candidate] = [:]
    var links: [LinkID: Link] = [:]
    var attemptNumber = 0
    private var maintenance: DispatchSourceTimer?
    /// Relays that wait for their time, with the links whose neighbours have the packet already.
    private var relays: [String: Set<LinkID>] = [:]

    init(own: PeerID, diagnostics: Diagnostics) {
        self.own = own
        self.diagnostics = diagnostics
        (self.events, self.continuation) = AsyncStream.makeStream()
        super.init()
        queue.setSpecific(key: MeshTransport.queueKey, value: ObjectIdentifier(self))
    }

    func assertOnQueue() {
        dispatchPrecondition(condition: .onQueue(queue))
        precondition(DispatchQueue.getSpecific(key: MeshTransport.queueKey) == ObjectIdentifier(self))
    }

    /// Runs work on the queue, at once where it is the current one.
    private func onQueue(_ work: @escaping @Sendable () -> Void) {
        if DispatchQueue.getSpecific(key: MeshTransport.queueKey) == ObjectIdentifier(self) {
            work()
        } else {
            queue.async(execute: work)
        }
    }

    func start() {
        queue.sync {
            guard central == nil else { return }
            central = CBCentralManager(delegate: self, queue: queue)
            peripheralManager = CBPeripheralManager(delegate: self, queue: queue)
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(
                deadline: .now() + Limits.maintenance,
                repeating: Limits.maintenance,
                leeway: .milliseconds(500)
            )
            timer.setEventHandler { [weak self] in self?.maintain() }
            timer.resume()
            maintenance = timer
        }
    }

    func stop() {
        onQueue { [self] in
            maintenance?.cancel()
            maintenance = nil
            central?.stopScan()
            for candidate in candidates.values { central?.cancelPeripheralConnection(candidate.peripheral) }
            peripheralManager?.stopAdvertising()
            peripheralManager?.removeAllServices()
            forgetLinks()
            central = nil
            peripheralManager = nil
        }
    }

    /// How many neighbours there are, by role.
    func linkCounts() async -> (outgoing: Int, incoming: Int) {
        await withCheckedContinuation { continuation in
            onQueue { [self] in
                let outgoing = links.keys.filter { $0.role == .outgoing }.count
                continuation.resume(returning: (outgoing, links.count - outgoing))
            }
        }
    }

    // MARK: Sending

    /// Sends a packet over some links.
    func send(_ packet: Data, over targets: [LinkID]) {
        onQueue { [self] in
            for target in targets { links[target].map { send(packet, over: $0) } }
        }
    }

    /// Sends a packet over all links.
    func broadcast(_ packet: Data) {
        onQueue { [self] in
            for link in links.values { send(packet, over: link) }
        }
    }

    /// Passes a packet on after a little while, to neighbours that have not sent it themselves by then.
    func relay(_ packet: Data, id: String, from link: LinkID) {
        let jitter = Int.random(in: 10...80)
        onQueue { [self] in
            relays[id] = [link]
            queue.asyncAfter(deadline: .now() + .milliseconds(jitter)) { [weak self] in
                guard let self = self, let having = self.relays.removeValue(forKey: id) else { return }
                for link in self.links.values where !having.contains(link.id) {
                    // Two links to one neighbour are one too many.
                    guard link.peer == nil || !having.contains(where: { self.links[$0]?.peer == link.peer }) else {
                        continue
                    }
                    self.diagnostics.count(\.relayed)
                    self.send(packet, over: link)
                }
            }
        }
    }

    /// A neighbour has sent a packet that was there already.
    func neighbour(_ link: LinkID, has id: String) {
        onQueue { [self] in _ = relays[id]?.insert(link) }
    }

    private func send(_ packet: Data, over link: Link) {
        assertOnQueue()
        let frames = Frame.frames(of: packet, length: link.frameLength)
        guard link.enqueue(frames) else { return diagnostics.count(\.framesDropped, frames.count) }
        diagnostics.count(\.packetsSent)
        pump(link)
    }

    /// Hands frames to Core Bluetooth as long as it takes them.
    func pump(_ link: Link) {
        assertOnQueue()
        while let frame = link.nextFrame {
            switch link.endpoint {
            case .peripheral(let peripheral, let characteristic):
                guard peripheral.canSendWriteWithoutResponse else { return }
                peripheral.writeValue(frame, for: characteristic, type: .withoutResponse)
            case .central(let central):
                guard
                    let characteristic = characteristic,
                    peripheralManager?.updateValue(frame, for: characteristic, onSubscribedCentrals: [central]) == true
                else { return }
            }
            link.frameWasSent()
            diagnostics.count(\.framesSent)
        }
    }

    // MARK: Links

    func open(_ id: LinkID, _ endpoint: Link.Endpoint) {
        assertOnQueue()
        if links[id] != nil { close(id) }
        links[id] = Link(id, endpoint)
        diagnostics.count(\.linksOpened)
        continuation.yield(.opened(id))
    }

    func close(_ id: LinkID) {
        assertOnQueue()
        guard let link = links.removeValue(forKey: id) else { return }
        diagnostics.count(\.linksLost)
        continuation.yield(.closed(id))
        if id.role == .incoming, let peer = link.peer { resume(peer) }
    }

    func forgetLinks() {
        candidates = [:]
        for id in links.keys { close(id) }
    }

    func received(_ frame: Data, over id: LinkID) {
        assertOnQueue()
        guard let link = links[id] else { return }
        link.lastHeard = Date()
        if let packet = link.assembler.add(frame) { continuation.yield(.received(packet, id)) }
    }

    /// Somebody at the other end of a link has said who they are.
    func identify(_ id: LinkID, as peer: PeerID) {
        onQueue { [self] in
            guard let link = links[id] else { return }
            link.peer = peer
            if id.role == .outgoing { candidates[id.device]?.peer = peer }
            resolveDuplicates(of: peer)
        }
    }

    /// Two devices that find each other at once have two links; used is the one whose central has the smaller
    /// identifier.
    ///
    /// The other one is not disconnected: between two radios there is one connection, which both may be sharing.
    private func resolveDuplicates(of peer: PeerID) {
        guard
            own > peer,
            let outgoing = links.values.first(where: { $0.id.role == .outgoing && $0.peer == peer }),
            links.values.contains(where: { $0.id.role == .incoming && $0.peer == peer }),
            case .peripheral(let peripheral, let characteristic) = outgoing.endpoint
        else { return }
        diagnostics.count(\.duplicateLinks)
        candidates[peripheral.identifier]?.phase = .silent(characteristic)
        close(outgoing.id)
        peripheral.setNotifyValue(false, for: characteristic)
    }

    /// A neighbour's own connection is no longer there, and ours, if there is one, is used again.
    func resume(_ peer: PeerID) {
        for candidate in candidates.values where candidate.peer == peer {
            guard case .silent(let characteristic) = candidate.phase else { continue }
            begin(candidate)
            candidate.peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    private func maintain() {
        assertOnQueue()
        let now = Date()
        for link in links.values {
            link.assembler.removeExpired()
            guard now.timeIntervalSince(link.lastHeard) > Limits.silence else { continue }
            close(link.id)
            if case .peripheral(let peripheral, _) = link.endpoint { central?.cancelPeripheralConnection(peripheral) }
        }
        candidates = candidates.filter { _, candidate in
            guard case .idle = candidate.phase else { return true }
            return now.timeIntervalSince(candidate.lastSeen) < Limits.candidateLifetime
        }
        connectCandidates()
    }
}
