// ACL data that comes before the event that explains it. A USB adapter delivers events and data by two endpoints, which
// are not ordered against each other: the first request of a peer comes up to some 10 ms before the event of its link.
//
//     data of an unknown handle ──▶ waiting ── the link is there ──▶ received on it
//                                      └── 100 ms, or the limit ──▶ dropped
//
// What a peer can do: have its data wait. Nothing is answered before its link is there. What is late from a link that
// has ended is not kept, so that no peer speaks on the next link with the same handle. The caller gives `now`.

import BluetoothHCI
import DequeModule
import NIOCore

/// Keeps data of handles without a link for a moment.
struct EarlyData {
    /// A packet's data and when it came.
    struct Packet {
        var header: ACLDataHeader
        var fragment: ByteBuffer
        var arrival: NIODeadline
    }

    /// How far an event may be behind the data that it explains.
    static let time = TimeAmount.milliseconds(100)
    /// The number of packets that are kept, the latest ones.
    static let limit = 16

    private var waiting: Deque<Packet> = []
    /// The handles of links that have ended a moment ago.
    private var ended: Deque<(handle: ConnectionHandle, time: NIODeadline)> = []

    /// A packet came for a handle without a link.
    mutating func receive(_ packet: Packet) {
        self.forget(packet.arrival)
        guard !self.ended.contains(where: { $0.handle == packet.header.handle }) else { return }
        if self.waiting.count == Self.limit { self.waiting.removeFirst() }
        self.waiting.append(packet)
    }

    /// A link has begun: takes what came of it.
    mutating func take(_ handle: ConnectionHandle, now: NIODeadline) -> [Packet] {
        guard !self.waiting.isEmpty else { return [] }
        self.forget(now)
        let packets = self.waiting.filter { $0.header.handle == handle }
        self.waiting.removeAll { $0.header.handle == handle }
        return Array(packets)
    }

    /// A link has ended.
    mutating func linkEnded(_ handle: ConnectionHandle, now: NIODeadline) {
        self.forget(now)
        if self.ended.count == Self.limit { self.ended.removeFirst() }
        self.ended.append((handle, now))
    }

    private mutating func forget(_ now: NIODeadline) {
        while let first = self.waiting.first, first.arrival + Self.time <= now { self.waiting.removeFirst() }
        while let first = self.ended.first, first.time + Self.time <= now { self.ended.removeFirst() }
    }
}
