// One adapter's Bluetooth LE host: the thin driver that moves packets between a controller and the protocol machines,
// owns their timers, and speaks to one user through `HostDelegate`. Confined to its event loop; nothing here locks.

public import BluetoothHCI
public import BluetoothTypes
public import NIOCore

/// A Bluetooth LE host on one controller.
///
/// Every member is used on ``eventLoop`` alone. Completions and delegate calls come on that loop, never from inside
/// the call that asked for them.
public final class Host {
    /// The loop on which the host lives.
    public let eventLoop: any EventLoop
    /// Who is told what happens.
    public weak var delegate: (any HostDelegate)?
    /// How the host presents itself.
    public let configuration: HostConfiguration
    /// Where the host stands with its controller.
    public private(set) var state: HostState = .detached

    /// Creates a host without a controller.
    public init(eventLoop: any EventLoop, configuration: HostConfiguration = HostConfiguration()) {
        self.eventLoop = eventLoop
        self.configuration = configuration
    }

    // MARK: Controller

    /// Takes a controller into use: resets it, reads what it can do, and becomes `ready`.
    public func attach(to channel: any HCIChannel) { preconditionFailure("in the making") }

    /// Lets the controller go; links end without a word to the peers.
    public func detach() { preconditionFailure("in the making") }

    // MARK: GAP

    /// Starts advertising, or changes how it is done.
    public func startAdvertising(
        _ request: AdvertisingRequest,
        completion: @escaping (Result<Void, HCIErrorCode>) -> Void
    ) { preconditionFailure("in the making") }

    /// Stops advertising.
    public func stopAdvertising() { preconditionFailure("in the making") }

    /// Starts scanning, or starts anew with other parameters and an empty duplicate filter.
    public func startScanning(_ request: ScanRequest) { preconditionFailure("in the making") }

    /// Stops scanning.
    public func stopScanning() { preconditionFailure("in the making") }

    /// Connects to a device as soon as it is heard; the request stays until it is met or cancelled.
    public func connect(to address: DeviceAddress) { preconditionFailure("in the making") }

    /// Gives up a pending connection; where the link came first, it is ended.
    public func cancelConnection(to address: DeviceAddress) { preconditionFailure("in the making") }

    /// Ends a link; the delegate is told when it has ended.
    public func disconnect(_ link: LinkID) { preconditionFailure("in the making") }

    /// What is known of a link; `nil` after its end.
    public func information(of link: LinkID) -> LinkInformation? { preconditionFailure("in the making") }

    /// All links.
    public var links: [LinkInformation] { preconditionFailure("in the making") }

    /// Measures the signal strength of a link, in dBm.
    public func readRSSI(of link: LinkID, completion: @escaping (Result<Int8, GATTError>) -> Void) {
        preconditionFailure("in the making")
    }

    /// Asks for connection parameters: interval 7.5 ms to 4 s, latency 0 to 499 events, supervision timeout 100 ms to
    /// 32 s. The central decides.
    public func requestConnectionParameters(
        of link: LinkID,
        interval: ClosedRange<TimeAmount>,
        latency: Int,
        supervisionTimeout: TimeAmount
    ) { preconditionFailure("in the making") }

    // MARK: GATT client

    /// The ATT MTU of a link; 23 until it was exchanged.
    public func mtu(of link: LinkID) -> Int { preconditionFailure("in the making") }

    /// Discovers primary services: all of them, or each of `uuids` with Find By Type Value.
    public func discoverServices(
        on link: LinkID,
        uuids: [BluetoothUUID]?,
        completion: @escaping (Result<[GATTRemoteService], GATTError>) -> Void
    ) { preconditionFailure("in the making") }

    /// Finds the services that a service includes.
    public func discoverIncludedServices(
        on link: LinkID,
        of service: AttributeHandleRange,
        completion: @escaping (Result<[GATTRemoteService], GATTError>) -> Void
    ) { preconditionFailure("in the making") }

    /// Discovers the characteristics of a service; `uuids` leaves out the others.
    public func discoverCharacteristics(
        on link: LinkID,
        of service: AttributeHandleRange,
        uuids: [BluetoothUUID]?,
        completion: @escaping (Result<[GATTRemoteCharacteristic], GATTError>) -> Void
    ) { preconditionFailure("in the making") }

    /// Discovers the descriptors of a characteristic.
    public func discoverDescriptors(
        on link: LinkID,
        of characteristic: GATTRemoteCharacteristic,
        completion: @escaping (Result<[GATTRemoteDescriptor], GATTError>) -> Void
    ) { preconditionFailure("in the making") }

    /// Reads a value or descriptor, with Read Blob for what one answer cannot carry.
    public func read(
        _ handle: AttributeHandle,
        on link: LinkID,
        completion: @escaping (Result<ByteBuffer, GATTError>) -> Void
    ) { preconditionFailure("in the making") }

    /// Writes a value or descriptor and waits for the answer, with prepared writes where one request cannot carry it.
    public func write(
        _ value: ByteBuffer,
        to handle: AttributeHandle,
        on link: LinkID,
        completion: @escaping (Result<Void, GATTError>) -> Void
    ) { preconditionFailure("in the making") }

    /// Writes several values at once after each was read back unaltered (Vol 3, Part G, 4.9.5).
    public func writeReliably(
        _ values: [(handle: AttributeHandle, value: ByteBuffer)],
        on link: LinkID,
        completion: @escaping (Result<Void, GATTError>) -> Void
    ) { preconditionFailure("in the making") }

    /// Queues a Write Command of at most MTU - 3 octets; ``HostDelegate/host(_:link:didTransmit:of:)`` tells when it left.
    public func writeWithoutResponse(_ value: ByteBuffer, to handle: AttributeHandle, on link: LinkID) {
        preconditionFailure("in the making")
    }

    // MARK: GATT server

    /// Adds a service to the database and tells the connected clients.
    public func addService(_ service: GATTServiceDefinition) throws(GATTDatabaseError) -> GATTServiceHandles {
        preconditionFailure("in the making")
    }

    /// Removes the service whose declaration has `handle`, and tells the connected clients.
    public func removeService(_ handle: AttributeHandle) { preconditionFailure("in the making") }

    /// Answers a read with the octets from the request's offset on.
    public func respond(to request: GATTRequestID, with result: Result<ByteBuffer, ATTErrorCode>) {
        preconditionFailure("in the making")
    }

    /// Answers a write; `nil` accepts it.
    public func respond(to request: GATTRequestID, error: ATTErrorCode?) { preconditionFailure("in the making") }

    /// Queues a notification, or an indication where the client asked for that alone, cut to MTU - 3 octets. Nothing
    /// happens where the client is not subscribed. Each call ends in one count of
    /// ``HostDelegate/host(_:link:didTransmit:of:)``; an indication when it is confirmed.
    public func notify(_ value: ByteBuffer, characteristic handle: AttributeHandle, to link: LinkID) {
        preconditionFailure("in the making")
    }
}
