// Reassembles fragments from the controller into L2CAP frames (Vol 3, Part A, 7.2.2). There is one reassembler per
// link. A frame in one fragment is returned as a slice of it; a longer one is collected in a buffer of exactly its
// length. Invalid fragments are dropped and reported; the link continues with the next start fragment.

import BluetoothTypes
import NIOCore

/// Reassembles fragments into frames.
struct L2CAPReassembler: Sendable {
    /// An error in a fragment.
    enum Violation: Hashable, Sendable {
        /// A start fragment came before the current frame was complete; that frame is lost.
        case startBeforeEnd
        /// A continuation fragment came without a current frame.
        case continuationWithoutStart
        /// More octets came than the header announced; the frame is lost.
        case moreOctetsThanAnnounced
        /// The header announces more octets for a channel than this host accepts; the frame is dropped.
        case tooLong(Int, CID)
    }

    /// The outcome of a fragment.
    ///
    /// Both members are set if a start fragment cuts off a frame and is itself a complete one.
    struct Outcome: Hashable, Sendable {
        /// The frame that the fragment completed.
        var frame: L2CAPFrame?
        /// The error in the fragment.
        var violation: Violation?
    }

    private enum State: Sendable {
        /// The next fragment is a start.
        case idle
        /// The header is incomplete.
        case header(ByteBuffer)
        /// The header is complete, and `collected` has a part of the payload.
        case payload(CID, length: Int, collected: ByteBuffer)
        /// The rest of a dropped frame follows.
        case discarding
    }

    /// The default longest payload.
    static let defaultMaximumPayloadLength = 2_048

    /// The longest accepted payload.
    let maximumPayloadLength: Int
    private var state = State.idle

    /// Creates a reassembler that drops frames with more than `maximumPayloadLength` octets of payload.
    init(maximumPayloadLength: Int = Self.defaultMaximumPayloadLength) {
        self.maximumPayloadLength = maximumPayloadLength
    }

    /// Whether the next fragment may be a whole frame with a payload of this length.
    @inline(__always)
    func takesWhole(_ payloadLength: Int) -> Bool {
        guard case .idle = self.state else { return false }
        return payloadLength <= self.maximumPayloadLength
    }

    /// Takes the octets after the ACL data header of one packet; `isStart` from its boundary flag.
    mutating func receive(_ octets: consuming ByteBuffer, isStart: Bool) -> Outcome {
        // Most frames come in one fragment.
        if isStart, case .idle = self.state { return self.begin(octets) }
        let state = self.state
        self.state = .idle
        if isStart {
            switch state {
            case .idle, .discarding:
                return self.begin(octets)
            case .header, .payload:
                var outcome = self.begin(octets)
                // Of two violations the first is reported: it lost a partial frame.
                outcome.violation = .startBeforeEnd
                return outcome
            }
        }
        switch consume state {
        case .idle:
            return Outcome(violation: .continuationWithoutStart)
        case .header(var collected):
            collected.writeImmutableBuffer(octets)
            return self.begin(collected)
        case .payload(let channel, let length, var collected):
            guard collected.readableBytes + octets.readableBytes <= length else {
                self.state = .discarding
                return Outcome(violation: .moreOctetsThanAnnounced)
            }
            collected.writeImmutableBuffer(octets)
            guard collected.readableBytes == length else {
                self.state = .payload(channel, length: length, collected: collected)
                return Outcome()
            }
            return Outcome(frame: L2CAPFrame(channel: channel, payload: collected))
        case .discarding:
            self.state = .discarding
            return Outcome()
        }
    }

    /// Starts a frame with all its octets so far.
    private mutating func begin(_ payload: consuming ByteBuffer) -> Outcome {
        guard let (length, channel) = payload.readMultipleIntegers(endianness: .little, as: (UInt16, UInt16).self)
        else {
            self.state = .header(payload)
            return Outcome()
        }
        let id = CID(rawValue: channel)
        guard Int(length) <= self.maximumPayloadLength else {
            self.state = .discarding
            return Outcome(violation: .tooLong(Int(length), id))
        }
        guard payload.readableBytes <= Int(length) else {
            self.state = .discarding
            return Outcome(violation: .moreOctetsThanAnnounced)
        }
        if payload.readableBytes == Int(length) {
            return Outcome(frame: L2CAPFrame(channel: id, payload: payload))
        }
        var collected = ByteBufferAllocator().buffer(capacity: Int(length))
        collected.writeImmutableBuffer(payload)
        self.state = .payload(id, length: Int(length), collected: collected)
        return Outcome()
    }
}
