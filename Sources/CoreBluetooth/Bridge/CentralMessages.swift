// What travels between a central manager with its peripherals, on a queue, and its session on the event loop: commands
// one way, events the other. Values only.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// Names one ``CBPeripheral`` object.
///
/// A place in a table and how often the place was given away.
struct PeripheralToken: Hashable, Sendable {
    var index: Int32
    var generation: UInt32
}

/// One connection that an app asked for: which object, and the how-manieth time.
///
/// What concerns an earlier one is void.
struct ConnectionID: Hashable, Sendable {
    var token: PeripheralToken
    var attempt: UInt32
}

/// What an app scans for.
struct ScanFilter: Sendable {
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

/// Which peers' comings and goings an app wants to hear of.
struct ConnectionEventFilter: Sendable {
    var services: [BluetoothUUID] = []
    var identifiers: [UUID] = []
}

/// A procedure of the GATT client, as an app asks for it.
enum GATTOperation: Sendable {
    case discoverServices([BluetoothUUID]?)
    case discoverIncludedServices(of: AttributeHandleRange, [BluetoothUUID]?)
    case discoverCharacteristics(of: AttributeHandleRange, [BluetoothUUID]?)
    case discoverDescriptors(GATTRemoteCharacteristic)
    case readValue(AttributeHandle)
    case readDescriptor(AttributeHandle)
    case writeValue(AttributeHandle, ByteBuffer)
    case writeDescriptor(AttributeHandle, ByteBuffer)
    case writeWithoutResponse(AttributeHandle, ByteBuffer)
    case setNotifying(Bool, GATTRemoteCharacteristic)
}

extension GATTOperation {
    /// Whether it is about attributes in a range.
    func concerns(_ range: AttributeHandleRange) -> Bool {
        switch self {
        case .discoverServices: false
        case .discoverIncludedServices(of: let service, _), .discoverCharacteristics(of: let service, _):
            service.overlaps(range)
        case .discoverDescriptors(let characteristic), .setNotifying(_, let characteristic):
            range.contains(characteristic.valueHandle)
        case .readValue(let handle), .readDescriptor(let handle), .writeValue(let handle, _),
            .writeDescriptor(let handle, _), .writeWithoutResponse(let handle, _):
            range.contains(handle)
        }
    }
}

/// From a central manager or one of its peripherals.
enum CentralCommand: Sendable {
    case scan(ScanFilter)
    case stopScan
    case connect(ConnectionID, DeviceAddress, ConnectOptions)
    case cancelConnection(ConnectionID)
    /// The object is gone.
    case release(PeripheralToken)
    /// With how often services had been invalid when the app called.
    case operate(ConnectionID, GATTOperation, invalidations: Int)
    case readRSSI(ConnectionID)
    case openChannel(ConnectionID, CBL2CAPPSM)
    case registerForConnectionEvents(ConnectionEventFilter?)
    /// A connection of the process before this one is waited for again.
    case resume(ConnectionID, DeviceAddress, ConnectOptions, AttributeTree)
    /// The manager has taken up what the process before this one did.
    case restored
    /// The manager is gone.
    case end
}

/// What is known of a device that an event is about.
struct PeerDescription: Sendable {
    var identifier: UUID
    var address: DeviceAddress
    var name: String?
}

/// A sighting of an advertiser.
struct Discovery: Sendable {
    var peer: PeerDescription
    var advertisement: Advertisement
    /// The services among those scanned for that the overflow area may mean.
    var overflowServices: [BluetoothUUID]
    var rssi: Int8
    var timestamp: CFAbsoluteTime
    var primaryPHY: UInt8
    var secondaryPHY: UInt8
}

/// To a central manager and its peripherals.
enum CentralEvent: ManagerEvent {
    /// What the process before this one did is to be taken up.
    case restored(CentralRestoration)
    case state(CBManagerState)
    case discovered(Discovery)
    case connected(ConnectionID, mtu: Int, TransmitWindow)
    case failedToConnect(ConnectionID, HCIErrorCode)
    /// `error` is `nil` where the app asked for it.
    case disconnected(ConnectionID, CBError?, timestamp: CFAbsoluteTime, isReconnecting: Bool)
    case connectionEvent(PeerDescription, CBConnectionEvent)

    case mtu(ConnectionID, Int)
    /// The GAP Device Name, where it is another name than the one known before.
    case name(ConnectionID, String)
    case services(ConnectionID, [GATTRemoteService], GATTError?)
    case includedServices(ConnectionID, of: AttributeHandleRange, [GATTRemoteService], GATTError?)
    case characteristics(ConnectionID, of: AttributeHandleRange, [GATTRemoteCharacteristic], GATTError?)
    case descriptors(ConnectionID, of: AttributeHandle, [GATTRemoteDescriptor], GATTError?)
    /// A value that was read, or that the peripheral sent.
    case value(ConnectionID, AttributeHandle, ByteBuffer)
    case readFailed(ConnectionID, AttributeHandle, GATTError)
    case wrote(ConnectionID, AttributeHandle, GATTError?)
    case descriptor(ConnectionID, AttributeHandle, ByteBuffer)
    case descriptorReadFailed(ConnectionID, AttributeHandle, GATTError)
    case wroteDescriptor(ConnectionID, AttributeHandle, GATTError?)
    case notifying(ConnectionID, AttributeHandle, Bool, GATTError?)
    /// There is room again for writes without response.
    case hasRoom(ConnectionID)
    case rssi(ConnectionID, Result<Int8, GATTError>)
    case servicesInvalidated(ConnectionID, AttributeHandleRange)
    case channelOpened(ConnectionID, CBL2CAPPSM, ChannelHandle)
    case channelRefused(ConnectionID, any Error)
    /// A channel ended that its app had let go.
    case unknownChannelEnded(ConnectionID, CBL2CAPPSM)
}
