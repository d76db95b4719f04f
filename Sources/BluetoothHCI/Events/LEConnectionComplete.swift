// The three forms in which a controller reports a new link (Vol 4, Part E, 7.7.65.1 and 7.7.65.10). The host's event
// mask decides which one is sent.

public import BluetoothTypes

/// The parameters that all forms have in common (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
package protocol LEConnectionCompletion {
    var status: HCIErrorCode { get }
    var handle: ConnectionHandle { get }
    var role: ConnectionRole { get }
    var peer: DeviceAddress { get }
    var interval: ConnectionInterval { get }
    /// The number of connection events that the peripheral may skip.
    var latency: UInt16 { get }
    var supervisionTimeout: SupervisionTimeout { get }
    /// The resolvable private address that this device used; `nil` for none.
    var localResolvableAddress: DeviceAddress? { get }
    /// The resolvable private address that the peer used; `nil` for none.
    var peerResolvableAddress: DeviceAddress? { get }
}

extension LEConnectionCompletion {
    package var localResolvableAddress: DeviceAddress? { nil }
    package var peerResolvableAddress: DeviceAddress? { nil }
}

/// A link was established, or could not be (Vol 4, Part E, 7.7.65.1).
public struct LEConnectionComplete: LEEventPayload, LEConnectionCompletion {
    package static let subevent = LESubeventCode.connectionComplete
    public var status: HCIErrorCode
    public var handle: ConnectionHandle
    package var role: ConnectionRole
    public var peer: DeviceAddress
    public var interval: ConnectionInterval
    /// The number of connection events that the peripheral may skip.
    package var latency: UInt16
    package var supervisionTimeout: SupervisionTimeout
    package var centralClockAccuracy: ClockAccuracy

    package init(
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

/// As ``LEConnectionComplete``, with resolvable private addresses [v1] (Vol 4, Part E, 7.7.65.10).
public struct LEEnhancedConnectionComplete: LEEventPayload, LEConnectionCompletion {
    package static let subevent = LESubeventCode.enhancedConnectionComplete
    public var status: HCIErrorCode
    package var handle: ConnectionHandle
    package var role: ConnectionRole
    public var peer: DeviceAddress
    /// `nil` if this device used none.
    package var localResolvableAddress: DeviceAddress?
    /// `nil` if the peer used none.
    package var peerResolvableAddress: DeviceAddress?
    package var interval: ConnectionInterval
    /// The number of connection events that the peripheral may skip.
    package var latency: UInt16
    package var supervisionTimeout: SupervisionTimeout
    package var centralClockAccuracy: ClockAccuracy

    package init(
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

/// As [v1], with the periodic advertising that led to the link [v2] (Vol 4, Part E, 7.7.65.10).
public struct LEEnhancedConnectionCompleteV2: LEEventPayload {
    package static let subevent = LESubeventCode.enhancedConnectionCompleteV2
    /// The parameters of [v1].
    package var connection: LEEnhancedConnectionComplete
    /// The set of periodic advertising with responses that led to the link; `nil` for none.
    package var advertisingHandle: AdvertisingHandle?
    /// The periodic advertising train that led to the link; `nil` for none.
    package var syncHandle: UInt16?

    package init(
        connection: LEEnhancedConnectionComplete,
        advertisingHandle: AdvertisingHandle? = nil,
        syncHandle: UInt16? = nil
    ) {
        (self.connection, self.advertisingHandle, self.syncHandle) = (connection, advertisingHandle, syncHandle)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.connection = try coder.group(\.connection)
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle, absent: .none)
        self.syncHandle = try coder.field("Sync_Handle", \.syncHandle, absent: 0xFFFF)
    }
}
