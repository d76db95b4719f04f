// Outgoing ACL data. The controller has buffers for a number of packets (Vol 4, Part E, 4.1.1). Links with frames to
// send take turns, a fragment at a time. When a link ends, its buffers are free.

import BluetoothHCI
import DequeModule
import NIOCore

/// The driver's action when a frame has left.
enum FrameTag {
    /// Nothing.
    case none
    /// Count the transmission for the user.
    case transmission(Transmission)
    /// A K-frame: its channel may send the next one.
    case channel(L2CAPChannelID)
}

/// The controller's capacity for ACL data, and the order of links.
struct ACLTransmitter {
    /// The largest data length of a packet.
    private(set) var dataLength = Int(DataPacketLimits.minimumOctets)
    /// The number of free buffers in the controller.
    private(set) var credits = 0
    /// Links with frames to send, the next one first.
    private var turns: Deque<HostLink> = []

    /// Sets the buffer sizes that the controller reported.
    mutating func configure(dataLength: Int, packetCount: Int) {
        self.dataLength = max(dataLength, L2CAP.minimumMTU)
        self.credits = max(packetCount, 1)
        self.turns = []
    }

    /// Puts a link at the end of the queue unless it is in it.
    mutating func enqueue(_ link: HostLink) {
        guard !link.isInTransmitQueue, !link.outgoing.isEmpty else { return }
        link.isInTransmitQueue = true
        self.turns.append(link)
    }

    /// Takes the next link that may send one packet, and the credit for it.
    mutating func nextTurn() -> HostLink? {
        guard self.credits > 0, let link = self.turns.popFirst() else { return nil }
        link.isInTransmitQueue = false
        guard !link.outgoing.isEmpty else { return self.nextTurn() }
        self.credits -= 1
        link.packetsInController += 1
        return link
    }

    /// Takes another credit for the same link if no other link waits; returns whether it did.
    mutating func takeNextTurn(of link: HostLink) -> Bool {
        guard self.credits > 0, self.turns.isEmpty, !link.outgoing.isEmpty else { return false }
        self.credits -= 1
        link.packetsInController += 1
        return true
    }

    /// The controller has sent `count` packets of a link. Completions beyond what was sent are ignored.
    mutating func completed(_ count: Int, of link: HostLink) {
        let believed = min(count, link.packetsInController)
        link.packetsInController -= believed
        self.credits += believed
    }

    /// A link ended, which frees its buffers.
    mutating func closed(_ link: HostLink) {
        self.completed(link.packetsInController, of: link)
        if link.isInTransmitQueue {
            self.turns.removeAll { $0 === link }
            link.isInTransmitQueue = false
        }
    }

    /// The controller was lost.
    mutating func reset() { self = ACLTransmitter() }
}
