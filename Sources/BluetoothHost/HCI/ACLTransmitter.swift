// Outgoing ACL data. The controller can hold a number of packets in all (Vol 4, Part E, 4.1.1); links that have frames
// to send take turns, a fragment at a time, and what the controller still holds of a link that ended counts as free.

import BluetoothHCI
import DequeModule
import NIOCore

/// What the driver does when a frame has left.
enum FrameTag {
    /// Nothing.
    case none
    /// It counts what has left for the user.
    case transmission(Transmission)
    /// A K-frame, after which its channel may have the next one.
    case channel(L2CAPChannelID)
}

/// The controller's capacity for ACL data, and which link may send next.
struct ACLTransmitter {
    /// How many octets a packet may carry.
    private(set) var dataLength = Int(DataPacketLimits.minimumOctets)
    /// How many more packets the controller can take.
    private(set) var credits = 0
    /// Links with something to send, the next one first.
    private var turns: Deque<HostLink> = []

    /// Takes the buffer sizes that the controller reported.
    mutating func configure(dataLength: Int, packetCount: Int) {
        self.dataLength = max(dataLength, L2CAP.minimumMTU)
        self.credits = max(packetCount, 1)
        self.turns = []
    }

    /// Puts a link at the end of the queue where it is not in it yet.
    mutating func enqueue(_ link: HostLink) {
        guard !link.isInTransmitQueue, !link.outgoing.isEmpty else { return }
        link.isInTransmitQueue = true
        self.turns.append(link)
    }

    /// The next link that may send one packet, together with the credit for it.
    mutating func nextTurn() -> HostLink? {
        guard self.credits > 0, let link = self.turns.popFirst() else { return nil }
        link.isInTransmitQueue = false
        guard !link.outgoing.isEmpty else { return self.nextTurn() }
        self.credits -= 1
        link.packetsInController += 1
        return link
    }

    /// Whether a link that had its turn may send another packet at once, together with the credit for it: where no
    /// other link waits.
    mutating func goesOn(_ link: HostLink) -> Bool {
        guard self.credits > 0, self.turns.isEmpty, !link.outgoing.isEmpty else { return false }
        self.credits -= 1
        link.packetsInController += 1
        return true
    }

    /// The controller has sent `count` packets of a link. A controller that counts more than it was given is not
    /// believed.
    mutating func completed(_ count: Int, of link: HostLink) {
        let believed = min(count, link.packetsInController)
        link.packetsInController -= believed
        self.credits += believed
    }

    /// A link ended, and with it everything that the controller held of it.
    mutating func closed(_ link: HostLink) {
        self.completed(link.packetsInController, of: link)
        if link.isInTransmitQueue {
            self.turns.removeAll { $0 === link }
            link.isInTransmitQueue = false
        }
    }

    /// The controller is gone.
    mutating func reset() { self = ACLTransmitter() }
}
