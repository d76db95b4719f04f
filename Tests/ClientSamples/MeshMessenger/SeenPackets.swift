// Which packets have come by already: in a mesh each arrives on several ways.

import Foundation

struct SeenPackets {
    /// How long a packet is remembered.
    static let lifetime: TimeInterval = 300
    private static let limit = 4000

    private var times: [String: Date] = [:]
    /// In order of their arrival.
    private var order: [String] = []

    /// Remembers a packet; `false` if it has been here before.
    mutating func insert(_ id: String) -> Bool {
        let now = Date()
        removeExpired(now)
        guard times[id] == nil else { return false }
        times[id] = now
        order.append(id)
        return true
    }

    /// Forgets a packet, so that it is taken when it comes again.
    mutating func remove(_ id: String) {
        times[id] = nil
        order.removeAll { $0 == id }
    }

    private mutating func removeExpired(_ now: Date) {
        var count = 0
        for id in order {
            guard order.count - count > SeenPackets.limit || isExpired(id, now) else { break }
            times[id] = nil
            count += 1
        }
        order.removeFirst(count)
    }

    private func isExpired(_ id: String, _ now: Date) -> Bool {
        times[id].map { now.timeIntervalSince($0) > SeenPackets.lifetime } ?? true
    }
}
