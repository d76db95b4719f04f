// ACL data that arrives before its link. A USB adapter delivers events and data on two endpoints without a common
// order: the first request of a peer can arrive about 10 ms before the event of its link.
//
//     data of an unknown handle ──▶ waiting ── the link is there ──▶ received on it
//                                      └── 100 ms, or the limit ──▶ dropped
//
// Data of a peer only waits: nothing is answered before its link exists. Late data of a link that has ended is dropped,
// so that no peer can send on the next link with the same handle. Deadlines are passed in as `now`.

import BluetoothHCI
import DequeModule
import NIOCore

/// Keeps data of handles without a link for a short time.
struct EarlyData {
    /// A packet's data and its time of arrival.
    struct Packet {
        var header: ACLDataHeader
        var fragment: ByteBuffer
        var arrival: NIODeadline
    }

    /// How late an event may be after the data of its link.
    static let time = TimeAmount.milliseconds(100)
    /// The largest number of packets that are kept; the oldest are dropped.
    static let limit = 16

    private var waiting: Deque<Packet> = []
    /// The handles of links that have just ended.
    private var ended: Deque<(handle: ConnectionHandle, time: NIODeadline)> = []

    /// A packet was received for a handle without a link.
    mutating func receive(_ packet: Packet) {
        self.forget(packet.arrival)
        guard !self.ended.contains(where: { $0.handle == packet.header.handle }) else { return }
        if self.waiting.count == Self.limit { self.waiting.removeFirst() }
        self.waiting.append(packet)
    }

    /// A link has begun: takes out its packets.
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
