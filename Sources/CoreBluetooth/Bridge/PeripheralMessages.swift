// What travels between a peripheral manager, on a queue, and its session on the event loop: commands one way, events
// the other. Values only.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// Names a service that an app has added.
struct LocalServiceToken: Hashable, Sendable {
    var number: UInt32
}

/// A service to publish.
struct LocalService: Sendable {
    var token: LocalServiceToken
    /// Its included services are named by token: their handles are known on the event loop alone.
    var includedServices: [LocalServiceToken]
    var definition: GATTServiceDefinition
    /// What is stored of it where the manager has a restore identifier.
    var record: PeripheralRecord.Service
}

/// Which centrals a value goes to.
enum UpdateTargets: Sendable {
    case one(LinkID)
    case many([LinkID])
}

/// From a peripheral manager.
enum PeripheralCommand: ManagerCommand {
    // What is large is stored elsewhere: most commands are values, and there are many of them.
    indirect case add(LocalService)
    /// A service that may not be published: that is reported in its turn.
    case refuse(LocalServiceToken, CBError)
    case remove(LocalServiceToken)
    case removeAll
    indirect case startAdvertising(AdvertisedContent)
    case stopAdvertising
    case answerRead(GATTRequestID, Result<ByteBuffer, ATTErrorCode>)
    case answerWrite(GATTRequestID, ATTErrorCode?)
    case update(AttributeHandle, ByteBuffer, UpdateTargets)
    /// The app has taken enough of what a central sent.
    case resumeReceiving(LinkID)
    case setLatency(CBPeripheralManagerConnectionLatency, LinkID)
    case publishChannel(SecurityLevel)
    case unpublishChannel(CBL2CAPPSM)
    /// A service of the process before this one is published again.
    indirect case republish(LocalService)
    /// What the process before this one advertised goes on.
    indirect case resumeAdvertising(AdvertisedContent)
    /// The manager has taken up what the process before this one did.
    case restored
    /// The manager has taken a report that the adapter stopped.
    case stopSeen
    /// The manager is gone.
    case end
}

/// To a peripheral manager.
enum PeripheralEvent: ManagerEvent {
    /// What the process before this one did is to be taken up.
    case restored(PeripheralRestoration)
    /// A service of the process before this one has handles again.
    case republished(LocalServiceToken, GATTServiceHandles)
    case state(CBManagerState)
    case added(LocalServiceToken, Result<GATTServiceHandles, CBError>)
    case startedAdvertising(CBError?)
    /// A central that following events will name.
    case central(LinkID, PeerDescription, mtu: Int, TransmitWindow)
    /// The window counts it, as all that a peer can cause at will, until the app has taken it.
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

    /// What counts the event while it waits for the app, and as how many octets; `nil` where nothing does.
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
