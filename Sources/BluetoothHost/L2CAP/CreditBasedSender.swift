// The sending direction of an open credit-based channel (Vol 3, Part A, 3.4 and 10.1): the user's octets are a stream,
// which leaves as SDUs, cut into the K-frames that the peer takes.
//
// A K-frame leaves for one credit of the peer, and only one at a time is in the link's queue, so that ATT and other
// channels go in between. What waits has a limit, so that a peer that gives no credits does not fill the memory.

import DequeModule
import NIOCore

/// Cuts a stream of octets into K-frames, as credits come.
struct CreditBasedSender: Sendable {
    /// What a first K-frame carries in front of the octets: the length of the SDU.
    static let sduHeaderLength = 2
    /// Pieces shorter than this are joined, so that the number of buffers has a limit, too.
    private static let joinedLength = 256

    private let mtu: Int
    private let mps: Int
    private let limit: Int
    /// How many K-frames may still be sent.
    private(set) var credits: Int
    /// How many octets wait.
    private(set) var queuedOctets = 0
    private var queue: Deque<ByteBuffer> = []
    /// The octets that the SDU under way still lacks.
    private var sduRest = 0
    private var isFrameQueued = false
    private var isWritabilityAwaited = false

    /// A sender to a peer that takes frames as `peer` says; at most `limit` octets wait.
    init(to peer: CreditBasedParameters, limit: Int) {
        self.mtu = Int(peer.mtu)
        self.mps = Int(peer.mps)
        self.credits = Int(peer.initialCredits)
        self.limit = limit
    }

    /// Whether everything that was queued has been handed out as frames.
    var isDrained: Bool { self.queuedOctets == 0 }

    /// Queues as many of the octets as the limit allows; returns how many these are.
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

    /// Queues the user's last octets, whatever the limit; no user waits for capacity any more.
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

    /// The next K-frame, where the peer takes one and the last one has left; with headroom for the layers below.
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

    /// An SDU takes what is there. Where that is more than one carries, it is as long as its frames can be full.
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

    /// Whether capacity is to be reported now to a user whose octets were not all taken: once, when half of the limit
    /// is free.
    mutating func takeWritability() -> Bool {
        guard self.isWritabilityAwaited, self.queuedOctets <= self.limit / 2 else { return false }
        self.isWritabilityAwaited = false
        return true
    }

    /// The peer takes so many frames more; false where it holds too many credits then.
    mutating func addCredits(_ count: Int) -> Bool {
        guard self.credits + count <= CreditBasedParameters.maximumCredits else { return false }
        self.credits += count
        return true
    }
}
