// One open LE credit-based channel (Vol 3, Part A, 3.4 and 10.1): the user's octets go out as SDUs, cut into the K-frames
// that the peer takes, and come in again as SDUs.
//
// Two counts keep both sides' memory in bounds. A K-frame leaves only for a credit of the peer. And the peer has a
// credit only for a frame that there is room for: of the window's frames, those that it may still send and those that
// the user has not consumed never exceed the window. The frames of an SDU that is not complete do not count, since it
// has its own room; so a window shorter than an SDU does not stop it.

import BluetoothTypes
import DequeModule
import NIOCore

/// The two directions of an open channel.
struct CreditBasedChannel: Sendable {
    /// The least MTU and MPS that either side may offer (4.22).
    static let minimumSize = 23
    /// The largest MPS.
    static let maximumMPS = 65_533
    /// The most credits that either side may hold.
    static let maximumCredits = 0xFFFF
    /// What a first K-frame carries in front of the octets: the length of the SDU.
    static let sduHeaderLength = 2

    /// What the other side takes, as it was told when the channel was opened.
    struct Peer: Hashable, Sendable {
        /// The channel's name at the peer.
        var channel: L2CAPChannelID
        /// The longest SDU.
        var mtu: Int
        /// The longest frame payload.
        var mps: Int
        /// The frames that may be sent to it at first.
        var credits: Int
    }

    /// What a frame of the peer led to.
    enum Reception: Hashable, Sendable {
        /// It completed an SDU.
        case sdu(ByteBuffer)
        /// More must come.
        case incomplete
        /// It broke a rule.
        case violation(ChannelViolation)
    }

    private enum Reassembly: Sendable {
        /// The next frame is the first of an SDU.
        case idle
        /// So many octets are announced; these have come.
        case collecting(length: Int, ByteBuffer)
    }

    /// An SDU that the user has not consumed.
    private struct Held: Sendable {
        /// The octets that are left.
        var octets: Int
        /// The frames that it counts for.
        var frames: Int
    }

    let id: ChannelID
    let peer: Peer
    let configuration: ChannelConfiguration

    // Sending.
    /// How many K-frames may still be sent.
    private(set) var credits: Int
    /// How many octets wait.
    private(set) var queuedOctets = 0
    private var queue: Deque<ByteBuffer> = []
    /// The octets that the SDU in the making still lacks.
    private var sduRest = 0
    private var isFrameUnderWay = false
    private var isRoomAwaited = false

    // Receiving.
    /// How many K-frames the peer may still send.
    private(set) var peerCredits: Int
    private var reassembly = Reassembly.idle
    private var held: Deque<Held> = []
    private var heldFrames = 0

    /// Creates an open channel; the peer has been told that it may send the window's frames.
    init(id: ChannelID, peer: Peer, configuration: ChannelConfiguration) {
        self.id = id
        self.peer = peer
        self.configuration = configuration
        self.credits = peer.credits
        self.peerCredits = configuration.window
    }

    // MARK: Sending

    /// Queues as many of the octets as there is room for, and tells how many these are.
    mutating func write(_ octets: ByteBuffer) -> Int {
        let room = self.configuration.sendLimit - self.queuedOctets
        if octets.readableBytes > room { self.isRoomAwaited = true }
        var octets = octets
        guard let taken = octets.readSlice(length: min(room, octets.readableBytes)), taken.readableBytes > 0 else {
            return 0
        }
        self.queuedOctets += taken.readableBytes
        // Small pieces are joined, so that the number of buffers has a limit, too.
        if taken.readableBytes < Self.joinedLength, !self.queue.isEmpty {
            self.queue[self.queue.count - 1].writeImmutableBuffer(taken)
        } else {
            self.queue.append(taken)
        }
        return taken.readableBytes
    }

    private static let joinedLength = 256

    /// Whether everything that was queued has been handed out.
    var isDrained: Bool { self.queuedOctets == 0 }

    /// The next K-frame, where the peer takes one and the last one has left.
    mutating func nextFrame() -> ByteBuffer? {
        guard self.credits > 0, self.queuedOctets > 0, !self.isFrameUnderWay else { return nil }
        self.credits -= 1
        self.isFrameUnderWay = true
        var room = self.peer.mps
        let isFirst = self.sduRest == 0
        if isFirst {
            self.sduRest = self.nextSDULength
            room -= Self.sduHeaderLength
        }
        let length = min(self.sduRest, room)
        var frame = PDUBuffer.make(capacity: Self.sduHeaderLength + length)
        if isFirst { frame.writeLittleEndian(UInt16(truncatingIfNeeded: self.sduRest)) }
        self.moveOctets(length, into: &frame)
        self.sduRest -= length
        return frame
    }

    /// An SDU takes what is there. Where that is more than one carries, it is as long as its frames can be full.
    private var nextSDULength: Int {
        guard self.queuedOctets > self.peer.mtu else { return self.queuedOctets }
        let full = (self.peer.mtu + Self.sduHeaderLength) / self.peer.mps * self.peer.mps - Self.sduHeaderLength
        return full > 0 ? full : self.peer.mtu
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

    /// The last frame has left this host.
    mutating func frameLeft() { self.isFrameUnderWay = false }

    /// Whether a user who found no room is to be told now that there is some; asked once, answered once.
    mutating func takeReadiness() -> Bool {
        guard self.isRoomAwaited, self.queuedOctets <= self.configuration.sendLimit / 2 else { return false }
        self.isRoomAwaited = false
        return true
    }

    /// The peer takes so many frames more; false where they are too many.
    mutating func addCredits(_ count: Int) -> Bool {
        guard self.credits + count <= Self.maximumCredits else { return false }
        self.credits += count
        return true
    }

    // MARK: Receiving

    /// Takes the payload of a K-frame.
    mutating func receive(_ payload: ByteBuffer) -> Reception {
        guard self.peerCredits > 0 else { return .violation(.noCredit) }
        self.peerCredits -= 1
        guard payload.readableBytes <= self.configuration.mps else { return .violation(.frameTooLong) }
        let reassembly = self.reassembly
        // Lets go of the buffer, so that it is written in place.
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
            return self.hold(collected)
        }
    }

    private mutating func begin(_ payload: ByteBuffer) -> Reception {
        var payload = payload
        guard let length = payload.readInteger(endianness: .little, as: UInt16.self).map(Int.init) else {
            return .violation(.noSDULength)
        }
        guard length <= self.configuration.mtu else { return .violation(.sduTooLong) }
        guard payload.readableBytes <= length else { return .violation(.moreOctetsThanAnnounced) }
        let isWhole = payload.readableBytes == length
        // An SDU that a user keeps does not keep a large read of the transport alive.
        if isWhole, payload.storageCapacity <= Self.keptStorage { return self.hold(payload) }
        var collected = ByteBufferAllocator().buffer(capacity: length)
        collected.writeImmutableBuffer(payload)
        if isWhole { return self.hold(collected) }
        self.reassembly = .collecting(length: length, collected)
        return .incomplete
    }

    private static let keptStorage = 4_096

    private mutating func hold(_ sdu: ByteBuffer) -> Reception {
        let octets = sdu.readableBytes
        if octets > 0 {
            let mps = self.configuration.mps
            let frames = (octets + Self.sduHeaderLength + mps - 1) / mps
            self.held.append(Held(octets: octets, frames: frames))
            self.heldFrames += frames
        }
        return .sdu(sdu)
    }

    /// The user has done with so many octets, the oldest first; more than there are means all.
    mutating func consume(_ count: Int) {
        var count = count
        while count > 0, let first = self.held.first {
            guard first.octets <= count else {
                self.held[0].octets -= count
                return
            }
            count -= first.octets
            self.heldFrames -= first.frames
            self.held.removeFirst()
        }
    }

    /// The credits that the peer is to be given now; `nil` for none. They are given many at once, unless it has none.
    mutating func takeGrant() -> UInt16? {
        let room = self.configuration.window - self.peerCredits - self.heldFrames
        guard room > 0, self.peerCredits == 0 || room * 2 >= self.configuration.window else { return nil }
        self.peerCredits += room
        return UInt16(truncatingIfNeeded: room)
    }
}
