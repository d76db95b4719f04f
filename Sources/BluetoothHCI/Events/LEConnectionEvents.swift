// Events in the life of an LE link (Vol 4, Part E, 7.7.65).

public import BluetoothTypes

/// The parameters of a link were changed (Vol 4, Part E, 7.7.65.3).
public struct LEConnectionUpdateComplete: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.connectionUpdateComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// The connection interval.
    public var interval: ConnectionInterval
    /// How many connection events the peripheral may leave out.
    public var latency: UInt16
    /// The supervision timeout.
    public var supervisionTimeout: SupervisionTimeout

    /// Creates the event.
    public init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        interval: ConnectionInterval,
        latency: UInt16,
        supervisionTimeout: SupervisionTimeout
    ) {
        self.status = status
        self.handle = handle
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.interval = try coder.field("Connection_Interval", \.interval)
        self.latency = try coder.field("Peripheral_Latency", \.latency)
        self.supervisionTimeout = try coder.field("Supervision_Timeout", \.supervisionTimeout)
    }
}

/// The features of a peer (Vol 4, Part E, 7.7.65.4).
public struct LEReadRemoteFeaturesComplete: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.readRemoteFeaturesComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// The features.
    public var features: LEFeatures

    /// Creates the event.
    public init(status: HCIErrorCode = .success, handle: ConnectionHandle, features: LEFeatures) {
        self.status = status
        self.handle = handle
        self.features = features
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.features = try coder.field("LE_Features", \.features)
    }
}

/// A peer asks for other parameters (Vol 4, Part E, 7.7.65.6).
public struct LERemoteConnectionParameterRequest: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.remoteConnectionParameterRequest

    /// The link.
    public var handle: ConnectionHandle
    /// The shortest interval.
    public var minimumInterval: ConnectionInterval
    /// The longest interval.
    public var maximumInterval: ConnectionInterval
    /// How many connection events the peripheral may leave out.
    public var latency: UInt16
    /// The supervision timeout.
    public var supervisionTimeout: SupervisionTimeout

    /// Creates the event.
    public init(
        handle: ConnectionHandle,
        minimumInterval: ConnectionInterval,
        maximumInterval: ConnectionInterval,
        latency: UInt16,
        supervisionTimeout: SupervisionTimeout
    ) {
        self.handle = handle
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.minimumInterval = try coder.field("Interval_Min", \.minimumInterval)
        self.maximumInterval = try coder.field("Interval_Max", \.maximumInterval)
        self.latency = try coder.field("Max_Latency", \.latency)
        self.supervisionTimeout = try coder.field("Timeout", \.supervisionTimeout)
    }
}

/// The length of the packets of a link was changed (Vol 4, Part E, 7.7.65.7).
public struct LEDataLengthChange: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.dataLengthChange

    /// The link.
    public var handle: ConnectionHandle
    /// Octets of payload on sending.
    public var transmitOctets: UInt16
    /// Time of a packet on sending, in µs.
    public var transmitTime: UInt16
    /// Octets of payload on receiving.
    public var receiveOctets: UInt16
    /// Time of a packet on receiving, in µs.
    public var receiveTime: UInt16

    /// Creates the event.
    public init(
        handle: ConnectionHandle,
        transmitOctets: UInt16,
        transmitTime: UInt16,
        receiveOctets: UInt16,
        receiveTime: UInt16
    ) {
        self.handle = handle
        self.transmitOctets = transmitOctets
        self.transmitTime = transmitTime
        self.receiveOctets = receiveOctets
        self.receiveTime = receiveTime
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.transmitOctets = try coder.field("Max_TX_Octets", \.transmitOctets)
        self.transmitTime = try coder.field("Max_TX_Time", \.transmitTime)
        self.receiveOctets = try coder.field("Max_RX_Octets", \.receiveOctets)
        self.receiveTime = try coder.field("Max_RX_Time", \.receiveTime)
    }
}

/// The PHYs of a link were changed (Vol 4, Part E, 7.7.65.12).
public struct LEPHYUpdateComplete: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.phyUpdateComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The link.
    public var handle: ConnectionHandle
    /// The PHY on sending.
    public var transmitter: PHY
    /// The PHY on receiving.
    public var receiver: PHY

    /// Creates the event.
    public init(
        status: HCIErrorCode = .success,
        handle: ConnectionHandle,
        transmitter: PHY,
        receiver: PHY
    ) {
        self.status = status
        self.handle = handle
        self.transmitter = transmitter
        self.receiver = receiver
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.transmitter = try coder.field("TX_PHY", \.transmitter)
        self.receiver = try coder.field("RX_PHY", \.receiver)
    }
}

/// How a new link hops (Vol 4, Part E, 7.7.65.20).
public struct LEChannelSelectionAlgorithm: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.channelSelectionAlgorithm

    /// The link.
    public var handle: ConnectionHandle
    /// The algorithm.
    public var algorithm: ChannelSelectionAlgorithm

    /// Creates the event.
    public init(handle: ConnectionHandle, algorithm: ChannelSelectionAlgorithm) {
        self.handle = handle
        self.algorithm = algorithm
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.algorithm = try coder.field("Channel_Selection_Algorithm", \.algorithm)
    }
}
