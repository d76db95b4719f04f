// The messages between a central manager with its peripherals, on a queue, and its session on the event loop: commands
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
/// Messages of an earlier attempt have no effect.
struct ConnectionID: Hashable, Sendable {
    var token: PeripheralToken
    var attempt: UInt32
}

/// The filter of a scan.
struct ScanFilter: Hashable, Sendable {
    /// Services of which one must be advertised; `nil` for all devices.
    var services: [BluetoothUUID]?
    /// Services of which the advertiser may look for one instead.
    var solicitedServices: [BluetoothUUID] = []
    var allowsDuplicates = false
}

/// The options of a connection.
struct ConnectOptions: Sendable {
    var reconnectsByItself = false
    var delay: TimeAmount?
    var alerts: ConnectAlerts = []
}

/// The peers whose connections and disconnections are reported to an app.
struct ConnectionEventFilter: Sendable {
    var services: [BluetoothUUID] = []
    var identifiers: [UUID] = []
}

/// From a central manager or one of its peripherals.
enum CentralCommand: ManagerCommand {
    // Large payloads are indirect: most commands are writes of values, and there are many of them.
    indirect case scan(ScanFilter)
    case stopScan
    /// With the address that the object had when it was created, in case no other is known of its device.
    indirect case connect(ConnectionID, UUID, DeviceAddress, ConnectOptions)
    case cancelConnection(ConnectionID)
    /// The object is gone.
    case release(PeripheralToken)
    /// With the number of invalidations that the app had got when it called.
    case perform(ConnectionID, HandedOperation, invalidations: Int)
    case writeWithoutResponse(ConnectionID, AttributeHandle, ByteBuffer, invalidations: Int)
    /// The app has taken enough of the peripheral's values.
    case resumeReceiving(ConnectionID)
    case openChannel(ConnectionID, CBL2CAPPSM, invalidations: Int)
    indirect case registerForConnectionEvents(ConnectionEventFilter?)
    /// A connection of the earlier process is restored.
    indirect case resume(ConnectionID, DeviceAddress, ConnectOptions, DiscoveredAttributes)
    /// The manager has taken over the state of the earlier process.
    case restored
    /// The manager has processed an "adapter stopped" event.
    case stopSeen
    /// The app was informed of the end of a connection that it had not cancelled.
    case endSeen(ConnectionID)
    /// The manager is gone.
    case end
}

/// The device that an event is about.
struct PeerDescription: Sendable {
    var identifier: UUID
    var address: DeviceAddress
    var name: String?
}

/// The discovery of an advertiser by one report.
struct Discovery: Sendable {
    var peer: PeerDescription
    var advertisement: Advertisement
    /// The services of the scan's filter that the overflow area may contain.
    var overflowServices: [BluetoothUUID]
    var rssi: RSSI?
    var timestamp: CFAbsoluteTime
    var primaryPHY: UInt8
    var secondaryPHY: UInt8

    /// The size of a discovery in a window, in octets.
    static let size = 512
}

/// To a central manager and its peripherals.
enum CentralEvent: ManagerEvent {
    /// The state of an earlier process to take over.
    case restored(CentralRestoration)
    case state(CBManagerState)
    /// The window counts it until the app has taken it.
    case discovered(Discovery, ReceiveWindow)
    case connected(ConnectionID, mtu: Int, TransmitWindow)
    case failedToConnect(ConnectionID, HCIErrorCode)
    /// `error` is `nil` if the app asked for it.
    case disconnected(ConnectionID, CBError?, timestamp: CFAbsoluteTime, isReconnecting: Bool)
    case connectionEvent(PeerDescription, CBConnectionEvent)

    /// The window counts it until the app has taken it, like all events that a peer can cause at will.
    case mtu(ConnectionID, Int, ReceiveWindow)
    /// The GAP Device Name, if it differs from the known name.
    case name(ConnectionID, String)
    /// An operation has its result.
    case completed(ConnectionID, HandedOperation)
    /// A value that the peripheral sent; the window counts it until the app has taken it.
    case value(ConnectionID, AttributeHandle, ByteBuffer, ReceiveWindow)
    /// A subscription of an earlier link could not be renewed.
    case subscriptionLost(ConnectionID, AttributeHandle, GATTError)
    /// Writes without response can be sent again.
    case canSend(ConnectionID)
    /// The window counts it until the app has taken it.
    case servicesInvalidated(ConnectionID, AttributeHandleRange, ReceiveWindow)
    case channelOpened(ConnectionID, CBL2CAPPSM, ChannelHandle)
    case channelRefused(ConnectionID, any Error)
    /// A channel ended that its app had released.
    case unknownChannelEnded(ConnectionID, CBL2CAPPSM)

    /// The window that counts the event of a connection while it waits for the app, and its size; `nil` if none does.
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
