// Events in the life of an LE link (Vol 4, Part E, 7.7.65).

public import BluetoothTypes
public import NIOCore

/// A link was made, or could not be (Vol 4, Part E, 7.7.65.1).
public struct LEConnectionComplete: LEEventPayload {
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
public struct LEEnhancedConnectionComplete: LEEventPayload {
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

/// A link was made, or could not be, with the advertising set [v2] (Vol 4, Part E, 7.7.65.10).
public struct LEEnhancedConnectionCompleteV2: LEEventPayload {
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
    /// The advertising set that it came from.
    public var advertisingHandle: AdvertisingHandle
    /// The periodic advertising train that it came from; 0x0FFF for none.
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
        syncHandle: UInt16 = 0x0FFF
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

/// The central encrypts: the controller asks for the key (Vol 4, Part E, 7.7.65.5).
public struct LELongTermKeyRequest: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.longTermKeyRequest

    /// The link.
    public var handle: ConnectionHandle
    /// The number that names the key; zero for LE Secure Connections.
    public var random: UInt64
    /// The diversifier that names the key; zero for LE Secure Connections.
    public var encryptedDiversifier: UInt16

    /// Creates the event.
    public init(handle: ConnectionHandle, random: UInt64, encryptedDiversifier: UInt16) {
        self.handle = handle
        self.random = random
        self.encryptedDiversifier = encryptedDiversifier
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.random, self.encryptedDiversifier)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            random: try bytes.readParameter("Random_Number"),
            encryptedDiversifier: try bytes.readParameter("Encrypted_Diversifier")
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

/// The public key that the controller made (Vol 4, Part E, 7.7.65.8).
public struct LEReadLocalP256PublicKeyComplete: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.readLocalP256PublicKeyComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// X.
    public var x: Octets32
    /// Y.
    public var y: Octets32

    /// Creates the event.
    public init(status: HCIErrorCode = .success, x: Octets32 = .zero, y: Octets32 = .zero) {
        self.status = status
        self.x = x
        self.y = y
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.x, self.y)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            x: try bytes.readParameter("Key_X_Coordinate"),
            y: try bytes.readParameter("Key_Y_Coordinate")
        )
    }
}

/// The Diffie-Hellman key that the controller made (Vol 4, Part E, 7.7.65.9).
public struct LEGenerateDHKeyComplete: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.generateDHKeyComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The key.
    public var key: Octets32

    /// Creates the event.
    public init(status: HCIErrorCode = .success, key: Octets32 = .zero) {
        self.status = status
        self.key = key
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.key) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            key: try bytes.readParameter("DH_Key")
        )
    }
}
