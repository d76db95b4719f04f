// The messages between a peripheral manager, on a queue, and its session on the event loop: commands one way, events
// the other. Values only.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// Identifies a service that an app has added.
struct LocalServiceToken: Hashable, Sendable {
    var number: UInt32
}

/// A service to publish.
struct LocalService: Sendable {
    var token: LocalServiceToken
    /// Its included services by token, since their handles are only known on the event loop.
    var includedServices: [LocalServiceToken]
    var definition: GATTServiceDefinition
    /// The record to store of it if the manager has a restore identifier.
    var record: PeripheralRecord.Service
}

/// The centrals that a value is sent to.
enum UpdateTargets: Sendable {
    case one(LinkID)
    case many([LinkID])
}

/// From a peripheral manager.
enum PeripheralCommand: ManagerCommand {
    // Large payloads are indirect: most commands are updates of values, and there are many of them.
    indirect case add(LocalService)
    /// A service that must not be published, which is reported in its turn.
    case refuse(LocalServiceToken, CBError)
    case remove(LocalServiceToken)
    case removeAll
    indirect case startAdvertising(AdvertisedContent)
    case stopAdvertising
    case answerRead(GATTRequestID, Result<ByteBuffer, ATTErrorCode>)
    case answerWrite(GATTRequestID, ATTErrorCode?)
    case update(AttributeHandle, ByteBuffer, UpdateTargets)
    /// The app has taken enough of a central's values.
    case resumeReceiving(LinkID)
    case setLatency(CBPeripheralManagerConnectionLatency, LinkID)
    /// Each central is to be reported when it connects, not when it first uses a service.
    case watchCentrals
    case publishChannel(SecurityLevel)
    case unpublishChannel(CBL2CAPPSM)
    /// A service of the earlier process is published again.
    indirect case republish(LocalService)
    /// The advertising of the earlier process goes on.
    indirect case resumeAdvertising(AdvertisedContent)
    /// The manager has taken over the state of the earlier process.
    case restored
    /// The manager has processed an "adapter stopped" event.
    case stopSeen
    /// The manager is gone.
    case end
}

/// To a peripheral manager.
enum PeripheralEvent: ManagerEvent {
    /// The state of an earlier process to take over.
    case restored(PeripheralRestoration)
    /// A service of the earlier process has handles again.
    case republished(LocalServiceToken, GATTServiceHandles)
    case state(CBManagerState)
    case added(LocalServiceToken, Result<GATTServiceHandles, CBError>)
    case startedAdvertising(CBError?)
    /// A central that following events will name.
    case central(LinkID, PeerDescription, mtu: Int, TransmitWindow)
    /// The window counts it until the app has taken it, like all events that a peer can cause at will.
    case centralChangedMTU(LinkID, Int, ReceiveWindow)
    case centralLeft(LinkID)
    /// The window counts it until the app has taken it.
    case subscribed(LinkID, AttributeHandle, Bool, ReceiveWindow)
    case read(GATTReadRequest)
    /// The window counts its values until the app has taken them.
    case write(GATTWriteRequest, ReceiveWindow)
    /// A value that a central writes without response; the window counts it until the app has taken it.
    case command(LinkID, AttributeHandle, ByteBuffer, ReceiveWindow)
    /// Updates of values can be sent to a central again.
    case canSend(LinkID)
    case channelPublished(CBL2CAPPSM, CBError?)
    case channelUnpublished(CBL2CAPPSM, CBError?)
    case channelOpened(LinkID, CBL2CAPPSM, ChannelHandle)
    /// A channel ended that its app had released.
    case unknownChannelEnded(LinkID, CBL2CAPPSM)

    /// The window that counts the event while it waits for the app, and its size; `nil` if none does.
    @inline(__always)
    var counted: (window: ReceiveWindow, link: LinkID, octets: Int)? {
        switch self {
        case .command(let link, _, let value, let window): (window, link, value.readableBytes)
        case .write(let request, let window): (window, request.link, request.octetCount)
        case .subscribed(let link, _, _, let window), .centralChangedMTU(let link, _, let window): (window, link, 0)
        case .restored, .republished, .state, .added, .startedAdvertising, .central, .centralLeft, .read, .canSend,
            .channelPublished, .channelUnpublished, .channelOpened, .unknownChannelEnded:
            nil
        }
    }
}
