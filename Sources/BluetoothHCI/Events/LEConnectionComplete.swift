// The three forms in which a controller reports that a link was made (Vol 4, Part E, 7.7.65.1 and 7.7.65.10). Which one
// is sent depends on the events that the host has asked for.

public import BluetoothTypes

/// What both forms say of the link (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
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
    /// The private address that this device has used; `nil` for none.
    var localResolvableAddress: DeviceAddress? { get }
    /// The private address that the peer has used; `nil` for none.
    var peerResolvableAddress: DeviceAddress? { get }
}

extension LEConnectionCompletion {
    /// The event does not have it.
    public var localResolvableAddress: DeviceAddress? { nil }
    /// The event does not have it.
    public var peerResolvableAddress: DeviceAddress? { nil }
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.role = try coder.field("Role", \.role)
        self.peer = try coder.field("Peer_Address", \.peer)
        self.interval = try coder.field("Connection_Interval", \.interval)
        self.latency = try coder.field("Peripheral_Latency", \.latency)
        self.supervisionTimeout = try coder.field("Supervision_Timeout", \.supervisionTimeout)
        self.centralClockAccuracy = try coder.field("Central_Clock_Accuracy", \.centralClockAccuracy)
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.role = try coder.field("Role", \.role)
        self.peer = try coder.field("Peer_Address", \.peer)
        self.localResolvableAddress = try coder.resolvableAddress(
            "Local_Resolvable_Private_Address",
            \.localResolvableAddress
        )
        self.peerResolvableAddress = try coder.resolvableAddress(
            "Peer_Resolvable_Private_Address",
            \.peerResolvableAddress
        )
        self.interval = try coder.field("Connection_Interval", \.interval)
        self.latency = try coder.field("Peripheral_Latency", \.latency)
        self.supervisionTimeout = try coder.field("Supervision_Timeout", \.supervisionTimeout)
        self.centralClockAccuracy = try coder.field("Central_Clock_Accuracy", \.centralClockAccuracy)
    }
}

/// A link was made, or could not be, with the periodic advertising that it came from [v2]
/// (Vol 4, Part E, 7.7.65.10).
@dynamicMemberLookup
public struct LEEnhancedConnectionCompleteV2: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.enhancedConnectionCompleteV2

    /// The parameters of [v1].
    public var connection: LEEnhancedConnectionComplete
    /// The periodic advertising set with responses that it came from; `nil` where it did not.
    public var advertisingHandle: AdvertisingHandle?
    /// The train that this device synchronized to; `nil` where it did not come from one.
    public var syncHandle: UInt16?

    /// Creates the event.
    public init(
        connection: LEEnhancedConnectionComplete,
        advertisingHandle: AdvertisingHandle? = nil,
        syncHandle: UInt16? = nil
    ) {
        self.connection = connection
        self.advertisingHandle = advertisingHandle
        self.syncHandle = syncHandle
    }

    /// A parameter of [v1].
    public subscript<Value>(dynamicMember keyPath: KeyPath<LEEnhancedConnectionComplete, Value>) -> Value {
        self.connection[keyPath: keyPath]
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.connection = try coder.group(\.connection)
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle, absent: .none)
        self.syncHandle = try coder.field("Sync_Handle", \.syncHandle, absent: 0xFFFF)
    }
}
