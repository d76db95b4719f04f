// One link of the host: the machines that belong to it and the frames that wait for the controller.

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// Who waits for a procedure of the GATT client.
enum ProcedureCompletion {
    case services((Result<[GATTRemoteService], GATTError>) -> Void)
    case characteristics((Result<[GATTRemoteCharacteristic], GATTError>) -> Void)
    case descriptors((Result<[GATTRemoteDescriptor], GATTError>) -> Void)
    case value((Result<ByteBuffer, GATTError>) -> Void)
    case values((Result<[GATTClient.Value], GATTError>) -> Void)
    case done((Result<Void, GATTError>) -> Void)
    /// How the server tells of changes.
    case caching((Result<GATTClient.ServerCaching, GATTError>) -> Void)
    /// The host's own procedures, such as the MTU exchange.
    case nobody
}

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

    var client: GATTClient
    var clientActions: [GATTClient.Action] = []
    var hasWork = false
    var completions: Deque<(id: GATTClient.ProcedureID, completion: ProcedureCompletion)> = []

    var signalling: LESignalling
    var signallingActions: [LESignalling.Action] = []
    var reassembler = L2CAPReassembler()

    var outgoing: Deque<Frame> = []
    var isInTransmitRow = false
    var packetsInController = 0
    /// PDUs of the user that left or died in this turn.
    var transmittedNotifications = 0
    var transmittedCommands = 0
    var hasCounts = false

    var isDisconnecting = false
    /// When the event that ends the link is overdue.
    var disconnectDeadline: NIODeadline?
    var isEncrypted = false

    init(handle: ConnectionHandle, information: LinkInformation, preferredMTU: Int) {
        self.id = information.id
        self.handle = handle
        self.information = information
        self.client = GATTClient(preferredMTU: preferredMTU)
        self.signalling = LESignalling(isCentral: information.isCentral)
    }

    /// The procedure's waiter; most often the first.
    func takeCompletion(_ id: GATTClient.ProcedureID) -> ProcedureCompletion? {
        guard let index = self.completions.firstIndex(where: { $0.id == id }) else { return nil }
        return self.completions.remove(at: index).completion
    }
}
