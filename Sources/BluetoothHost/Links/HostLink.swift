// One link of the host: the machines that belong to it and the frames that wait for the controller.

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// A link and its machines. Lives on the host's event loop.
final class HostLink {
    /// An L2CAP frame on its way to the controller.
    struct Frame {
        /// What is left of it.
        var packets: ACLFragmenter
        var tag: FrameTag

        /// The next ACL data packet, and the frame's tag where it was the last one.
        fileprivate mutating func nextPacket() -> (packet: HCIPacket?, finished: FrameTag?) {
            let packet = self.packets.next()
            return (packet, self.packets.isFinished ? self.tag : nil)
        }
    }

    /// A channel that this side has asked for.
    struct RequestedChannel {
        let spsm: SPSM
        let configuration: L2CAPChannelConfiguration
        /// How secure the link was when it was asked for last.
        var level: SecurityLevel
        /// Why the peer has refused it, while it waits for a more secure link.
        var refusal: L2CAPChannelOpenError?
    }

    let id: LinkID
    let handle: ConnectionHandle
    /// What is known of it; the peer's address becomes its identity address when it pairs.
    var information: LinkInformation
    /// When the two devices meet.
    var timing: LinkTiming
    /// Who waits for the event that reports another timing, or other PHYs.
    var timingCompletions: [(Result<LinkTiming, LEHostError>) -> Void] = []
    var phyCompletions: [(Result<LinkPHYs, LEHostError>) -> Void] = []
    /// Which form of the event has reported it.
    var isFromPlainEvent = true
    /// Whether the link has not ended.
    var isOpen = true
    /// Whether the user knows of the link.
    @exclusivity(unchecked) var establishment = Establishment.established

    @exclusivity(unchecked) var bearer: ATTBearer
    @exclusivity(unchecked) var client = GATTClient()
    @exclusivity(unchecked) var bearerActions: [ATTBearer.Action] = []
    /// Whether the host flushes the bearer's batch at the end of the turn.
    var awaitsFlush = false
    var hasWork = false
    /// The validation of what is cached of the peer's database, while it waits or runs.
    var validation: GATTOperation?
    /// Whether the peer is bonded, and has not shown the key of the bond on this link.
    var isHeld: Bool {
        get { self.client.isHeld }
        set {
            self.client.isHeld = newValue
            self.signalling.channels.requirement = newValue ? .encrypted : .none
        }
    }
    /// Whether the link has what its bond keeps of the peer's client: brought back, or begun with a new bond.
    var hasBondedClient = false

    /// Whether the bonded peer was asked for what it says of its privacy.
    var hasReadPeerPrivacy = false

    @exclusivity(unchecked) var securityManager: SecurityManager
    var securityActions: [SecurityManager.Action] = []
    /// Why the link was not made more secure, for what waits for it.
    var securityError: GATTError?
    /// Channels that this side has asked for, until they are open or refused for good.
    var requestedChannels: [L2CAPChannelID: RequestedChannel] = [:]
    /// The reason to report, where the host ended the link for one that the controller does not know.
    var endReason: HCIErrorCode?

    @exclusivity(unchecked) var signalling: LESignalling
    var signallingActions: [LESignalling.Action] = []
    @exclusivity(unchecked) var reassembler = L2CAPReassembler()

    /// What came while encryption starts, and waits for the event.
    var dataBeforeEncryption: Deque<EarlyData.Packet> = []
    /// Whether the controller has a key for the link that it does not use yet.
    var awaitsEncryption: Bool { self.securityManager.encryption.isStarting }

    @exclusivity(unchecked) var outgoing: Deque<Frame> = []
    var isInTransmitQueue = false
    var packetsInController = 0
    /// Packets from the controller that were not reported to it as finished.
    var receivedPackets = 0
    /// Whether the user takes no more for now.
    var isReceivingPaused = false
    /// PDUs of the user that left or were dropped and are not reported yet.
    @exclusivity(unchecked) var transmitted = TransmitTally()
    var hasTransmitted = false

    var isDisconnecting = false
    /// When the event that ends the link is overdue.
    var disconnectDeadline: NIODeadline?

    init(
        handle: ConnectionHandle,
        information: LinkInformation,
        timing: LinkTiming,
        preferredMTU: Int,
        securityManager: SecurityManager
    ) {
        self.id = information.id
        self.handle = handle
        self.information = information
        self.timing = timing
        self.bearer = ATTBearer(link: information.id, preferredMTU: preferredMTU)
        self.securityManager = securityManager
        self.signalling = LESignalling(isCentral: information.isCentral)
    }

    /// The next ACL data packet of the first frame, and the frame's tag where it was the last one.
    func nextPacket() -> (packet: HCIPacket?, finished: FrameTag?) { Self.nextPacket(of: &self.outgoing) }

    private static func nextPacket(of frames: inout Deque<Frame>) -> (packet: HCIPacket?, finished: FrameTag?) {
        // Taken out, and put back where there is more of it: in its place it would be copied.
        var frame = frames.removeFirst()
        let next = frame.nextPacket()
        if next.finished == nil { frames.prepend(frame) }
        return next
    }
}
