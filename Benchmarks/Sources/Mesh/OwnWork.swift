// The messenger's own work for a packet, measured without Bluetooth: signatures, JSON, hexadecimal.

import BenchmarkSupport
import Foundation

/// The costs of the parts of the app's own work, in the order in which ``Figures`` counts them.
enum OwnWork {
    /// Seconds for each.
    static func measure() throws -> [Double] {
        let identity = Identity()
        let announcement = identity.announcement(nickname: "phone 17")
        let document = try MeshJSON.encode(announcement)
        let packet = try MeshPacket(.announcement, payload: document, identity: identity)
        guard let peer = Peer(announcement, sender: identity.id, announced: Date()) else { return [] }
        let identifier = identity.id.octets
        return [
            cost(2_000) { expect(peer.hasSigned(packet), "a signature is refused") },
            cost(2_000) { expect((try? identity.sign(packet.signedOctets)) != nil, "no signature") },
            cost(5_000) {
                expect((try? MeshJSON.decode(Announcement.self, from: document)) != nil, "no announcement")
            },
            cost(5_000) { expect((try? MeshJSON.encode(announcement)) != nil, "no document") },
            cost(20_000) { expect(identifier.hexEncodedString.utf8.count == 16, "no identifier") },
        ]
    }

    private static func cost(_ count: Int, _ work: () -> Void) -> Double {
        let measurement = Meter.median(of: 5) {
            Meter.measure(count: count) { for _ in 0..<count { work() } }
        }
        return measurement.processor / Double(count)
    }
}
