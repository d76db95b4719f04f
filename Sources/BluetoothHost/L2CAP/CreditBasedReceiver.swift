// The receiving direction of an open credit-based channel (Vol 3, Part A, 3.4 and 10.1): K-frames are put together to
// SDUs, and the peer gets a credit for each frame that the window has capacity for.
//
// Of the window's frames, those that the peer may still send and those that the user has not consumed never exceed the
// window. The frames of an SDU that is not complete do not count, since it has memory of its own; so a window shorter
// than an SDU does not stop it.
//
// A peer can break a rule with any frame: none of its octets are delivered then, and the channel ends.

import DequeModule
import NIOCore

/// Puts K-frames together to SDUs, and counts the credits that the peer is given.
struct CreditBasedReceiver: Sendable {
    /// What a frame of the peer led to.
    enum Reception: Hashable, Sendable {
        /// It completed an SDU.
        case sdu(ByteBuffer)
        /// More must come.
        case incomplete
        /// It broke a rule.
        case violation(L2CAPChannelViolation)
    }

    private enum Reassembly: Sendable {
        /// The next frame is the first of an SDU.
        case idle
        /// So many octets are announced; these have come.
        case collecting(length: Int, ByteBuffer)
    }

    /// An SDU that the user has not consumed.
    private struct Unconsumed: Sendable {
        /// The octets that are left.
        var octets: Int
        /// The frames that it counts for.
        var frames: Int
    }

    /// The largest packet that an SDU is delivered as a slice of: a user who keeps one does not keep a large read of
    /// the transport alive.
    private static let largestSharedStorage = 4_096

    private let mtu: Int
    private let mps: Int
    private let window: Int
    /// How many K-frames the peer may still send.
    private(set) var peerCredits: Int
    private var reassembly = Reassembly.idle
    private var unconsumed: Deque<Unconsumed> = []
    private var unconsumedFrames = 0

    /// A receiver whose peer was granted credits for the window's frames.
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
        // Releases the buffer, so that it is written in place.
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

    /// The user has done with so many octets, the oldest first; more than there are means all.
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

    /// The credits that the peer is to be given now; `nil` for none. They are given many at once, unless it has none.
    mutating func takeGrant() -> UInt16? {
        let capacity = self.window - self.peerCredits - self.unconsumedFrames
        guard capacity > 0, self.peerCredits == 0 || capacity * 2 >= self.window else { return nil }
        self.peerCredits += capacity
        return UInt16(truncatingIfNeeded: capacity)
    }
}
