// What travels between a central manager with its peripherals, on a queue, and its session on the event loop: commands
// one way, events the other. Values only.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// Identifies one ``CBPeripheral`` object: its place in a table, and how often the place was used before.
struct PeripheralToken: Hashable, Sendable {
    var index: Int32
    var generation: UInt32
}

/// One connection that an app asked for: the object, and the number of the attempt.
///
/// What concerns an earlier attempt has no effect.
struct ConnectionID: Hashable, Sendable {
    var token: PeripheralToken
    var attempt: UInt32
}

/// What an app scans for.
struct ScanFilter: Hashable, Sendable {
    /// Services of which one must be advertised; `nil` for everything.
    var services: [BluetoothUUID]?
    /// Services of which one may be looked for by the advertiser instead.
    var solicitedServices: [BluetoothUUID] = []
    var allowsDuplicates = false
}

/// How an app wants to be connected.
struct ConnectOptions: Sendable {
    var reconnectsByItself = false
    var delay: TimeAmount?
    var alerts: ConnectAlerts = []
}

/// Which peers' connections and disconnections are reported to an app.
struct ConnectionEventFilter: Sendable {
    var services: [BluetoothUUID] = []
    var identifiers: [UUID] = []
}

/// From a central manager or one of its peripherals.
enum CentralCommand: ManagerCommand {
    // What is large is stored elsewhere: most commands are values, and there are many of them.
    indirect case scan(ScanFilter)
    case stopScan
    /// With the address that the object had when it was made, where no other is known of its device.
    indirect case connect(ConnectionID, UUID, DeviceAddress, ConnectOptions)
    case cancelConnection(ConnectionID)
    /// The object is gone.
    case release(PeripheralToken)
    /// With how often services had become invalid when the app called.
    case perform(ConnectionID, HandedOperation, invalidations: Int)
    case writeWithoutResponse(ConnectionID, AttributeHandle, ByteBuffer, invalidations: Int)
    /// The app has taken enough of what the peripheral sent.
    case resumeReceiving(ConnectionID)
    case openChannel(ConnectionID, CBL2CAPPSM, invalidations: Int)
    indirect case registerForConnectionEvents(ConnectionEventFilter?)
    /// A connection of the process before this one is waited for again.
    indirect case resume(ConnectionID, DeviceAddress, ConnectOptions, DiscoveredAttributes)
    /// The manager has taken over what the process before this one did.
    case restored
    /// The manager has taken a report that the adapter stopped.
    case stopSeen
    /// The app was told that a connection has ended which it had not cancelled.
    case endSeen(ConnectionID)
    /// The manager is gone.
    case end
}

/// What is known of a device that an event is about.
struct PeerDescription: Sendable {
    var identifier: UUID
    var address: DeviceAddress
    var name: String?
}

/// The discovery of an advertiser, as one report leads to.
struct Discovery: Sendable {
    var peer: PeerDescription
    var advertisement: Advertisement
    /// The services among those scanned for that the overflow area may mean.
    var overflowServices: [BluetoothUUID]
    var rssi: RSSI?
    var timestamp: CFAbsoluteTime
    var primaryPHY: UInt8
    var secondaryPHY: UInt8

    /// What a discovery counts in a window, in octets.
    static let size = 512
}

/// To a central manager and its peripherals.
enum CentralEvent: ManagerEvent {
    /// What the process before this one did is to be taken over.
    case restored(CentralRestoration)
    case state(CBManagerState)
    /// The window counts it until the app has taken it.
    case discovered(Discovery, ReceiveWindow)
    case connected(ConnectionID, mtu: Int, TransmitWindow)
    case failedToConnect(ConnectionID, HCIErrorCode)
    /// `error` is `nil` where the app asked for it.
    case disconnected(ConnectionID, CBError?, timestamp: CFAbsoluteTime, isReconnecting: Bool)
    case connectionEvent(PeerDescription, CBConnectionEvent)

    /// The window counts it, as all that a peer can cause at will, until the app has taken it.
    case mtu(ConnectionID, Int, ReceiveWindow)
    /// The GAP Device Name, where it is another name than the one known before.
    case name(ConnectionID, String)
    /// An operation has its result.
    case completed(ConnectionID, HandedOperation)
    /// A value that the peripheral sent; the window counts it until the app has taken it.
    case value(ConnectionID, AttributeHandle, ByteBuffer, ReceiveWindow)
    /// A subscription of an earlier link could not be made again.
    case subscriptionLost(ConnectionID, AttributeHandle, GATTError)
    /// Writes without response can be sent again.
    case canSend(ConnectionID)
    /// The window counts it until the app has taken it.
    case servicesInvalidated(ConnectionID, AttributeHandleRange, ReceiveWindow)
    case channelOpened(ConnectionID, CBL2CAPPSM, ChannelHandle)
    case channelRefused(ConnectionID, any Error)
    /// A channel ended that its app had released.
    case unknownChannelEnded(ConnectionID, CBL2CAPPSM)

    /// What counts the event of a connection while it waits for the app, and as how many octets; `nil` where nothing does.
    @inline(__always)
    var counted: (window: ReceiveWindow, connection: ConnectionID, octets: Int)? {
        switch self {
        case .value(let id, _, let value, let window): (window, id, value.readableBytes)
        case .mtu(let id, _, let window), .servicesInvalidated(let id, _, let window): (window, id, 0)
        case .restored, .state, .discovered, .connected, .failedToConnect, .disconnected, .connectionEvent, .name,
            .completed, .subscriptionLost, .canSend, .channelOpened, .channelRefused, .unknownChannelEnded:
            nil
        }
    }
}

extension RSSI? {
    /// The strength in dBm, as delegates get it; 127 if it is not known.
    var number: NSNumber { NSNumber(value: Int(RSSI.octet(self))) }
}
