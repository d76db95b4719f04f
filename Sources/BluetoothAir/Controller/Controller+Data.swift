// Data between host and controller (Vol 4, Part E, 4.1): the path of every ACL data packet. Without air time, loss and
// encryption, a packet is handed to the peer's host as it is, with the two octets of the handle rewritten; otherwise it
// waits at its end of the link.

import BluetoothHCI
import NIOCore

/// The buffers for data of the host (4.1.1).
struct TransmitBuffers {
    /// The number of packets in the controller, by the host's count.
    var used = 0
    /// The ends that have sent packets since the last report to the host.
    var completedEnds: [LinkEnd] = []
    /// The number of packets that they have sent.
    var completedCount = 0
    /// Whether a report to the host is queued for the end of the round.
    var isReportQueued = false
}

/// The host's buffers for data of the controller, if the host limits them (4.1.2).
struct ReceiveBuffers {
    /// Whether the host limits them.
    var isLimited = false
    /// The number of packets that the host can hold.
    var capacity = 0
    /// The number that it holds.
    private(set) var used = 0
    /// The number of links of which it holds packets.
    private var usedLinkCount = 0
    /// The maximum number of links.
    private let linkLimit: Int

    /// Whether the transport to the host takes more packets.
    var isHostWritable = true

    init(linkLimit: Int) { self.linkLimit = linkLimit }

    /// Resets everything except the state of the transport: after a reset the host holds no packets and has not yet set
    /// its limit.
    mutating func reset() {
        let isHostWritable = self.isHostWritable
        self = ReceiveBuffers(linkLimit: self.linkLimit)
        self.isHostWritable = isHostWritable
    }

    /// Whether the host can take a packet of a link, which is one of `linkCount`.
    ///
    /// One packet of each possible link has a reserved buffer, at most half of all buffers, so that no link stalls
    /// because the host is slow with others. A link may hold as many shared buffers as are free: with n links, each
    /// holds at most one part in n + 1. A single link leaves a quarter for links to come.
    @inline(__always)
    func hasCapacity(for end: LinkEnd, among linkCount: Int) -> Bool {
        guard self.isHostWritable else { return false }
        guard self.isLimited else { return true }
        guard self.used < self.capacity else { return false }
        guard end.unreportedPackets > 0 else { return true }
        let shared = self.capacity - min(self.linkLimit, self.capacity / 2)
        let limit = linkCount > 1 ? shared - (self.used - self.usedLinkCount) : shared - shared / 4
        return end.unreportedPackets <= limit
    }

    /// Counts a packet of a link that is sent to the host.
    @inline(__always)
    mutating func sent(on end: LinkEnd) {
        guard self.isLimited else { return }
        self.used += 1
        if end.unreportedPackets == 0 { self.usedLinkCount += 1 }
        end.unreportedPackets += 1
    }

    /// Counts packets of a link that the host has processed.
    mutating func completed(_ count: Int, on end: LinkEnd) {
        let count = min(count, end.unreportedPackets)
        guard count > 0 else { return }
        self.used -= count
        end.unreportedPackets -= count
        if end.unreportedPackets == 0 { self.usedLinkCount -= 1 }
    }
}

extension Controller {
    // MARK: From the host

    /// Handles an ACL data packet of the host.
    func handleData(_ packet: inout HCIPacket) {
        let start = packet.bytes.readerIndex
        guard let word: UInt32 = packet.bytes.getInteger(at: start + 1, endianness: .little) else { return }
        let length = Int(word >> 16)
        let boundary = word >> 12 & 0b1111
        // A host sends neither broadcasts nor complete PDUs with flag 0b11 (5.4.2).
        guard packet.bytes.readableBytes == ACLDataHeader.octetCountWithType + length, boundary <= 0b0010,
            let entry = self.links[ConnectionHandle(rawValue: UInt16(truncatingIfNeeded: word))]
        else { return }
        guard self.transmitBuffers.used < self.model.aclDataPacketCount,
            length <= self.model.aclDataPacketLength
        else {
            self.emit(DataBufferOverflow(linkType: .acl))
            return
        }
        let end = entry.end
        self.transmitBuffers.used += 1
        end.usedBuffers += 1
        let peer = entry.link.peer(of: end)
        guard end.isClear, length <= end.transmitLimit, length > 0,
            peer.controller.hasCapacity(for: peer)
        else {
            guard length > 0, !end.isTerminating else { return self.complete(end) }
            packet.bytes.moveReaderIndex(forwardBy: ACLDataHeader.octetCountWithType)
            end.data.append(PendingData(payload: packet.bytes, isStart: boundary != 0b0001))
            entry.link.wake()
            return
        }
        // 0b00 and 0b10 begin a PDU; the peer's host gets 0b10.
        let flags: UInt32 = boundary == 0b0001 ? 0x1000 : 0x2000
        let header = UInt32(peer.handle.rawValue) | flags | word & 0xFFFF_0000
        packet.bytes.setInteger(header, at: start + 1, endianness: .little)
        peer.controller.receiveBuffers.sent(on: peer)
        peer.controller.deliver(packet)
        self.complete(end)
    }

    /// Notes that a packet of `end` was sent; the host gets the buffer back at the end of the round, or a little later.
    func complete(_ end: LinkEnd) {
        if end.completedPackets == 0 { self.transmitBuffers.completedEnds.append(end) }
        end.completedPackets += 1
        self.transmitBuffers.completedCount += 1
        guard !self.transmitBuffers.isReportQueued else { return }
        self.transmitBuffers.isReportQueued = true
        self.air.enqueueCompletion(self)
    }

    /// Reports the number of sent packets to the host at the end of a round, or defers that until there is something
    /// else to report.
    func reportCompletedPackets() {
        self.transmitBuffers.isReportQueued = false
        let delay = self.completedPacketsDelay
        let mayWait =
            delay > .zero && !self.air.settings.hasAirTime && !self.hasPacketsForHost
            && self.transmitBuffers.completedCount <= self.model.aclDataPacketCount / 2
        guard mayWait else { return self.sendNumberOfCompletedPackets() }
        guard self.completedPacketsTimer.deadline == nil else { return }
        self.air.arm(self.completedPacketsTimer, at: self.now + delay)
    }

    /// Reports the number of sent packets to the host (7.7.19).
    func sendNumberOfCompletedPackets() {
        self.completedPacketsTimer.cancel()
        self.transmitBuffers.completedCount = 0
        if self.transmitBuffers.completedEnds.count == 1 {
            let end = self.transmitBuffers.completedEnds[0]
            self.transmitBuffers.completedEnds.removeAll(keepingCapacity: true)
            guard let element = self.takeCompletedPackets(of: end) else { return }
            return self.deliver(NumberOfCompletedPackets.packet(CollectionOfOne(element)))
        }
        var elements: [CompletedPackets.Element] = []
        for end in self.transmitBuffers.completedEnds {
            guard let element = self.takeCompletedPackets(of: end) else { continue }
            elements.append(element)
            if elements.count == CompletedPackets.maximumCount {
                self.deliver(NumberOfCompletedPackets.packet(elements))
                elements.removeAll(keepingCapacity: true)
            }
        }
        self.transmitBuffers.completedEnds.removeAll(keepingCapacity: true)
        if !elements.isEmpty { self.deliver(NumberOfCompletedPackets.packet(elements)) }
    }

    /// Frees the buffers of sent packets; returns `nil` if the link has ended since.
    private func takeCompletedPackets(of end: LinkEnd) -> CompletedPackets.Element? {
        let count = end.completedPackets
        guard count > 0 else { return nil }
        self.transmitBuffers.used -= count
        end.usedBuffers -= count
        end.completedPackets = 0
        return CompletedPackets.Element(handle: end.handle, count: UInt16(count))
    }

    /// Frees the buffers of `end` after its link has ended; the host does the same (4.3).
    func forgetBuffers(of end: LinkEnd) {
        self.transmitBuffers.used -= end.usedBuffers
        self.transmitBuffers.completedCount -= end.completedPackets
        end.completedPackets = 0
        end.data.removeAll()
        self.receiveBuffers.completed(end.unreportedPackets, on: end)
    }

    // MARK: To the host

    /// Whether the host can take a packet of a link.
    @inline(__always)
    func hasCapacity(for end: LinkEnd) -> Bool { self.receiveBuffers.hasCapacity(for: end, among: self.links.count) }

    /// Sets whether the transport to the host takes packets: while it does not, data of peers is not acknowledged, and
    /// advertisements are lost.
    func setHostWritable(_ isWritable: Bool) {
        guard isWritable != self.receiveBuffers.isHostWritable else { return }
        self.receiveBuffers.isHostWritable = isWritable
        self.hearingChanged()
        if isWritable { self.wakeSenders() }
    }

    /// Continues the links whose peers have data that waited for the host.
    private func wakeSenders() {
        for entry in self.links.entries where !entry.link.peer(of: entry.end).data.isEmpty { entry.link.wake() }
    }

    /// Delivers a fragment from the air to the host. The header is written in front of `payload` if there is space.
    func deliverData(_ payload: ByteBuffer, isStart: Bool, at end: LinkEnd) {
        let boundary: ACLDataHeader.Boundary = isStart ? .firstFlushable : .continuing
        self.receiveBuffers.sent(on: end)
        guard payload.readerIndex >= ACLDataHeader.octetCountWithType else {
            return self.deliver(.aclData(handle: end.handle, boundary: boundary, fragment: payload))
        }
        var payload = payload
        payload.prependACLDataHeader(handle: end.handle, boundary: boundary)
        self.deliver(HCIPacket(h4: payload))
    }
}

// MARK: Commands

extension Controller {
    /// HCI_Set_Controller_To_Host_Flow_Control (7.3.38).
    func setFlowControl(_ command: SetControllerToHostFlowControl) throws(HCIErrorCode) {
        // The mode may change only while there is no link.
        guard self.links.count == 0 else { throw .commandDisallowed }
        switch command.mode {
        case .off: self.receiveBuffers.isLimited = false
        case .acl:
            guard self.receiveBuffers.capacity > 0 else { throw .commandDisallowed }
            self.receiveBuffers.isLimited = true
        case .synchronous, .aclAndSynchronous: throw .unsupportedFeature
        default: throw .invalidParameters
        }
    }

    /// HCI_Host_Buffer_Size (7.3.39).
    func setHostBufferSize(_ command: HostBufferSize) throws(HCIErrorCode) {
        guard command.aclDataPacketLength >= self.model.aclDataPacketLength, command.aclDataPacketCount > 0
        else { throw .invalidParameters }
        self.receiveBuffers.capacity = Int(command.aclDataPacketCount)
    }

    /// HCI_Host_Number_Of_Completed_Packets (7.3.40); answered only if it fails.
    func hostCompleted(_ command: HostNumberOfCompletedPackets) throws(HCIErrorCode) {
        guard self.receiveBuffers.isLimited else { throw .commandDisallowed }
        for element in command.completed {
            guard let entry = self.links[element.handle] else { continue }
            self.receiveBuffers.completed(Int(element.count), on: entry.end)
        }
        self.wakeSenders()
    }
}
