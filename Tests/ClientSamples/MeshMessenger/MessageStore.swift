// What this device keeps: the messages of its user, and an archive of packets for others, who may come by later.

import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

package actor MessageStore {
    /// How long messages, and what is known of who was there, are kept.
    static let lifetime: TimeInterval = 6 * 3600
    private static let archiveLimit = 1000
    private static let announcementLimit = 200

    /// What a packet of the archive is about. There may be several attempts to send a private message, and several
    /// acknowledgements of it; one of them is enough, and where its arrival is known, no attempt is.
    private enum Topic: Hashable {
        case publicMessage(String)
        case privateMessage(UUID)
        case acknowledgement(UUID)

        /// As it stands in an inventory.
        var text: String {
            switch self {
            case .publicMessage(let packet): return packet
            case .privateMessage(let id): return "message " + id.uuidString
            case .acknowledgement(let id): return "acknowledgement " + id.uuidString
            }
        }
    }

    private var chat: [ChatMessage] = []
    private var archive: [Topic: MeshPacket] = [:]
    private var announcements: [PeerID: MeshPacket] = [:]

    // MARK: The user's messages

    package var messages: [ChatMessage] { chat }

    /// Keeps a message in the order of when it was sent; `false` if it is there already.
    func add(_ message: ChatMessage) -> Bool {
        guard !chat.contains(where: { $0.id == message.id }) else { return false }
        let index = chat.firstIndex { $0.sentAt > message.sentAt } ?? chat.endIndex
        chat.insert(message, at: index)
        return true
    }

    /// Says what has become of a message; `nil` if it is not new.
    func setDelivery(_ delivery: ChatMessage.Delivery, of id: UUID) -> ChatMessage? {
        guard let index = chat.firstIndex(where: { $0.id == id }), chat[index].delivery == .sending else { return nil }
        chat[index].delivery = delivery
        return chat[index]
    }

    // MARK: The archive

    static func isExpired(_ packet: MeshPacket) -> Bool { Date().timeIntervalSince(packet.timestamp) > lifetime }

    /// Keeps a packet for others; `false` if it, or what makes it needless, is there already.
    func keep(_ packet: MeshPacket) -> Bool {
        if packet.kind == .announcement {
            if let known = announcements[packet.sender], known.timestamp >= packet.timestamp { return false }
            announcements[packet.sender] = packet
            if announcements.count > MessageStore.announcementLimit, let oldest = oldest(announcements) {
                announcements[oldest] = nil
            }
            return true
        }
        guard let topic = topic(of: packet), archive[topic] == nil else { return false }
        switch topic {
        case .publicMessage: break
        case .privateMessage(let id): if archive[.acknowledgement(id)] != nil { return false }
        case .acknowledgement(let id): archive[.privateMessage(id)] = nil
        }
        archive[topic] = packet
        if archive.count > MessageStore.archiveLimit, let oldest = oldest(archive) { archive[oldest] = nil }
        return true
    }

    private func topic(of packet: MeshPacket) -> Topic? {
        switch packet.kind {
        case .publicMessage:
            return .publicMessage(packet.id)
        case .privateMessage:
            return (try? MeshJSON.decode(PrivateEnvelope.self, from: packet.payload)).map { .privateMessage($0.id) }
        case .acknowledgement:
            return (try? MeshJSON.decode(Acknowledgement.self, from: packet.payload)).map { .acknowledgement($0.id) }
        case .announcement, .hello, .farewell, .digest, .inventory:
            return nil
        }
    }

    private func oldest<Key>(_ packets: [Key: MeshPacket]) -> Key? {
        packets.min { $0.value.timestamp < $1.value.timestamp }?.key
    }

    func removeExpired() {
        archive = archive.filter { !MessageStore.isExpired($0.value) }
        announcements = announcements.filter { !MessageStore.isExpired($0.value) }
    }

    // MARK: Comparing it with a neighbour's

    /// In short, and without announcements: those are new all the time.
    func digest() -> ArchiveDigest {
        var hash = SHA256()
        for topic in archive.keys.map(\.text).sorted() { hash.update(data: Data(topic.utf8)) }
        return ArchiveDigest(count: archive.count, hash: Data(hash.finalize().prefix(8)).hexEncodedString)
    }

    func inventory() -> ArchiveInventory {
        ArchiveInventory(topics: (announcements.values.map(\.id) + archive.keys.map(\.text)).sorted())
    }

    /// What a neighbour lacks: announcements first, since without their keys the rest cannot be checked.
    func packets(missingFrom inventory: ArchiveInventory) -> [MeshPacket] {
        let present = Set(inventory.topics)
        let messages = archive.filter { topic, _ in
            if case .privateMessage(let id) = topic, present.contains(Topic.acknowledgement(id).text) { return false }
            return !present.contains(topic.text)
        }
        let people = announcements.values.filter { !present.contains($0.id) }
        return people.sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }
            + messages.values.sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }
    }
}
