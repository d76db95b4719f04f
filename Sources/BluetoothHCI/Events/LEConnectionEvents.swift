// Events in the life of an LE link (Vol 4, Part E, 7.7.65).

package import BluetoothTypes

/// The parameters of a link were changed (Vol 4, Part E, 7.7.65.3).
public struct LEConnectionUpdateComplete: LEEventPayload {
    package static let subevent = LESubeventCode.connectionUpdateComplete
    package var status: HCIErrorCode
    package var handle: ConnectionHandle
    package var interval: ConnectionInterval
    /// The number of connection events that the peripheral may skip.
    package var latency: UInt16
    package var supervisionTimeout: SupervisionTimeout

    package init(
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
    package static let subevent = LESubeventCode.readRemoteFeaturesComplete
    package var status: HCIErrorCode
    package var handle: ConnectionHandle
    package var features: LEFeatures

    package init(status: HCIErrorCode = .success, handle: ConnectionHandle, features: LEFeatures) {
        (self.status, self.handle, self.features) = (status, handle, features)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.features = try coder.field("LE_Features", \.features)
    }
}

/// A peer requests other connection parameters (Vol 4, Part E, 7.7.65.6).
public struct LERemoteConnectionParameterRequest: LEEventPayload {
    package static let subevent = LESubeventCode.remoteConnectionParameterRequest
    package var handle: ConnectionHandle
    package var minimumInterval: ConnectionInterval
    package var maximumInterval: ConnectionInterval
    /// The number of connection events that the peripheral may skip.
    package var latency: UInt16
    package var supervisionTimeout: SupervisionTimeout

    package init(
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

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.minimumInterval = try coder.field("Interval_Min", \.minimumInterval)
        self.maximumInterval = try coder.field("Interval_Max", \.maximumInterval)
        self.latency = try coder.field("Max_Latency", \.latency)
        self.supervisionTimeout = try coder.field("Timeout", \.supervisionTimeout)
    }
}

/// The maximum packet length of a link was changed (Vol 4, Part E, 7.7.65.7).
public struct LEDataLengthChange: LEEventPayload {
    package static let subevent = LESubeventCode.dataLengthChange
    package var handle: ConnectionHandle
    package var transmitOctets: UInt16
    /// In µs.
    package var transmitTime: UInt16
    package var receiveOctets: UInt16
    /// In µs.
    package var receiveTime: UInt16

    package init(
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
    package static let subevent = LESubeventCode.phyUpdateComplete
    package var status: HCIErrorCode
    package var handle: ConnectionHandle
    package var transmitter: PHY
    package var receiver: PHY

    package init(status: HCIErrorCode = .success, handle: ConnectionHandle, transmitter: PHY, receiver: PHY) {
        (self.status, self.handle, self.transmitter, self.receiver) = (status, handle, transmitter, receiver)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.transmitter = try coder.field("TX_PHY", \.transmitter)
        self.receiver = try coder.field("RX_PHY", \.receiver)
    }
}

/// The channel selection algorithm of a new link (Vol 4, Part E, 7.7.65.20).
public struct LEChannelSelectionAlgorithm: LEEventPayload {
    package static let subevent = LESubeventCode.channelSelectionAlgorithm
    package var handle: ConnectionHandle
    package var algorithm: ChannelSelectionAlgorithm

    package init(handle: ConnectionHandle, algorithm: ChannelSelectionAlgorithm) {
        (self.handle, self.algorithm) = (handle, algorithm)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.algorithm = try coder.field("Channel_Selection_Algorithm", \.algorithm)
    }
}
