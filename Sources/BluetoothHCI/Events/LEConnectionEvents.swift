// Events in the life of an LE link (Vol 4, Part E, 7.7.65).

public import BluetoothTypes
public import NIOCore

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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.interval, self.latency, self.supervisionTimeout)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            interval: try bytes.readParameter("Connection_Interval"),
            latency: try bytes.readParameter("Peripheral_Latency"),
            supervisionTimeout: try bytes.readParameter("Supervision_Timeout")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.features)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            features: try bytes.readParameter("LE_Features")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(
            self.handle,
            self.minimumInterval,
            self.maximumInterval,
            self.latency,
            self.supervisionTimeout
        )
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            minimumInterval: try bytes.readParameter("Interval_Min"),
            maximumInterval: try bytes.readParameter("Interval_Max"),
            latency: try bytes.readParameter("Max_Latency"),
            supervisionTimeout: try bytes.readParameter("Timeout")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.transmitOctets, self.transmitTime, self.receiveOctets, self.receiveTime)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            transmitOctets: try bytes.readParameter("Max_TX_Octets"),
            transmitTime: try bytes.readParameter("Max_TX_Time"),
            receiveOctets: try bytes.readParameter("Max_RX_Octets"),
            receiveTime: try bytes.readParameter("Max_RX_Time")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.handle, self.transmitter, self.receiver)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            handle: try bytes.readParameter("Connection_Handle"),
            transmitter: try bytes.readParameter("TX_PHY"),
            receiver: try bytes.readParameter("RX_PHY")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.algorithm)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            algorithm: try bytes.readParameter("Channel_Selection_Algorithm")
        )
    }
}
