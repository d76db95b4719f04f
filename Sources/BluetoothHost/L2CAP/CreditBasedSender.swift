// The sending direction of an open credit-based channel (Vol 3, Part A, 3.4 and 10.1): the user's octets are a stream,
// sent as SDUs in K-frames of the peer's size.
//
// Each K-frame costs one credit of the peer, and only one at a time is in the link's queue, so that ATT and other
// channels can interleave. The number of waiting octets is limited, so that a peer that gives no credits cannot fill
// the memory.

import DequeModule
import NIOCore

/// Splits a stream of octets into K-frames as credits arrive.
struct CreditBasedSender: Sendable {
    /// The size of the SDU length in the first K-frame.
    static let sduHeaderLength = 2
    /// Shorter pieces are joined, so that the number of buffers is limited, too.
    private static let joinedLength = 256

    private let mtu: Int
    private let mps: Int
    private let limit: Int
    /// The number of K-frames that may still be sent.
    private(set) var credits: Int
    /// The number of waiting octets.
    private(set) var queuedOctets = 0
    private var queue: Deque<ByteBuffer> = []
    /// The number of octets missing from the current SDU.
    private var sduRest = 0
    private var isFrameQueued = false
    private var isWritabilityAwaited = false

    /// Creates a sender to a peer with the limits `peer`; at most `limit` octets wait.
    init(to peer: CreditBasedParameters, limit: Int) {
        self.mtu = Int(peer.mtu)
        self.mps = Int(peer.mps)
        self.credits = Int(peer.initialCredits)
        self.limit = limit
    }

    /// Whether all queued octets have been returned as frames.
    var isDrained: Bool { self.queuedOctets == 0 }

    /// Queues as many octets as the limit allows; returns their number.
    mutating func write(_ octets: ByteBuffer) -> Int {
        let capacity = max(0, self.limit - self.queuedOctets)
        guard octets.readableBytes > capacity else {
            self.append(octets)
            return octets.readableBytes
        }
        self.isWritabilityAwaited = true
        var octets = octets
        guard let taken = octets.readSlice(length: capacity) else { return 0 }
        self.append(taken)
        return capacity
    }

    /// Queues the user's last octets, regardless of the limit; capacity is no longer reported.
    mutating func finish(with lastOctets: [ByteBuffer]) {
        for octets in lastOctets { self.append(octets) }
        self.isWritabilityAwaited = false
    }

    private mutating func append(_ octets: ByteBuffer) {
        guard octets.readableBytes > 0 else { return }
        self.queuedOctets += octets.readableBytes
        if octets.readableBytes < Self.joinedLength, !self.queue.isEmpty {
            self.queue[self.queue.count - 1].writeImmutableBuffer(octets)
        } else {
            self.queue.append(octets)
        }
    }

    /// The next K-frame, with headroom for the layers below, if there is a credit and the last one has left.
    mutating func nextFrame() -> ByteBuffer? {
        guard self.credits > 0, self.queuedOctets > 0, !self.isFrameQueued else { return nil }
        self.credits -= 1
        self.isFrameQueued = true
        var capacity = self.mps
        let isFirst = self.sduRest == 0
        if isFirst {
            self.sduRest = self.nextSDULength
            capacity -= Self.sduHeaderLength
        }
        let length = min(self.sduRest, capacity)
        var frame = PDUBuffer.make(capacity: Self.sduHeaderLength + length)
        if isFirst { frame.writeLittleEndian(UInt16(truncatingIfNeeded: self.sduRest)) }
        self.moveOctets(length, into: &frame)
        self.sduRest -= length
        return frame
    }

    /// An SDU contains all waiting octets. If these are more than fit, it is as long as full frames allow.
    private var nextSDULength: Int {
        guard self.queuedOctets > self.mtu else { return self.queuedOctets }
        let full = (self.mtu + Self.sduHeaderLength) / self.mps * self.mps - Self.sduHeaderLength
        return full > 0 ? full : self.mtu
    }

    private mutating func moveOctets(_ count: Int, into frame: inout ByteBuffer) {
        self.queuedOctets -= count
        var missing = count
        while missing > 0 {
            let length = self.queue[0].readableBytes
            if length <= missing {
                frame.writeImmutableBuffer(self.queue.removeFirst())
                missing -= length
            } else {
                self.queue[0].readWithUnsafeReadableBytes { octets in
                    frame.writeBytes(UnsafeRawBufferPointer(rebasing: octets[..<missing]))
                    return missing
                }
                missing = 0
            }
        }
    }

    /// The frame in the link's queue has left, so that the next one may be queued.
    mutating func frameSent() { self.isFrameQueued = false }

    /// Whether to report capacity now to a user whose octets were not all accepted: once, when half of the limit is
    /// free.
    mutating func takeWritability() -> Bool {
        guard self.isWritabilityAwaited, self.queuedOctets <= self.limit / 2 else { return false }
        self.isWritabilityAwaited = false
        return true
    }

    /// The peer gives credits; returns false if the total is too large.
    mutating func addCredits(_ count: Int) -> Bool {
        guard self.credits + count <= CreditBasedParameters.maximumCredits else { return false }
        self.credits += count
        return true
    }
}
