// The three forms in which a controller says that a link was made (Vol 4, Part E, 7.7.65.1 and 7.7.65.10). Which one is
// sent depends on the events that the host has asked for.

public import BluetoothTypes
public import NIOCore

/// What all forms say of the link (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
public protocol LEConnectionCompletion {
    /// Whether it succeeded.
    var status: HCIErrorCode { get }
    /// The link.
    var handle: ConnectionHandle { get }
    /// This device's role.
    var role: ConnectionRole { get }
    /// The peer.
    var peer: DeviceAddress { get }
    /// The connection interval.
    var interval: ConnectionInterval { get }
    /// How many connection events the peripheral may leave out.
    var latency: UInt16 { get }
    /// The supervision timeout.
    var supervisionTimeout: SupervisionTimeout { get }
    /// The accuracy of the central's clock.
    var centralClockAccuracy: ClockAccuracy { get }
}

/// A link was made, or could not be (Vol 4, Part E, 7.7.65.1).
public struct LEConnectionComplete: LEEventPayload, LEConnectionCompletion {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.connectionComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// This device's role.
    public var role: ConnectionRole
    /// The peer.
    public var peer: DeviceAddress
    /// The connection interval.
    public var interval: ConnectionInterval
    /// How many connection events the peripheral may leave out.
    public var latency: UInt16
    /// The supervision timeout.
    public var supervisionTimeout: SupervisionTimeout
    /// The accuracy of the central's clock.
    public var centralClockAccuracy: ClockAccuracy

    /// Creates the event.
    public init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        role: ConnectionRole,
        peer: DeviceAddress,
        interval: ConnectionInterval,
        latency: UInt16,
        supervisionTimeout: SupervisionTimeout,
        centralClockAccuracy: ClockAccuracy = .ppm500
    ) {
        self.status = status
        self.handle = handle
        self.role = role
        self.peer = peer
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.centralClockAccuracy = centralClockAccuracy
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(
            self.status,
            self.handle,
            self.role,
            self.peer,
            self.interval,
            self.latency,
            self.supervisionTimeout,
            self.centralClockAccuracy
        )
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            role: try bytes.readParameter("Role"),
            peer: try bytes.readParameter("Peer_Address"),
            interval: try bytes.readParameter("Connection_Interval"),
            latency: try bytes.readParameter("Peripheral_Latency"),
            supervisionTimeout: try bytes.readParameter("Supervision_Timeout"),
            centralClockAccuracy: try bytes.readParameter("Central_Clock_Accuracy")
        )
    }
}

/// A link was made, or could not be, with private addresses [v1] (Vol 4, Part E, 7.7.65.10).
public struct LEEnhancedConnectionComplete: LEEventPayload, LEConnectionCompletion {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.enhancedConnectionComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// This device's role.
    public var role: ConnectionRole
    /// The peer.
    public var peer: DeviceAddress
    /// The private address that this device used.
    public var localResolvableAddress: DeviceAddress?
    /// The private address that the peer used.
    public var peerResolvableAddress: DeviceAddress?
    /// The connection interval.
    public var interval: ConnectionInterval
    /// How many connection events the peripheral may leave out.
    public var latency: UInt16
    /// The supervision timeout.
    public var supervisionTimeout: SupervisionTimeout
    /// The accuracy of the central's clock.
    public var centralClockAccuracy: ClockAccuracy

    /// Creates the event.
    public init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        role: ConnectionRole,
        peer: DeviceAddress,
        localResolvableAddress: DeviceAddress? = nil,
        peerResolvableAddress: DeviceAddress? = nil,
        interval: ConnectionInterval,
        latency: UInt16,
        supervisionTimeout: SupervisionTimeout,
        centralClockAccuracy: ClockAccuracy = .ppm500
    ) {
        self.status = status
        self.handle = handle
        self.role = role
        self.peer = peer
        self.localResolvableAddress = localResolvableAddress
        self.peerResolvableAddress = peerResolvableAddress
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.centralClockAccuracy = centralClockAccuracy
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.role, self.peer)
        bytes.writeResolvableAddress(self.localResolvableAddress)
        bytes.writeResolvableAddress(self.peerResolvableAddress)
        bytes.writeParameters(self.interval, self.latency, self.supervisionTimeout, self.centralClockAccuracy)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            role: try bytes.readParameter("Role"),
            peer: try bytes.readParameter("Peer_Address"),
            localResolvableAddress: try bytes.readResolvableAddress("Local_Resolvable_Private_Address"),
            peerResolvableAddress: try bytes.readResolvableAddress("Peer_Resolvable_Private_Address"),
            interval: try bytes.readParameter("Connection_Interval"),
            latency: try bytes.readParameter("Peripheral_Latency"),
            supervisionTimeout: try bytes.readParameter("Supervision_Timeout"),
            centralClockAccuracy: try bytes.readParameter("Central_Clock_Accuracy")
        )
    }
}

/// A link was made, or could not be, with the periodic advertising it came from [v2] (Vol 4, Part E, 7.7.65.10).
public struct LEEnhancedConnectionCompleteV2: LEEventPayload, LEConnectionCompletion {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.enhancedConnectionCompleteV2

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// This device's role.
    public var role: ConnectionRole
    /// The peer.
    public var peer: DeviceAddress
    /// The private address that this device used.
    public var localResolvableAddress: DeviceAddress?
    /// The private address that the peer used.
    public var peerResolvableAddress: DeviceAddress?
    /// The connection interval.
    public var interval: ConnectionInterval
    /// How many connection events the peripheral may leave out.
    public var latency: UInt16
    /// The supervision timeout.
    public var supervisionTimeout: SupervisionTimeout
    /// The accuracy of the central's clock.
    public var centralClockAccuracy: ClockAccuracy
    /// The periodic advertising set with responses that it came from, where it did.
    public var advertisingHandle: AdvertisingHandle
    /// The train that this device heard, where it came from one; 0xFFFF for none.
    public var syncHandle: UInt16

    /// Creates the event.
    public init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        role: ConnectionRole,
        peer: DeviceAddress,
        localResolvableAddress: DeviceAddress? = nil,
        peerResolvableAddress: DeviceAddress? = nil,
        interval: ConnectionInterval,
        latency: UInt16,
        supervisionTimeout: SupervisionTimeout,
        centralClockAccuracy: ClockAccuracy = .ppm500,
        advertisingHandle: AdvertisingHandle = .none,
        syncHandle: UInt16 = 0xFFFF
    ) {
        self.status = status
        self.handle = handle
        self.role = role
        self.peer = peer
        self.localResolvableAddress = localResolvableAddress
        self.peerResolvableAddress = peerResolvableAddress
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.centralClockAccuracy = centralClockAccuracy
        self.advertisingHandle = advertisingHandle
        self.syncHandle = syncHandle
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.role, self.peer)
        bytes.writeResolvableAddress(self.localResolvableAddress)
        bytes.writeResolvableAddress(self.peerResolvableAddress)
        bytes.writeParameters(
            self.interval,
            self.latency,
            self.supervisionTimeout,
            self.centralClockAccuracy,
            self.advertisingHandle,
            self.syncHandle
        )
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            role: try bytes.readParameter("Role"),
            peer: try bytes.readParameter("Peer_Address"),
            localResolvableAddress: try bytes.readResolvableAddress("Local_Resolvable_Private_Address"),
            peerResolvableAddress: try bytes.readResolvableAddress("Peer_Resolvable_Private_Address"),
            interval: try bytes.readParameter("Connection_Interval"),
            latency: try bytes.readParameter("Peripheral_Latency"),
            supervisionTimeout: try bytes.readParameter("Supervision_Timeout"),
            centralClockAccuracy: try bytes.readParameter("Central_Clock_Accuracy"),
            advertisingHandle: try bytes.readParameter("Advertising_Handle"),
            syncHandle: try bytes.readParameter("Sync_Handle")
        )
    }
}
