// Cuts an outgoing L2CAP frame into the ACL data packets that a controller takes (Vol 3, Part A, 7.2.1). All headers of
// the first packet go into the headroom of the PDU, so a frame that fits one packet is never copied; only the
// continuations of a longer one are, since their headers would lie on octets that are still to be sent.

import BluetoothHCI
import NIOCore

/// One frame on its way to the controller, packet by packet, as buffers of the controller become free.
struct ACLFragmenter: IteratorProtocol, Sendable {
    private enum State: Sendable {
        /// Nothing of this PDU is sent yet.
        case whole(ByteBuffer)
        /// These octets are still to be sent.
        case rest(ByteBuffer)
        /// All is sent.
        case done
    }

    /// The channel that the PDU is for.
    let channel: CID
    /// The link.
    let handle: ConnectionHandle
    /// The octets that one packet of the controller holds (`LE_ACL_Data_Packet_Length`).
    let maximumLength: Int
    private var state: State

    /// Starts on a frame with `payload`, a PDU of `channel` that was made with headroom.
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

    /// Whether every packet was taken.
    var isFinished: Bool {
        switch self.state {
        case .whole, .rest: false
        case .done: true
        }
    }

    /// The next packet; `nil` behind the last.
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
            // The rest is read only from here on, so both may share the storage.
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
