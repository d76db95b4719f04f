// What happens to packets: each is taken once, checked, delivered, kept for others and passed on.

import Foundation

/// What the router has to say to the user interface.
enum MeshEvent: Sendable {
    case message(ChatMessage)
    case changed(ChatMessage)
    case peer(PeerID, nickname: String, lastHeard: Date)
    case left(PeerID)
}

package actor MeshRouter {
    enum Timing {
        static let heartbeat = 20.0...40.0
        static let firstRetry: TimeInterval = 5
        static let longestRetry: TimeInterval = 120
        /// How far the clocks of others may be ahead.
        static let tolerance: TimeInterval = 600
    }

    /// Packets of somebody whose announcement has not come yet.
    private static let heldPacketLimit = 64
    static let maximumTextLength = 8000

    let identity: Identity
    private let nickname: String
    let transport: MeshTransport
    let store: MessageStore
    let diagnostics: Diagnostics
    nonisolated let events: AsyncStream<MeshEvent>
    private let continuation: AsyncStream<MeshEvent>.Continuation

    private var peers: [PeerID: Peer] = [:]
    private var links: Set<LinkID> = []
    private var seen = SeenPackets()
    private var held: [(packet: MeshPacket, link: LinkID)] = []
    private var retries: [UUID: Task<Void, Never>] = [:]
    private var tasks: [Task<Void, Never>] = []

    init(identity: Identity, nickname: String, transport: MeshTransport, store: MessageStore, diagnostics: Diagnostics)
    {
        self.identity = identity
        self.nickname = nickname
        self.transport = transport
        self.store = store
        self.diagnostics = diagnostics
        (self.events, self.continuation) = AsyncStream.makeStream()
    }

    // MARK: Life

    func start() async {
        guard tasks.isEmpty else { return }
        let incoming = transport.events
        tasks = [
            Task { [weak self] in
                for await event in incoming { await self?.handle(event) }
            },
            Task { [weak self] in
                while !Task.isCancelled {
                    let seconds = Double.random(in: Timing.heartbeat)
                    try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
                    await self?.heartbeat()
                }
            },
        ]
        await announce()
    }

    func stop() async {
        tasks.forEach { $0.cancel() }
        tasks = []
        retries.values.forEach { $0.cancel() }
        retries = [:]
        if let packet = makePacket(.farewell, Farewell(leftAt: Date())) { transport.broadcast(packet.encoded) }
    }

    private func heartbeat() async {
        await store.removeExpired()
        await announce()
        if let digest = makePacket(.digest, await store.digest()) { transport.broadcast(digest.encoded) }
    }

    private func announce() async {
        guard let packet = makePacket(.announcement, identity.announcement(nickname: nickname)) else { return }
        _ = seen.insert(packet.id)
        _ = await store.keep(packet)
        transport.broadcast(packet.encoded)
    }

    // MARK: Messages of the user

    func send(_ text: String) async throws -> UUID {
        let message = ChatMessage(
            id: UUID(),
            sender: identity.id,
            recipient: nil,
            text: text,
            sentAt: Date(),
            delivery: .none
        )
        try check(text)
        let payload = PublicMessage(id: message.id, text: text, sentAt: message.sentAt)
        guard let packet = makePacket(.publicMessage, payload) else { throw MeshError.messageTooLong }
        _ = await store.add(message)
        continuation.yield(.message(message))
        await spread(packet)
        return message.id
    }

    func send(_ text: String, to recipient: PeerID) async throws -> UUID {
        try check(text)
        guard peers[recipient] != nil else { throw MeshError.unknownPeer }
        let message = ChatMessage(
            id: UUID(),
            sender: identity.id,
            recipient: recipient,
            text: text,
            sentAt: Date(),
            delivery: .sending
        )
        _ = await store.add(message)
        continuation.yield(.message(message))
        await attempt(message)
        retries[message.id] = Task { [weak self] in
            var delay = Timing.firstRetry
            while !Task.isCancelled, Date().timeIntervalSince(message.sentAt) < MessageStore.lifetime {
                try? await Task.sleep(nanoseconds: UInt64(delay * Double.random(in: 0.8...1.2) * 1e9))
                guard !Task.isCancelled else { return }
                await self?.retry(message)
                delay = min(2 * delay, Timing.longestRetry)
            }
            await self?.fail(message)
        }
        return message.id
    }

    private func check(_ text: String) throws {
        guard text.utf8.count <= MeshRouter.maximumTextLength else { throw MeshError.messageTooLong }
    }

    private func retry(_ message: ChatMessage) async {
        guard retries[message.id] != nil else { return }
        diagnostics.count(\.retries)
        await attempt(message)
    }

    private func fail(_ message: ChatMessage) async {
        guard retries.removeValue(forKey: message.id) != nil else { return }
        if let changed = await store.setDelivery(.failed, of: message.id) { continuation.yield(.changed(changed)) }
    }

    /// Sends a private message, with keys and a signature of this moment: a packet that has not been seen before.
    private func attempt(_ message: ChatMessage) async {
        guard
            let peer = message.recipient.flatMap({ peers[$0] }),
            let text = encode(PrivateMessage(text: message.text, sentAt: message.sentAt)),
            let sealed = try? identity.seal(text, for: peer),
            let packet = makePacket(.privateMessage, to: peer.id, PrivateEnvelope(id: message.id, sealed: sealed))
        else { return }
        await spread(packet)
    }

    /// Sends a packet of one's own to everyone.
    private func spread(_ packet: MeshPacket) async {
        _ = seen.insert(packet.id)
        _ = await store.keep(packet)
        transport.broadcast(packet.encoded)
    }

    // MARK: What comes from links

    private func handle(_ event: TransportEvent) async {
        switch event {
        case .opened(let link):
            links.insert(link)
            send(makePacket(.hello, identity.announcement(nickname: nickname)), over: link)
            send(makePacket(.inventory, await store.inventory()), over: link)
        case .closed(let link):
            links.remove(link)
            // What was on its way there may be lost; a device that lacks something says so.
            if !links.isEmpty, let digest = makePacket(.digest, await store.digest()) {
                transport.broadcast(digest.encoded)
            }
        case .received(let data, let link):
            diagnostics.count(\.packetsReceived)
            guard let packet = MeshPacket(data) else { return diagnostics.count(\.malformed) }
            diagnostics.count(\.identifiersConverted, packet.recipient == nil ? 2 : 3)
            await receive(packet, over: link)
        }
    }

    private func receive(_ packet: MeshPacket, over link: LinkID) async {
        guard
            packet.sender != identity.id,
            !MessageStore.isExpired(packet),
            packet.timestamp.timeIntervalSinceNow < Timing.tolerance
        else { return }
        guard seen.insert(packet.id) else {
            diagnostics.count(\.duplicates)
            return transport.neighbour(link, has: packet.id)
        }
        switch packet.kind {
        case .hello, .announcement:
            await receiveAnnouncement(packet, over: link)
        case .publicMessage, .privateMessage, .acknowledgement, .farewell, .digest, .inventory:
            guard let peer = peers[packet.sender] else { return hold(packet, link) }
            guard isSigned(packet, by: peer) else { return }
            peers[packet.sender]?.lastHeard = Date()
            await receive(packet, of: peer, over: link)
        }
    }

    private func isSigned(_ packet: MeshPacket, by peer: Peer) -> Bool {
        diagnostics.count(\.signaturesChecked)
        guard peer.hasSigned(packet) else {
            diagnostics.count(\.refused)
            return false
        }
        return true
    }

    /// Keeps a packet until its sender's announcement comes.
    private func hold(_ packet: MeshPacket, _ link: LinkID) {
        held.append((packet, link))
        if held.count > MeshRouter.heldPacketLimit {
            let dropped = held.removeFirst()
            // It may come again.
            seen.remove(dropped.packet.id)
        }
    }

    private func receiveAnnouncement(_ packet: MeshPacket, over link: LinkID) async {
        guard
            let announcement = decode(Announcement.self, from: packet),
            let peer = Peer(announcement, sender: packet.sender, announced: packet.timestamp),
            isSigned(packet, by: peer)
        else { return }
        if packet.kind == .hello { transport.identify(link, as: peer.id) }
        if (peers[peer.id]?.announced ?? .distantPast) < peer.announced {
            peers[peer.id] = peer
            continuation.yield(.peer(peer.id, nickname: peer.nickname, lastHeard: peer.lastHeard))
        }
        if packet.kind == .announcement, await store.keep(packet) { relay(packet, from: link) }
        let waiting = held.filter { $0.packet.sender == peer.id }
        held.removeAll { $0.packet.sender == peer.id }
        for (packet, link) in waiting where isSigned(packet, by: peer) { await receive(packet, of: peer, over: link) }
    }

    private func receive(_ packet: MeshPacket, of peer: Peer, over link: LinkID) async {
        switch packet.kind {
        case .publicMessage:
            guard await store.keep(packet), let message = decode(PublicMessage.self, from: packet) else { return }
            relay(packet, from: link)
            await show(message.id, peer, to: nil, message.text, message.sentAt)
        case .privateMessage:
            if packet.recipient == identity.id {
                await receivePrivate(packet, of: peer)
            } else if await store.keep(packet) {
                relay(packet, from: link)
            }
        case .acknowledgement:
            let isNew = await store.keep(packet)
            if packet.recipient == identity.id, let acknowledgement = decode(Acknowledgement.self, from: packet) {
                await acknowledged(acknowledgement)
            } else if isNew {
                relay(packet, from: link)
            }
        case .farewell:
            continuation.yield(.left(peer.id))
            relay(packet, from: link)
        case .digest:
            guard let digest = decode(ArchiveDigest.self, from: packet), await store.digest() != digest else { return }
            send(makePacket(.inventory, await store.inventory()), over: link)
        case .inventory:
            guard let inventory = decode(ArchiveInventory.self, from: packet) else { return }
            for missing in await store.packets(missingFrom: inventory) { send(missing, over: link) }
        case .hello, .announcement:
            break
        }
    }

    private func receivePrivate(_ packet: MeshPacket, of peer: Peer) async {
        guard
            let envelope = decode(PrivateEnvelope.self, from: packet),
            let octets = try? identity.open(envelope.sealed, from: peer),
            let message = try? MeshJSON.decode(PrivateMessage.self, from: octets)
        else { return diagnostics.count(\.refused) }
        diagnostics.count(\.documentsDecoded)
        await show(envelope.id, peer, to: identity.id, message.text, message.sentAt)
        // Also for one that came before: the acknowledgement may be what was lost.
        let acknowledgement = Acknowledgement(id: envelope.id, receivedAt: Date())
        if let packet = makePacket(.acknowledgement, to: peer.id, acknowledgement) { await spread(packet) }
    }

    private func acknowledged(_ acknowledgement: Acknowledgement) async {
        retries.removeValue(forKey: acknowledgement.id)?.cancel()
        let delivery = ChatMessage.Delivery.delivered(acknowledgement.receivedAt)
        if let changed = await store.setDelivery(delivery, of: acknowledgement.id) {
            continuation.yield(.changed(changed))
        }
    }

    private func show(_ id: UUID, _ peer: Peer, to recipient: PeerID?, _ text: String, _ sentAt: Date) async {
        let message = ChatMessage(
            id: id,
            sender: peer.id,
            recipient: recipient,
            text: text,
            sentAt: sentAt,
            delivery: .none
        )
        if await store.add(message) { continuation.yield(.message(message)) }
    }

    private func relay(_ packet: MeshPacket, from link: LinkID) {
        guard packet.hopsLeft > 1 else { return }
        var copy = packet
        copy.hopsLeft -= 1
        transport.relay(copy.encoded, id: copy.id, from: link)
    }

    private func send(_ packet: MeshPacket?, over link: LinkID) {
        guard let packet = packet else { return }
        transport.send(packet.encoded, over: [link])
    }

    // MARK: Octets

    private func makePacket<Payload: Encodable>(
        _ kind: MeshPacket.Kind,
        to recipient: PeerID? = nil,
        _ payload: Payload
    ) -> MeshPacket? {
        guard let octets = encode(payload) else { return nil }
        diagnostics.count(\.signaturesMade)
        return try? MeshPacket(kind, to: recipient, payload: octets, identity: identity)
    }

    private func encode<Payload: Encodable>(_ payload: Payload) -> Data? {
        diagnostics.count(\.documentsEncoded)
        return try? MeshJSON.encode(payload)
    }

    private func decode<Payload: Decodable>(_ type: Payload.Type, from packet: MeshPacket) -> Payload? {
        diagnostics.count(\.documentsDecoded)
        guard let payload = try? MeshJSON.decode(type, from: packet.payload) else {
            diagnostics.count(\.malformed)
            return nil
        }
        return payload
    }
}
