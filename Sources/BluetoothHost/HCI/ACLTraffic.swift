// The ACL data of a host's links in both directions: the controller's capacity (`ACLTransmitter`), completed packets
// (`ACLReceiver`), and packets that precede their link (`EarlyData`).

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The ACL data of all links.
final class ACLTraffic {
    /// The largest number of buffers that are kept for the user.
    private static let sentBufferLimit = 64

    /// Buffers whose values have left the process and which the user may reuse; if another owner still has one, the
    /// `ByteBuffer` copies itself.
    @exclusivity(unchecked) var sentBuffers: [ByteBuffer] = []
    @exclusivity(unchecked) private var transmitter = ACLTransmitter()
    @exclusivity(unchecked) private var receiver = ACLReceiver()
    @exclusivity(unchecked) private var earlyData = EarlyData()
    private let loop: HostLoop

    init(_ loop: HostLoop) { self.loop = loop }

    /// The controller is set up.
    func begin(_ information: ControllerInformation) {
        self.transmitter.configure(dataLength: information.aclDataLength, packetCount: information.aclPacketCount)
        if information.limitsReceivedData { self.receiver.enable() }
    }

    /// The controller was lost.
    func reset() {
        self.transmitter.reset()
        self.receiver.reset()
        self.earlyData = EarlyData()
    }

    /// A link has ended.
    func closed(_ link: HostLink) {
        self.transmitter.closed(link)
        self.receiver.closed(link)
        self.earlyData.linkEnded(link.handle, now: self.loop.now)
    }

    // MARK: To the controller

    /// The largest data length of a packet.
    var dataLength: Int { self.transmitter.dataLength }

    /// The number of free buffers in the controller.
    var credits: Int { self.transmitter.credits }

    /// Puts a PDU into a frame and the frame into the queue of a link.
    func enqueue(_ pdu: consuming ByteBuffer, on channel: CID, of link: HostLink, tag: FrameTag) {
        let packets = ACLFragmenter(
            pdu,
            channel: channel,
            handle: link.handle,
            maximumLength: self.transmitter.dataLength
        )
        link.outgoing.append(HostLink.Frame(packets: packets, tag: tag))
        self.transmitter.enqueue(link)
    }

    /// Sends as many packets as the controller has buffers for; calls `sent` for each frame that has left.
    func transmit(on channel: any HCIChannel, sent: (FrameTag, HostLink) -> Void) {
        let keepsBuffers = channel.leavesProcess
        while let link = self.transmitter.nextTurn() {
            repeat {
                let (packet, tag) = link.nextPacket()
                if let packet {
                    channel.send(packet)
                    if keepsBuffers, case .transmission? = tag { self.keepBuffer(of: packet) }
                }
                if let tag { sent(tag, link) }
            } while self.transmitter.takeNextTurn(of: link)
            self.transmitter.enqueue(link)
        }
    }

    /// Keeps the buffer of a value that has left the process.
    private func keepBuffer(of packet: consuming HCIPacket) {
        if self.sentBuffers.count < Self.sentBufferLimit { self.sentBuffers.append(packet.bytes) }
    }

    /// The controller has sent packets of a link.
    func completed(_ count: Int, of link: HostLink) { self.transmitter.completed(count, of: link) }

    // MARK: From the controller

    /// Whether the controller holds back data until the host has completed earlier packets.
    var limitsReceivedData: Bool { self.receiver.isLimited }

    /// A packet of a link was received.
    @inline(__always)
    func received(on link: HostLink) { self.receiver.received(on: link) }

    /// A packet was received for a handle without a link.
    func receiveEarly(_ packet: EarlyData.Packet) { self.earlyData.receive(packet) }

    /// The packets that preceded a link that has begun.
    func takeEarly(of link: HostLink) -> [EarlyData.Packet] { self.earlyData.take(link.handle, now: self.loop.now) }

    /// Holds back packets of a link's peer.
    func pause(_ link: HostLink) { self.receiver.pause(link) }

    /// Receives packets of a link's peer again.
    func resume(_ link: HostLink) { self.receiver.resume(link) }

    /// Reports completed packets at the end of the turn.
    func reportNow() { self.receiver.reportNow() }

    /// When to report completed packets.
    var deadline: NIODeadline? { self.receiver.reportDeadline }

    /// Handles expired deadlines.
    func advance(to now: NIODeadline) {
        if let deadline = self.receiver.reportDeadline, deadline <= now { self.receiver.reportNow() }
    }

    /// Reports completed packets to the controller (Vol 4, Part E, 7.3.40). The command needs no credit and has no
    /// answer.
    func reportReceived(of links: [HostLink], on channel: (any HCIChannel)?) {
        if self.receiver.needsDeadline { self.receiver.setDeadline(now: self.loop.now) }
        guard self.receiver.isReportDue, let channel else { return }
        var elements = self.receiver.takeReport(of: links)[...]
        while !elements.isEmpty {
            let completed = CompletedPackets(elements.prefix(CompletedPackets.maximumCount))
            channel.send(HostNumberOfCompletedPackets(completed: completed).packet())
            elements = elements.dropFirst(CompletedPackets.maximumCount)
        }
    }
}
