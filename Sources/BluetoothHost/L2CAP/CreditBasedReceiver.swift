// The receiving direction of an open credit-based channel (Vol 3, Part A, 3.4 and 10.1): reassembles K-frames into
// SDUs, and gives the peer credits as far as the window allows.
//
// The frames that the peer may still send and those that the user has not consumed never exceed the window. The frames
// of an incomplete SDU do not count, since it has memory of its own, so a window shorter than an SDU does not block it.
//
// If a frame breaks a rule, none of its octets are delivered, and the channel ends.

import DequeModule
import NIOCore

/// Reassembles K-frames into SDUs, and counts the peer's credits.
struct CreditBasedReceiver: Sendable {
    /// The outcome of a frame of the peer.
    enum Reception: Hashable, Sendable {
        /// It completed an SDU.
        case sdu(ByteBuffer)
        /// More frames must follow.
        case incomplete
        /// It broke a rule.
        case violation(L2CAPChannelViolation)
    }

    private enum Reassembly: Sendable {
        /// The next frame is the first of an SDU.
        case idle
        /// The announced number of octets, and those received so far.
        case collecting(length: Int, ByteBuffer)
    }

    /// An SDU that the user has not consumed.
    private struct Unconsumed: Sendable {
        /// The octets that have not been consumed.
        var octets: Int
        /// The number of its frames.
        var frames: Int
    }

    /// The largest packet of which an SDU is delivered as a slice: a user who keeps an SDU must not keep a large read
    /// of the transport alive.
    private static let largestSharedStorage = 4_096

    private let mtu: Int
    private let mps: Int
    private let window: Int
    /// The number of K-frames that the peer may still send.
    private(set) var peerCredits: Int
    private var reassembly = Reassembly.idle
    private var unconsumed: Deque<Unconsumed> = []
    private var unconsumedFrames = 0

    /// Creates a receiver whose peer has credits for the window's frames.
    init(_ configuration: L2CAPChannelConfiguration) {
        self.mtu = configuration.mtu
        self.mps = configuration.mps
        self.window = configuration.window
        self.peerCredits = configuration.window
    }

    /// Takes the payload of a K-frame.
    mutating func receive(_ payload: ByteBuffer) -> Reception {
        guard self.peerCredits > 0 else { return .violation(.noCredit) }
        self.peerCredits -= 1
        guard payload.readableBytes <= self.mps else { return .violation(.frameTooLong) }
        let reassembly = self.reassembly
        // Releases the buffer, so that it is modified in place.
        self.reassembly = .idle
        switch consume reassembly {
        case .idle:
            return self.begin(payload)
        case .collecting(let length, var collected):
            guard collected.readableBytes + payload.readableBytes <= length else {
                return .violation(.moreOctetsThanAnnounced)
            }
            collected.writeImmutableBuffer(payload)
            guard collected.readableBytes == length else {
                self.reassembly = .collecting(length: length, collected)
                return .incomplete
            }
            return self.complete(collected)
        }
    }

    private mutating func begin(_ payload: ByteBuffer) -> Reception {
        var payload = payload
        guard let length = payload.readInteger(endianness: .little, as: UInt16.self).map(Int.init) else {
            return .violation(.noSDULength)
        }
        guard length <= self.mtu else { return .violation(.sduTooLong) }
        guard payload.readableBytes <= length else { return .violation(.moreOctetsThanAnnounced) }
        let isWhole = payload.readableBytes == length
        if isWhole, payload.storageCapacity <= Self.largestSharedStorage { return self.complete(payload) }
        var collected = ByteBufferAllocator().buffer(capacity: length)
        collected.writeImmutableBuffer(payload)
        if isWhole { return self.complete(collected) }
        self.reassembly = .collecting(length: length, collected)
        return .incomplete
    }

    private mutating func complete(_ sdu: ByteBuffer) -> Reception {
        let octets = sdu.readableBytes
        if octets > 0 {
            let frames = (octets + CreditBasedSender.sduHeaderLength + self.mps - 1) / self.mps
            self.unconsumed.append(Unconsumed(octets: octets, frames: frames))
            self.unconsumedFrames += frames
        }
        return .sdu(sdu)
    }

    /// The user has consumed octets, the oldest first; all if there are fewer.
    mutating func consume(_ count: Int) {
        var count = count
        while count > 0, let first = self.unconsumed.first {
            guard first.octets <= count else {
                self.unconsumed[0].octets -= count
                return
            }
            count -= first.octets
            self.unconsumedFrames -= first.frames
            self.unconsumed.removeFirst()
        }
    }

    /// Takes the credits to give to the peer now; `nil` for none. Credits are collected unless the peer has none.
    mutating func takeGrant() -> UInt16? {
        let capacity = self.window - self.peerCredits - self.unconsumedFrames
        guard capacity > 0, self.peerCredits == 0 || capacity * 2 >= self.window else { return nil }
        self.peerCredits += capacity
        return UInt16(truncatingIfNeeded: capacity)
    }
}
