// Incoming ACL data. Where the controller can (Vol 4, Part E, 4.2), it sends no more packets than the host has buffers for,
// and the host reports which of them it has finished with. The packets of a link whose user is behind are reported only when
// the user goes on: a controller that may not pass on data does not acknowledge it, and so the peer waits.
//
//     off ── Host Buffer Size and Set Controller To Host Flow Control succeeded ──▶ limited ── the controller goes ──▶ off
//
// off: packets come as fast as the controller receives them, and nothing is reported.
// limited: packets are counted for each link, and reported several at a time, after 100 ms at the latest: Nordic's
// controller reports the end of a link only when all of its packets are. While a link is held back, each turn reports
// what the others have received: the links that are held back may have so many of the controller's packets that it lets
// another link have only one.
//
// What a peer can do: fill the buffers of its own link. What a link may hold of them is the controller's decision. Time
// comes in as `now`, and goes out with `reportDeadline`.

import BluetoothHCI
import NIOCore

/// Counts the packets that the controller has sent and that were not reported to it as finished.
struct ACLReceiver {
    /// How many packets the host takes at a time.
    static let packetCount = 256
    /// After how many packets of one link, or of all links, they are reported.
    private static let linkThreshold = 32
    private static let totalThreshold = 64
    /// How long a packet that the host has finished with may be unreported.
    private static let reportInterval = TimeAmount.milliseconds(100)
    /// The shortest packet that the host offers to take, in octets behind its header.
    static let minimumPacketLength = Int(DataPacketLimits.maximumOctets)

    /// Whether the controller waits for reports.
    private(set) var isLimited = false
    /// Whether a report is due at the end of the turn.
    private(set) var isReportDue = false
    /// When what was received is to be reported, however little it is.
    private(set) var reportDeadline: NIODeadline?
    /// The packets of links that are not held back.
    private var count = 0
    /// How many links are held back.
    private var pausedLinkCount = 0

    /// The controller has accepted the host's limits.
    mutating func enable() { self.isLimited = true }

    /// A packet came.
    mutating func received(on link: HostLink) {
        guard self.isLimited else { return }
        link.receivedPackets += 1
        guard !link.isReceivingPaused else { return }
        self.count += 1
        if link.receivedPackets >= Self.linkThreshold || self.count >= Self.totalThreshold || self.pausedLinkCount > 0 {
            self.isReportDue = true
        }
    }

    /// What is to be reported of these links.
    mutating func takeReport(of links: [HostLink]) -> [CompletedPackets.Element] {
        self.isReportDue = false
        self.reportDeadline = nil
        self.count = 0
        var elements: [CompletedPackets.Element] = []
        for link in links where link.receivedPackets > 0 && !link.isReceivingPaused {
            elements.append(CompletedPackets.Element(handle: link.handle, count: UInt16(link.receivedPackets)))
            link.receivedPackets = 0
        }
        return elements
    }

    /// Whether something waits to be reported, and has no deadline.
    var needsDeadline: Bool { self.reportDeadline == nil && self.count > 0 && self.isLimited }

    /// What was received is reported within the interval from now on.
    mutating func setDeadline(now: NIODeadline) { self.reportDeadline = now + Self.reportInterval }

    /// What was received is reported at the end of the turn.
    mutating func reportNow() { self.isReportDue = self.isLimited }

    /// The packets of a link are not reported until it is resumed.
    mutating func pause(_ link: HostLink) {
        guard !link.isReceivingPaused else { return }
        link.isReceivingPaused = true
        self.pausedLinkCount += 1
        self.count -= link.receivedPackets
        if self.count > 0 { self.isReportDue = true }
    }

    /// The packets of a link are reported again.
    mutating func resume(_ link: HostLink) {
        guard link.isReceivingPaused else { return }
        link.isReceivingPaused = false
        self.pausedLinkCount -= 1
        self.count += link.receivedPackets
        self.isReportDue = self.isLimited
    }

    /// A link has ended: the controller counts its packets as finished (Vol 4, Part E, 4.3).
    mutating func closed(_ link: HostLink) {
        if link.isReceivingPaused {
            self.pausedLinkCount -= min(self.pausedLinkCount, 1)
        } else {
            self.count -= link.receivedPackets
        }
        link.receivedPackets = 0
    }

    /// The controller is gone.
    mutating func reset() { self = ACLReceiver() }
}
