// Joins the fragments that a controller delivers to whole L2CAP frames (Vol 3, Part A, 7.2.2). There is one reassembler
// per link. The usual frame comes in one fragment and leaves as a slice of it; a longer one is collected in a buffer of
// exactly its length. What breaks the rules is dropped and reported; the link goes on with the next start fragment.

import BluetoothTypes
import NIOCore

/// Makes frames of fragments.
struct L2CAPReassembler: Sendable {
    /// What can be wrong with a fragment.
    enum Violation: Hashable, Sendable {
        /// A start fragment came before the frame in the making was complete; that frame is lost.
        case startBeforeEnd
        /// A continuation fragment came where no frame was in the making.
        case continuationWithoutStart
        /// More octets came than the header announced; the frame is lost.
        case moreOctetsThanAnnounced
        /// The header announces so many octets for a channel, more than this host takes; the frame is dropped.
        case tooLong(Int, CID)
    }

    /// What a fragment led to.
    ///
    /// Both members are set where a start fragment cuts off a frame and is a whole one itself.
    struct Outcome: Hashable, Sendable {
        /// The frame that the fragment completed.
        var frame: L2CAPFrame?
        /// What was wrong.
        var violation: Violation?
    }

    private enum State: Sendable {
        /// The next fragment is a start.
        case idle
        /// A start came, but not even the whole header.
        case header(ByteBuffer)
        /// The header is known and `collected` holds a part of the payload.
        case payload(CID, length: Int, collected: ByteBuffer)
        /// The rest of a dropped frame is still to come.
        case discarding
    }

    /// The longest payload that is taken where nothing else is said.
    static let defaultMaximumPayloadLength = 2_048

    /// The longest payload that is taken.
    let maximumPayloadLength: Int
    private var state = State.idle

    /// Creates a reassembler that drops frames with more than `maximumPayloadLength` octets of payload.
    init(maximumPayloadLength: Int = Self.defaultMaximumPayloadLength) {
        self.maximumPayloadLength = maximumPayloadLength
    }

    /// Whether a frame with a payload of so many octets that comes in one fragment is the next one.
    @inline(__always)
    func takesWhole(_ payloadLength: Int) -> Bool {
        guard case .idle = self.state else { return false }
        return payloadLength <= self.maximumPayloadLength
    }

    /// Takes the octets behind the ACL data header of one packet; `isStart` is what its boundary flag says.
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
                // Of two violations the first is reported: it cost a frame that was nearly complete.
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

    /// Starts a frame with everything that has come of it.
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
