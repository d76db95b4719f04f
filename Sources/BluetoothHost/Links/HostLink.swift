// One link of the host: its machines, and the frames that wait for the controller.

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// A link and its machines. Confined to the host's event loop.
final class HostLink {
    /// An L2CAP frame on its way to the controller.
    struct Frame {
        /// The packets that have not been sent yet.
        var packets: ACLFragmenter
        var tag: FrameTag

        /// The next ACL data packet, and the frame's tag if it was the last one.
        fileprivate mutating func nextPacket() -> (packet: HCIPacket?, finished: FrameTag?) {
            let packet = self.packets.next()
            return (packet, self.packets.isFinished ? self.tag : nil)
        }
    }

    /// A channel that this side has requested.
    struct RequestedChannel {
        let spsm: SPSM
        let configuration: L2CAPChannelConfiguration
        /// The security level of the link at the last request.
        var level: SecurityLevel
        /// The peer's refusal, while the channel waits for a more secure link.
        var refusal: L2CAPChannelOpenError?
    }

    let id: LinkID
    let handle: ConnectionHandle
    /// The link as the user knows it; the peer's address becomes its identity address when it pairs.
    var information: LinkInformation
    /// The connection parameters.
    var timing: LinkTiming
    /// Completions that wait for the event that reports another timing, or other PHYs.
    var timingCompletions: [(Result<LinkTiming, LEHostError>) -> Void] = []
    var phyCompletions: [(Result<LinkPHYs, LEHostError>) -> Void] = []
    /// Whether the link was reported by the plain form of the event.
    var isFromPlainEvent = true
    /// False once the link has ended.
    var isOpen = true
    /// Whether the user knows of the link.
    @exclusivity(unchecked) var establishment = Establishment.established

    @exclusivity(unchecked) var bearer: ATTBearer
    @exclusivity(unchecked) var client = GATTClient()
    @exclusivity(unchecked) var bearerActions: [ATTBearer.Action] = []
    /// Whether the host flushes the bearer's batch at the end of the turn.
    var awaitsFlush = false
    var hasWork = false
    /// The validation of the cached database of the peer, while it waits or runs.
    var validation: GATTOperation?
    /// Whether the peer is bonded and the link is not encrypted with the key of the bond yet.
    var isHeld: Bool {
        get { self.client.isHeld }
        set {
            self.client.isHeld = newValue
            self.signalling.channels.requirement = newValue ? .encrypted : .none
        }
    }
    /// Whether the state of the peer's client was restored from the bond, or begun with a new bond.
    var hasBondedClient = false

    /// Whether the privacy characteristics of the bonded peer have been requested.
    var hasReadPeerPrivacy = false

    @exclusivity(unchecked) var securityManager: SecurityManager
    var securityActions: [SecurityManager.Action] = []
    /// Why the link was not made more secure, for procedures that wait for it.
    var securityError: GATTError?
    /// Channels that this side has requested, until they are open or finally refused.
    var requestedChannels: [L2CAPChannelID: RequestedChannel] = [:]
    /// The reason to report if the host ended the link for a reason that the controller does not know.
    var endReason: HCIErrorCode?

    @exclusivity(unchecked) var signalling: LESignalling
    var signallingActions: [LESignalling.Action] = []
    @exclusivity(unchecked) var reassembler = L2CAPReassembler()

    /// Packets that arrived while encryption starts, and wait for its event.
    var dataBeforeEncryption: Deque<EarlyData.Packet> = []
    /// Whether the controller was given a key for the link and has not reported encryption yet.
    var awaitsEncryption: Bool { self.securityManager.encryption.isStarting }

    @exclusivity(unchecked) var outgoing: Deque<Frame> = []
    var isInTransmitQueue = false
    var packetsInController = 0
    /// Packets from the controller that have not been reported to it as completed.
    var receivedPackets = 0
    /// Whether the user has paused reception.
    var isReceivingPaused = false
    /// PDUs of the user that left or were dropped and have not been reported yet.
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

    /// The next ACL data packet of the first frame, and the frame's tag if it was the last one.
    func nextPacket() -> (packet: HCIPacket?, finished: FrameTag?) { Self.nextPacket(of: &self.outgoing) }

    private static func nextPacket(of frames: inout Deque<Frame>) -> (packet: HCIPacket?, finished: FrameTag?) {
        // Taken out, and put back if packets are left: modified in place, it would be copied.
        var frame = frames.removeFirst()
        let next = frame.nextPacket()
        if next.finished == nil { frames.prepend(frame) }
        return next
    }
}
