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
    }

    let id: LinkID
    let handle: ConnectionHandle
    let information: LinkInformation
    /// Whether the link has not ended.
    var isOpen = true

    var bearer: ATTBearer
    var bearerActions: [ATTBearer.Action] = []
    /// Whether the host flushes the bearer's batch at the end of the turn.
    var awaitsFlush = false
    var hasWork = false
    /// The validation of what is cached of the peer's database, while it waits or runs.
    var validation: GATTProcedureID?
    /// Whether what a bond keeps of the peer's client was brought back, so that it is not done again.
    var hasRestoredClient = false

    var signalling: LESignalling
    var signallingActions: [LESignalling.Action] = []
    var reassembler = L2CAPReassembler()

    var outgoing: Deque<Frame> = []
    var isInTransmitQueue = false
    var packetsInController = 0
    /// Packets from the controller that were not reported to it as finished.
    var receivedPackets = 0
    /// Whether the user takes no more for now.
    var isReceivingPaused = false
    /// PDUs of the user that left or were dropped and are not reported yet.
    var transmitted = TransmitTally()
    var hasTransmitted = false

    var isDisconnecting = false
    /// When the event that ends the link is overdue.
    var disconnectDeadline: NIODeadline?

    init(handle: ConnectionHandle, information: LinkInformation, preferredMTU: Int) {
        self.id = information.id
        self.handle = handle
        self.information = information
        self.bearer = ATTBearer(link: information.id, preferredMTU: preferredMTU)
        self.signalling = LESignalling(isCentral: information.isCentral)
    }

    /// The next ACL data packet of the first frame, and the frame's tag where it was the last one.
    func nextPacket() -> (packet: HCIPacket?, finished: FrameTag?) { Self.nextPacket(of: &self.outgoing) }

    private static func nextPacket(of frames: inout Deque<Frame>) -> (packet: HCIPacket?, finished: FrameTag?) {
        let packet = frames[0].packets.next()
        return (packet, frames[0].packets.isFinished ? frames.removeFirst().tag : nil)
    }
}
