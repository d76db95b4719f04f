// Incoming ACL data. If the controller supports flow control (Vol 4, Part E, 4.2), it sends no more packets than the
// host has buffers for, and the host reports the completed ones. The packets of a link whose user lags are reported
// only when the user continues: a controller that cannot pass on data does not acknowledge it, so the peer waits.
//
//     off ── Host Buffer Size and Set Controller To Host Flow Control succeeded ──▶ limited ── the controller goes ──▶ off
//
// off: packets come as fast as the controller receives them, and nothing is reported. limited: packets are counted for
// each link, and reported several at a time, after 100 ms at the latest: Nordic's controller reports the end of a link
// only when all its packets have been reported. While a link is held back, each turn reports the packets of the others:
// held links may have so many of the controller's packets that only one is left for another link.
//
// A peer can fill the buffers of its own link. How many buffers a link may use is the controller's decision. Deadlines
// are passed in as `now`; `reportDeadline` is the next one.

import BluetoothHCI
import NIOCore

/// Counts the packets from the controller that have not been reported to it as completed.
struct ACLReceiver {
    /// The number of packets for which the host has buffers.
    static let packetCount = 256
    /// The number of packets of one link, or of all links, after which they are reported.
    private static let linkThreshold = 32
    private static let totalThreshold = 64
    /// The time for which a completed packet may stay unreported.
    private static let reportInterval = TimeAmount.milliseconds(100)
    /// The smallest packet length that the host offers, in octets after the header.
    static let minimumPacketLength = Int(DataPacketLimits.maximumOctets)

    /// Whether the controller waits for reports.
    private(set) var isLimited = false
    /// Whether a report is due at the end of the turn.
    private(set) var isReportDue = false
    /// When to report completed packets, however few.
    private(set) var reportDeadline: NIODeadline?
    /// The packets of links that are not held back.
    private var count = 0
    /// The number of links that are held back.
    private var pausedLinkCount = 0

    /// The controller has accepted the host's limits.
    mutating func enable() { self.isLimited = true }

    /// A packet was received.
    mutating func received(on link: HostLink) {
        guard self.isLimited else { return }
        link.receivedPackets += 1
        guard !link.isReceivingPaused else { return }
        self.count += 1
        if link.receivedPackets >= Self.linkThreshold || self.count >= Self.totalThreshold || self.pausedLinkCount > 0 {
            self.isReportDue = true
        }
    }

    /// The completed packets of links to report.
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

    /// Whether packets wait to be reported and have no deadline.
    var needsDeadline: Bool { self.reportDeadline == nil && self.count > 0 && self.isLimited }

    /// Sets the deadline for the next report.
    mutating func setDeadline(now: NIODeadline) { self.reportDeadline = now + Self.reportInterval }

    /// Reports completed packets at the end of the turn.
    mutating func reportNow() { self.isReportDue = self.isLimited }

    /// Holds back the packets of a link until it is resumed.
    mutating func pause(_ link: HostLink) {
        guard !link.isReceivingPaused else { return }
        link.isReceivingPaused = true
        self.pausedLinkCount += 1
        self.count -= link.receivedPackets
        if self.count > 0 { self.isReportDue = true }
    }

    /// Reports the packets of a link again.
    mutating func resume(_ link: HostLink) {
        guard link.isReceivingPaused else { return }
        link.isReceivingPaused = false
        self.pausedLinkCount -= 1
        self.count += link.receivedPackets
        self.isReportDue = self.isLimited
    }

    /// A link has ended: the controller counts its packets as completed (Vol 4, Part E, 4.3).
    mutating func closed(_ link: HostLink) {
        if link.isReceivingPaused {
            self.pausedLinkCount -= min(self.pausedLinkCount, 1)
        } else {
            self.count -= link.receivedPackets
        }
        link.receivedPackets = 0
    }

    /// The controller was lost.
    mutating func reset() { self = ACLReceiver() }
}
