// Fragments an outgoing L2CAP frame into ACL data packets for the controller (Vol 3, Part A, 7.2.1). All headers of the
// first packet go into the headroom of the PDU, so a frame that fits one packet is never copied. Only the continuations
// of a longer one are, since their headers would overwrite octets that have not been sent yet.

import BluetoothHCI
import NIOCore

/// One frame, sent packet by packet as the controller's buffers become free.
struct ACLFragmenter: IteratorProtocol, Sendable {
    private enum State: Sendable {
        /// Nothing of this PDU has been sent yet.
        case whole(ByteBuffer)
        /// These octets have not been sent yet.
        case rest(ByteBuffer)
        /// Everything has been sent.
        case done
    }

    /// The channel that the PDU is for.
    let channel: CID
    /// The link.
    let handle: ConnectionHandle
    /// The largest data length of a packet (`LE_ACL_Data_Packet_Length`).
    let maximumLength: Int
    private var state: State

    /// Creates a fragmenter for a frame with `payload`, a PDU of `channel` with headroom.
    init(
        _ payload: consuming ByteBuffer,
        channel: CID,
        handle: ConnectionHandle,
        maximumLength: Int
    ) {
        precondition(maximumLength > 0, "a controller takes at least one octet")
        self.channel = channel
        self.handle = handle
        self.maximumLength = maximumLength
        self.state = .whole(payload)
    }

    /// Whether all packets were returned.
    var isFinished: Bool {
        switch self.state {
        case .whole, .rest: false
        case .done: true
        }
    }

    /// The next packet; `nil` after the last.
    mutating func next() -> HCIPacket? {
        let state = self.state
        // Releases the buffer, so that the headers are written in place.
        self.state = .done
        switch consume state {
        case .whole(var frame):
            guard L2CAPHeader.length + frame.readableBytes > self.maximumLength else {
                L2CAPHeader.prepend(to: &frame, channel: self.channel, inPacketOf: self.handle)
                return HCIPacket(.aclData, h4: frame)
            }
            L2CAPHeader.prepend(to: &frame, channel: self.channel)
            frame.prependACLDataHeader(
                handle: self.handle,
                boundary: .firstNonFlushable,
                length: self.maximumLength
            )
            // The rest is only read from here on, so both may share the storage.
            return frame.readSlice(length: ACLDataHeader.octetCountWithType + self.maximumLength).map { first in
                self.state = .rest(frame)
                return HCIPacket(.aclData, h4: first)
            }
        case .rest(var rest):
            return rest.readSlice(length: min(self.maximumLength, rest.readableBytes)).map { fragment in
                if rest.readableBytes > 0 { self.state = .rest(rest) }
                return .aclData(handle: self.handle, boundary: .continuing, fragment: fragment)
            }
        case .done:
            return nil
        }
    }
}
